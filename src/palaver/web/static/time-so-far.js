// <time-so-far data-elapsed>: keeps the time so far up to date, counted from what the server said.

import { inWords } from "./durations.js";
import { partsOf, say } from "./parts.js";

class TimeSoFar extends HTMLElement {
  #timer;

  connectedCallback() {
    const before = Number(this.dataset.elapsed);
    const { words } = partsOf(this);
    const tick = () => {
      const elapsed = before + performance.now() / 1000;
      say(words, inWords(elapsed < 60 ? Math.floor(elapsed / 10) * 10 : elapsed));
    };
    tick();
    this.#timer = setInterval(tick, 5000);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }
}

customElements.define("time-so-far", TimeSoFar);
