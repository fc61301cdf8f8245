// <rating-form>: says how much is answered, opens what folds, and names and scrolls to what was left
// out. The keyboard is in rating-keys.js. The form inside works without either.

import { partsOf, say } from "./parts.js";
import { faultOf, isComplete, needsAnswer } from "./question-parts.js";
import { RatingKeys, visit } from "./rating-keys.js";

class RatingForm extends HTMLElement {
  #form;
  #parts;
  #sent = false;

  connectedCallback() {
    this.#form = this.querySelector("form");
    this.#parts = partsOf(this);
    this.#form.noValidate = true;
    new RatingKeys(this.#form, this.#parts);
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.addEventListener("input", (event) => this.#changed(event.target));
    this.#form.addEventListener("change", (event) => this.#changed(event.target));
    addEventListener("pageshow", () => {
      this.#sent = false;
      this.#refresh();
    });
    for (const fold of this.#folds) fold.open ||= !needsAnswer(fold);
    this.#refresh();
    if (!this.#parts.errors.hidden) {
      const question = this.querySelector(".question:has(.field-error)");
      if (question) visit(question);
    }
  }

  get #questions() {
    return [...this.querySelectorAll(".question")];
  }

  get #folds() {
    return [...this.querySelectorAll(".fold")];
  }

  #changed(control) {
    const question = control.closest(".question");
    if (!question) return;
    if (question.matches(".unanswered") && isComplete(question)) clear(question);
    this.#refresh();
    const fold = question.closest(".fold");
    if (fold && isComplete(question)) {
      const next = this.#folds.find((one) => follows(one, fold) && !isComplete(one));
      if (next) next.open = true;
    }
  }

  #refresh() {
    for (const fold of this.#folds) fold.toggleAttribute("data-done", isComplete(fold));
    if (!this.#parts.progress) return;
    const needed = this.#questions.filter(needsAnswer);
    const done = needed.filter(isComplete).length;
    say(this.#parts.progress, needed.length > 1 ? `${done} of ${needed.length} answered` : "");
  }

  #submit(event) {
    if (event.submitter?.formNoValidate) return; // going back keeps what was chosen so far
    const missing = this.#questions.filter((question) => !isComplete(question));
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

  #mark(question) {
    const line = this.#parts["missing-template"].content.firstElementChild.cloneNode(true);
    say(partsOf(line).words, faultOf(question));
    question.classList.add("unanswered");
    question.querySelector("legend").after(line);
  }
}

function clear(question) {
  question.classList.remove("unanswered");
  question.querySelector(":scope > [data-part=missing]")?.remove();
}

function follows(one, other) {
  return Boolean(other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
}

customElements.define("rating-form", RatingForm);
