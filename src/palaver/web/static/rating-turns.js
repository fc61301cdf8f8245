// The turns under judgement: one of them is in hand, those that are answered fold to their answer,
// and the small map in the foot of the page shows what is left.

import { answersIn, firstControl, isComplete } from "./question-parts.js";
import { partsOf } from "./parts.js";

export class RatingTurns {
  #units;
  #marks;
  #done = new Set();
  now = null;

  constructor(form, minimap) {
    this.#units = [...form.querySelectorAll(".unit")];
    this.#marks = new Map();
    for (const mark of minimap?.children ?? []) {
      this.#marks.set(document.getElementById(mark.hash.slice(1)), mark);
    }
    // A press of the mouse moves nothing until it is a click: what it aims at must stay in place.
    form.addEventListener("focusin", ({ target }) => target.matches(":focus-visible") && this.#take(target));
    form.addEventListener("click", (event) => this.#clicked(event));
    for (const unit of this.#units) this.refresh(unit);
    for (const unit of this.#units) this.#fold(unit);
    const open = this.stops.find((unit) => !this.#done.has(unit)) ?? this.stops[0];
    if (open) this.#hold(open);
  }

  get stops() {
    return this.#units.filter((unit) => unit.matches("[data-stop]"));
  }

  get words() {
    return `${this.#done.size} of ${this.#units.length} judged`;
  }

  get any() {
    return this.#units.length > 0;
  }

  // After an answer of this turn has changed.
  refresh(unit) {
    const done = isComplete(unit) && answersIn(unit).length > 0;
    if (done) this.#done.add(unit);
    else this.#done.delete(unit);
    unit.toggleAttribute("data-done", done);
    this.#marks.get(unit)?.classList.toggle("done", done);
  }

  // To a turn: it opens, comes into view and takes the keys.
  visit(unit) {
    this.#hold(unit);
    unit.scrollIntoView({ block: "nearest" });
    const control = firstControl(unit.querySelector(".unit-questions") ?? unit);
    const question = control?.closest(".question");
    // On a turn with one row of choices numbers choose and arrows move: the question has the focus.
    const place = question && isPlain(question) ? question : control;
    place?.focus({ preventScroll: true });
  }

  #clicked(event) {
    const mark = event.target.closest(".minimap a");
    const unit = mark ? document.getElementById(mark.hash.slice(1)) : event.target.closest(".unit");
    if (!unit) return;
    if (mark) event.preventDefault();
    if (mark || event.target.closest("[data-part=change]")) this.visit(unit);
    else this.#hold(unit);
  }

  #take(target) {
    const unit = target.closest(".unit");
    if (unit && !target.matches("[data-part=change]")) this.#hold(unit);
  }

  // The turn in hand stays where it is on the screen while the one before it folds.
  #hold(unit) {
    const last = this.now;
    if (unit === last) return;
    const before = unit.getBoundingClientRect().top;
    this.now = unit;
    if (last) {
      last.classList.remove("now");
      this.#marks.get(last)?.removeAttribute("aria-current");
      this.#fold(last);
    }
    unit.classList.add("now");
    unit.classList.remove("folded");
    this.#marks.get(unit)?.setAttribute("aria-current", "true");
    if (last) scrollBy(0, unit.getBoundingClientRect().top - before);
  }

  #fold(unit) {
    const done = this.#done.has(unit);
    if (unit.matches(".wrong") || !(done || unit.matches("[data-long]"))) return;
    const { answer } = partsOf(unit);
    if (!answer) return;
    answer.replaceChildren(...(done ? chips(unit) : []));
    unit.classList.add("folded");
  }
}

export function isPlain(question) {
  const groups = question.querySelectorAll("[data-group]");
  return groups.length === 1 && groups[0].querySelector(".pick input[name]") !== null;
}

function chips(unit) {
  return answersIn(unit).map((words) => {
    const chip = document.createElement("span");
    chip.textContent = words;
    return chip;
  });
}
