// <clear-answer>: takes back what was chosen among radios where nothing has to be: by its button, or
// by choosing the same once more, with the mouse, the space bar or its number.

import { partsOf, say } from "./parts.js";

class ClearAnswer extends HTMLElement {
  #parts;
  #chosen = [];

  connectedCallback() {
    this.#parts = partsOf(this);
    this.#parts.clear.addEventListener("click", () => this.#clear(this.#checked, { leads: true }));
    this.parentElement.addEventListener("click", (event) => this.#clicked(event));
    this.parentElement.addEventListener("keydown", (event) => this.#pressed(event));
    this.parentElement.addEventListener("change", () => this.#show());
    addEventListener("pageshow", () => this.#show());
    this.#show();
  }

  get #checked() {
    return [...this.parentElement.querySelectorAll("input[type=radio]:checked:enabled")];
  }

  // A radio is checked before it says that it was clicked, and says "change" only afterwards. The
  // second click of a double click takes nothing back.
  #clicked({ target, detail }) {
    if (detail < 2 && target.checked && this.#chosen.includes(target)) this.#clear([target]);
  }

  // The space bar clicks only what is not checked yet.
  #pressed(event) {
    if (![" ", "Backspace", "Delete"].includes(event.key)) return;
    if (!event.target.checked || !this.#chosen.includes(event.target)) return;
    event.preventDefault();
    this.#clear([event.target]);
  }

  #clear(inputs, { leads = false } = {}) {
    if (inputs.length === 0) return;
    for (const input of inputs) input.checked = false;
    for (const input of inputs) input.dispatchEvent(new Event("change", { bubbles: true }));
    say(this.#parts.cleared, "The answer was cleared.");
    if (leads) inputs[0].focus(); // its button is about to go
    this.#show();
  }

  #show() {
    this.#chosen = this.#checked;
    this.hidden = false;
    this.toggleAttribute("data-chosen", this.#chosen.length > 0);
    if (this.#chosen.length > 0) say(this.#parts.cleared, "");
  }
}

customElements.define("clear-answer", ClearAnswer);
