// <guide-panel>: what the questions mean, beside the task. A link "What does this mean?" opens it at
// its question; closing it leads back to where one was.

import { partsOf } from "./parts.js";

class GuidePanel extends HTMLElement {
  #details;
  #opener = null;

  connectedCallback() {
    this.#details = this.querySelector("details");
    // A guide that starts open would cover half of a phone.
    if (matchMedia("(max-width: 959px)").matches) this.#details.open = false;
    const { close } = partsOf(this);
    close.hidden = false;
    close.addEventListener("click", () => this.#close());
    this.addEventListener("keydown", ({ key }) => key === "Escape" && this.#close());
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a.help-link");
      if (link) this.#show(event, link);
    });
  }

  #show(event, link) {
    const entry = document.getElementById(link.hash.slice(1));
    if (!entry) return;
    event.preventDefault();
    this.#opener = link;
    this.#details.open = true;
    if (entry.matches("details")) entry.open = true;
    entry.focus({ preventScroll: true });
    const { text } = partsOf(this);
    text.scrollTop += entry.getBoundingClientRect().top - text.getBoundingClientRect().top;
  }

  #close() {
    this.#details.open = false;
    (this.#opener ?? this.#details.querySelector("summary")).focus();
    this.#opener = null;
  }
}

customElements.define("guide-panel", GuidePanel);
