// <awaited-page data-shown data-every>: says that what belongs here is not ready, or that what is
// shown is of an earlier time (`data-shown`). Asks for this page again and again, tells how far it is
// (the part "progress"), and shows it once it is ready or has something newer; not under the hands of
// somebody who is typing. Without scripts a page that is not ready reloads itself.

import { Polling, asText } from "./polling.js";

const EVERY = 1500;

class AwaitedPage extends HTMLElement {
  #polling = null;

  connectedCallback() {
    this.#polling = new Polling({
      url: () => location.href,
      every: Number(this.dataset.every) || EVERY,
      heard: (text) => this.#look(text),
      form: asText,
    });
    this.#polling.start();
  }

  disconnectedCallback() {
    this.#polling.stop();
  }

  #look(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const other = page.querySelector(this.localName);
    if (other === null || other.dataset.shown !== this.dataset.shown) {
      if (!document.activeElement?.matches("input, select, textarea")) location.reload();
      return;
    }
    const [told, news] = [this, other].map((each) => each.querySelector("[data-part=progress]"));
    if (told && news) told.textContent = news.textContent;
  }
}

customElements.define("awaited-page", AwaitedPage);
