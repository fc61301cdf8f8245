// <go-back>: takes people back to their panel after a while, unless they would rather stay.
//
// The panel counts their time until they are back. Without scripting there is the link alone.

import { partsOf } from "./parts.js";

const SECONDS = 20;

class GoBack extends HTMLElement {
  connectedCallback() {
    const { way, told, left, stay } = partsOf(this);
    let seconds = SECONDS;
    left.textContent = seconds;
    told.hidden = false;
    const timer = setInterval(() => {
      seconds -= 1;
      left.textContent = seconds;
      if (seconds > 0) return;
      clearInterval(timer);
      location.assign(way.href);
    }, 1000);
    stay.addEventListener("click", () => {
      clearInterval(timer);
      told.hidden = true;
      way.focus();
    });
  }
}

customElements.define("go-back", GoBack);
