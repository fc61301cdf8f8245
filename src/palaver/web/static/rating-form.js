// <rating-form>: says how much is answered, and names and scrolls to what was left out. The keyboard
// is in rating-keys.js, the turns are in rating-turns.js. The form inside works without any of them.

import { KeptAnswers } from "./kept-answers.js";
import { partsOf, say } from "./parts.js";
import { faultOf, isComplete, needsAnswer } from "./question-parts.js";
import { RatingKeys, visit } from "./rating-keys.js";
import { RatingTurns } from "./rating-turns.js";

class RatingForm extends HTMLElement {
  #form;
  #parts;
  #turns;
  #kept;
  #sent = false;

  connectedCallback() {
    this.#form = this.querySelector(".rate-form");
    this.#parts = partsOf(this);
    this.#form.noValidate = true;
    this.#turns = new RatingTurns(this.#form, this.#parts.minimap);
    new RatingKeys(this.#form, this.#parts, this.#turns);
    this.#kept = new KeptAnswers(this.#form, {
      url: this.dataset.keep,
      kept: this.dataset.kept,
      refused: this.hasAttribute("data-refused"),
      state: this.#parts.kept,
    });
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.addEventListener("input", (event) => this.#changed(event));
    this.#form.addEventListener("change", (event) => this.#changed(event));
    this.#form.addEventListener("beside", () => this.#count());
    addEventListener("pageshow", () => {
      this.#sent = false;
      for (const question of this.#questions) question.disabled = false;
      this.#count();
    });
    this.#count();
    if (!this.#parts.errors.hidden) {
      const question = this.querySelector(".question:has(.field-error)");
      if (question) visit(question);
    }
  }

  get #questions() {
    return [...this.querySelectorAll(".question")];
  }

  #changed({ type, target }) {
    const question = target.closest(".question");
    if (!question) return;
    if (type === "change" && target.matches("textarea")) this.#kept.left(question);
    else this.#kept.changed(question, { typing: type === "input" });
    if (isComplete(question)) this.#mend(question);
    const unit = question.closest(".unit");
    if (unit) this.#turns.refresh(unit);
    this.#count();
  }

  #count() {
    if (!this.#parts.progress) return;
    if (this.#turns.any) return say(this.#parts.progress, this.#turns.words);
    const needed = this.#questions.filter(needsAnswer);
    const done = needed.filter(isComplete).length;
    say(this.#parts.progress, needed.length > 1 ? `${done} of ${needed.length} answered` : "");
  }

  #submit(event) {
    const missing = this.#questions.filter((question) => !isComplete(question));
    if (event.submitter?.formNoValidate) {
      this.#kept.sent();
      // Going back keeps what was chosen so far; what was not chosen yet is not sent as "none".
      for (const question of missing) question.disabled = true;
      return;
    }
    if (missing.length === 0 && !this.#sent) {
      this.#sent = true; // a second press of the button sends nothing twice
      this.#kept.sent();
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
      item.dataset.for = question.id;
      link.textContent = question.dataset.question;
      link.addEventListener("click", (event) => {
        event.preventDefault();
        visit(question);
      });
      item.append(link);
      return item;
    });
    this.#parts["error-list"].replaceChildren(...items);
    this.#parts.errors.hidden = false;
    this.#questions.forEach(clear);
    for (const question of missing) this.#mark(question);
    visit(missing[0]);
  }

  // What was missing or wrong has an answer now: nothing speaks of it any more.
  #mend(question) {
    if (!question.matches(".unanswered, :has(> .field-error)")) return;
    clear(question);
    const { errors, "error-list": list } = this.#parts;
    [...list.children].find((item) => item.dataset.for === question.id)?.remove();
    errors.hidden = list.children.length === 0;
  }

  #mark(question) {
    const line = this.#parts["missing-template"].content.firstElementChild.cloneNode(true);
    say(partsOf(line).words, faultOf(question));
    question.classList.add("unanswered");
    question.querySelector("legend").after(line);
  }
}

function clear(question) {
  question.classList.remove("unanswered");
  question.querySelector(":scope > .field-error")?.remove();
  for (const control of question.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
}

customElements.define("rating-form", RatingForm);
