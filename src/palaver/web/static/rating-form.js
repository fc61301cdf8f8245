// <rating-form>: number keys choose, and what was left out is named and scrolled to. The form
// inside works without it.

import { BROWSER, keep, recall } from "./browser-storage.js";
import { partsOf } from "./parts.js";

const KEY = "palaver:number-keys";

class RatingForm extends HTMLElement {
  #form;
  #parts;
  #sent = false;

  connectedCallback() {
    this.#form = this.querySelector("form");
    this.#parts = partsOf(this);
    this.#form.noValidate = true;
    this.#offerKeys();
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.addEventListener("change", (event) => {
      event.target.closest(".question")?.classList.remove("unanswered");
    });
    addEventListener("pageshow", () => (this.#sent = false));
    if (!this.#parts.errors.hidden) this.#visit(this.querySelector(".question:has(.field-error)"));
  }

  get #questions() {
    return [...this.querySelectorAll(".question")];
  }

  // Single-key shortcuts must be possible to turn off (WCAG 2.1.4); the choice is kept.
  #offerKeys() {
    const { keys } = this.#parts;
    keys.closest("label").hidden = false;
    keys.checked = recall(BROWSER, KEY) !== "off";
    keys.addEventListener("change", () => {
      keep(BROWSER, KEY, keys.checked ? "on" : "off");
      this.#hint();
    });
    document.addEventListener("keydown", (event) => keys.checked && this.#pressed(event));
    this.#hint();
  }

  #hint() {
    for (const hint of this.querySelectorAll(".key")) hint.remove();
    if (!this.#parts.keys.checked) return;
    for (const question of this.#questions) {
      question.querySelectorAll(".answer").forEach((answer, place) => {
        const hint = document.createElement("kbd");
        hint.className = "key";
        hint.setAttribute("aria-hidden", "true");
        hint.textContent = String(place + 1);
        answer.append(hint);
      });
    }
  }

  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])")) return;
    const place = "123456789".indexOf(event.key);
    if (place < 0) return;
    const choice = this.#asked()?.querySelectorAll(".answer input")[place];
    if (!choice) return;
    event.preventDefault();
    choice.checked = true;
    choice.focus();
    choice.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // The question in focus, else the first without an answer, else the last one.
  #asked() {
    const focused = document.activeElement?.closest(".question");
    const open = this.#questions.find((question) => !question.querySelector(":checked"));
    return focused ?? open ?? this.#questions.at(-1);
  }

  #submit(event) {
    const missing = this.#questions.filter((question) => question.matches(":invalid"));
    if (missing.length === 0 && !this.#sent) {
      this.#sent = true; // a second press of the button sends nothing twice
      return;
    }
    event.preventDefault();
    if (missing.length > 0) this.#name(missing);
  }

  #name(missing) {
    const items = missing.map((question) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `#${question.id}`;
      link.textContent = question.dataset.question;
      item.append(link);
      return item;
    });
    this.#parts["error-list"].replaceChildren(...items);
    this.#parts.errors.hidden = false;
    for (const question of missing) question.classList.add("unanswered");
    this.#visit(missing[0]);
  }

  #visit(question) {
    if (!question) return;
    question.scrollIntoView({ block: "nearest" });
    question.querySelector("input, textarea, select").focus();
  }
}

customElements.define("rating-form", RatingForm);
