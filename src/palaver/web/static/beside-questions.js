// Questions beside a comparison: locked until it is answered, and each side is called by its name. One
// about the worse of two is not asked after a tie, and starts anew when the other side is the worse.

import { say } from "./parts.js";

const OTHER = { a: "b", b: "a" };

class Beside {
  #compared;
  #questions;
  #better = null;

  constructor(compared) {
    this.#compared = compared;
    this.#questions = [...document.querySelectorAll(`[data-beside="${CSS.escape(compared.id)}"]`)];
    compared.addEventListener("change", () => this.#settle());
    addEventListener("pageshow", () => this.#settle());
    this.#settle();
  }

  #settle() {
    const answer = this.#compared.querySelector("input:checked")?.value ?? "";
    const better = OTHER[answer.at(-1)] && /^[0-9]*[ab]$/.test(answer) ? answer.at(-1) : null;
    const turned = this.#better !== null && better !== null && better !== this.#better;
    this.#better = better ?? this.#better;
    for (const question of this.#questions) {
      const open = better !== null || (answer !== "" && !question.hasAttribute("data-names-a-side"));
      if (turned && question.hasAttribute("data-names-a-side")) clear(question);
      question.hidden = !open;
      question.disabled = !open;
      this.#name(question, better);
    }
    for (const tag of document.querySelectorAll("[data-worse-tag]")) {
      tag.hidden = better === null || tag.dataset.worseTag !== OTHER[better];
    }
    this.#compared.dispatchEvent(new Event("beside", { bubbles: true }));
  }

  #name(question, better) {
    const { dataset } = this.#compared;
    const names = better === null
      ? { worse: dataset.worse, better: dataset.better }
      : { worse: label(dataset, OTHER[better]), better: label(dataset, better) };
    for (const place of question.querySelectorAll("[data-side]")) say(place, names[place.dataset.side]);
    const legend = question.querySelector("legend");
    if (legend.querySelector("[data-side]")) question.dataset.question = legend.textContent.trim();
  }
}

function label(dataset, side) {
  return side === "a" ? dataset.labelA : dataset.labelB;
}

function clear(question) {
  for (const input of question.querySelectorAll("input:checked")) input.checked = false;
  for (const text of question.querySelectorAll("textarea")) text.value = "";
  question.querySelector("branching-questions, input, textarea")?.dispatchEvent(new Event("change", { bubbles: true }));
}

for (const compared of document.querySelectorAll("[data-compares]")) new Beside(compared);
