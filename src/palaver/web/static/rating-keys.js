// The keyboard of a rating page: numbers choose, Enter goes on, arrows or j and k (or Alt with an
// arrow) go from one thing under judgement to the next. Single keys can be turned off (WCAG 2.1.4).

import { BROWSER, keep, recall } from "./browser-storage.js";
import { choicesIn, firstControl, isShown } from "./question-parts.js";
import { isPlain } from "./rating-turns.js";

const KEY = "palaver:number-keys";
const STEPS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };
const CHOOSING = "input[type=radio], input[type=checkbox], input[type=range], input[type=number]";
const WRITING = "textarea, select, input:not([type=radio], [type=checkbox], [type=range])";

export class RatingKeys {
  #form;
  #parts;
  #turns;

  constructor(form, parts, turns) {
    this.#form = form;
    this.#parts = parts;
    this.#turns = turns;
    const { keys } = parts;
    parts["key-help"].hidden = false;
    keys.checked = recall(BROWSER, KEY) !== "off";
    keys.addEventListener("change", () => {
      keep(BROWSER, KEY, keys.checked ? "on" : "off");
      this.#aim();
    });
    document.addEventListener("keydown", (event) => this.#pressed(event));
    form.addEventListener("focusin", () => this.#aim());
    form.addEventListener("change", () => this.#aim());
    parts.previous?.addEventListener("click", () => this.step(-1));
    parts.next?.addEventListener("click", () => this.step(1));
    if (parts.steppers) parts.steppers.hidden = this.#stops.length < 2;
    this.#aim();
  }

  // To the next or previous thing under judgement.
  step(direction) {
    const stops = this.#stops;
    const focused = document.activeElement;
    const within = stops.findIndex((stop) => stop.contains(focused));
    const place = within < 0 ? this.#placeInView(stops, direction) : within;
    const stop = stops[place + direction];
    if (stop?.matches(".unit")) this.#turns.visit(stop);
    else if (stop) visit(stop);
    else if (direction > 0) this.#parts.send.focus();
  }

  get #stops() {
    return [...this.#turns.stops, ...this.#form.querySelectorAll(".question:not(.unit *)")];
  }

  // Between which stops one is, when the focus is at none of them.
  #placeInView(stops, direction) {
    const held = stops.indexOf(this.#turns.now);
    const place = held < 0 ? stops.findIndex((stop) => stop.getBoundingClientRect().bottom > 0) : held;
    if (place < 0) return direction > 0 ? -1 : stops.length;
    return direction > 0 ? place - 1 : place;
  }

  #pressed(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.isComposing || target.closest("guide-panel, .asked")) return;
    if (event.altKey && event.key.startsWith("Arrow")) return this.#use(event, STEPS[event.key]);
    if (event.key === "Enter" && target.closest(".question") && target.matches(CHOOSING)) {
      event.preventDefault();
      this.#goOn(target);
      return;
    }
    if (!this.#parts.keys.checked || event.altKey || event.repeat || target.matches(WRITING)) return;
    if (event.key === "j" || event.key === "k") this.#use(event, STEPS[event.key]);
    else if (/^[0-9]$/.test(event.key)) this.#choose(event);
    else if (this.#turns.any && target.matches("body, main, .unit .question")) this.#walk(event);
  }

  // Turn by turn arrows and Enter move, where they do nothing else.
  #walk(event) {
    if (event.key === "Enter") this.#use(event, 1);
    else if (!event.shiftKey) this.#use(event, STEPS[event.key]);
  }

  #use(event, direction) {
    if (!direction) return;
    event.preventDefault();
    this.step(direction);
  }

  #choose(event) {
    const group = this.#group();
    if (!group) return;
    const byValue = group.matches("[data-keys=value]");
    const choice = choicesIn(group).find((one) =>
      byValue ? one.value === event.key : keyOf(one) === event.key,
    );
    if (!choice) return;
    event.preventDefault();
    const question = choice.closest(".unit .question");
    if (question && isPlain(question)) {
      if (!question.contains(document.activeElement)) question.focus();
    } else if (choice.matches("input")) choice.focus();
    choice.click();
    if (choice.checked && choice.matches(".unit [data-none]")) this.#goOn(choice);
  }

  // To the next step or question; after the last one, to the button.
  #goOn(from) {
    const question = from.closest(".unit .question");
    if (question && isPlain(question) && !question.matches(".question:has(~ .question)")) return this.step(1);
    const places = [...this.#form.querySelectorAll("[data-group], .question:not(:has([data-group]))")];
    const reachable = places.filter((place) => !place.closest(".branch-steps") || isShown(place));
    const next = reachable[reachable.indexOf(from.closest("[data-group], .question")) + 1];
    const unit = next?.closest(".unit");
    if (unit && unit !== from.closest(".unit")) this.#turns.visit(unit);
    else if (next) visit(next);
    else this.#parts.send.focus();
  }

  // The choices that numbers reach: in focus, else the first without an answer, else the last.
  #group() {
    const focused = document.activeElement;
    const within = focused?.closest("[data-group]");
    if (within) return within;
    const root = focused?.closest(".question, .unit") ?? this.#turns.now ?? this.#form;
    const groups = [...root.querySelectorAll("[data-group]")].filter(isShown);
    return groups.find((group) => !choicesIn(group).some((choice) => choice.checked)) ?? groups.at(-1);
  }

  // Only the choices that a number would reach show theirs.
  #aim() {
    this.#form.classList.toggle("keys-off", !this.#parts.keys.checked);
    const group = this.#parts.keys.checked ? this.#group() : null;
    const last = this.#form.querySelector(".keyed");
    if (last === group) return;
    last?.classList.remove("keyed");
    group?.classList.add("keyed");
  }
}

export function visit(place) {
  const fold = place.closest("details");
  if (fold) fold.open = true;
  place.closest(".unit")?.classList.remove("folded");
  place.scrollIntoView({ block: "nearest" });
  firstControl(place)?.focus();
}

function keyOf(choice) {
  return choice.closest("label, button").querySelector("kbd")?.textContent;
}
