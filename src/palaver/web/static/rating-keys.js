// The keyboard of a rating page: numbers choose, Enter goes on, j and k (or Alt with an arrow) go
// from one thing under judgement to the next. Single keys can be turned off (WCAG 2.1.4).

import { BROWSER, keep, recall } from "./browser-storage.js";
import { choicesIn, firstControl, isShown } from "./question-parts.js";

const KEY = "palaver:number-keys";
const STEPS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };
const CHOOSING = "input[type=radio], input[type=checkbox], input[type=range], input[type=number]";
const WRITING = "textarea, select, input:not([type=radio], [type=checkbox], [type=range])";

export class RatingKeys {
  #form;
  #parts;

  constructor(form, parts) {
    this.#form = form;
    this.#parts = parts;
    const { keys } = parts;
    parts["key-help"].hidden = false;
    keys.checked = recall(BROWSER, KEY) !== "off";
    keys.addEventListener("change", () => {
      keep(BROWSER, KEY, keys.checked ? "on" : "off");
      this.#hint();
    });
    document.addEventListener("keydown", (event) => this.#pressed(event));
    form.addEventListener("focusin", () => this.#aim());
    form.addEventListener("change", () => this.#aim());
    parts.previous?.addEventListener("click", () => this.step(-1));
    parts.next?.addEventListener("click", () => this.step(1));
    if (parts.steppers) parts.steppers.hidden = this.#stops.length < 2;
    this.#hint();
  }

  // To the next or previous thing under judgement.
  step(direction) {
    const stops = this.#stops;
    const focused = document.activeElement;
    let place = stops.findIndex((stop) => stop.contains(focused));
    if (place < 0) place = this.#placeInView(stops, direction);
    const stop = stops[place + direction];
    if (stop) visit(stop, { block: stop.matches(".message") ? "start" : "nearest" });
    else if (direction > 0) this.#parts.send.focus();
  }

  get #stops() {
    return [...this.#form.querySelectorAll("[data-stop], .rating > .question, .rating > .fold")];
  }

  // Between which stops the window stands, when the focus is at none of them.
  #placeInView(stops, direction) {
    const place = stops.findIndex((stop) => stop.getBoundingClientRect().bottom > 0);
    if (place < 0) return direction > 0 ? -1 : stops.length;
    return direction > 0 ? place - 1 : place;
  }

  #pressed(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.isComposing || target.closest("guide-panel")) return;
    if (event.altKey && event.key.startsWith("Arrow")) return this.#use(event, STEPS[event.key]);
    if (event.key === "Enter" && target.matches(CHOOSING) && target.closest(".question")) {
      event.preventDefault();
      this.#goOn(target);
      return;
    }
    if (!this.#parts.keys.checked || event.altKey || event.repeat || target.matches(WRITING)) return;
    if (event.key === "j" || event.key === "k") this.#use(event, STEPS[event.key]);
    else if (/^[0-9]$/.test(event.key)) this.#choose(event);
  }

  #use(event, direction) {
    if (!direction) return;
    event.preventDefault();
    this.step(direction);
  }

  #choose(event) {
    const group = this.#group();
    if (!group) return;
    const choices = choicesIn(group);
    const choice = group.matches("[data-keys=value]")
      ? choices.find((one) => one.value === event.key)
      : choices[Number(event.key) - 1];
    if (!choice) return;
    event.preventDefault();
    if (choice.matches("input")) choice.focus();
    choice.click();
  }

  // To the next step or question; after the last one, to the button.
  #goOn(from) {
    const places = [...this.#form.querySelectorAll("[data-group], .question:not(:has([data-group]))")];
    const reachable = places.filter((place) => !place.closest(".branch-steps") || isShown(place));
    const here = from.closest("[data-group], .question");
    const next = reachable[reachable.indexOf(here) + 1];
    if (next) visit(next);
    else this.#parts.send.focus();
  }

  // The choices that numbers reach: in focus, else the first without an answer, else the last.
  #group() {
    const focused = document.activeElement;
    const within = focused?.closest("[data-group]");
    if (within) return within;
    const root = focused?.closest(".question, .fold, [data-stop]") ?? this.#form;
    const groups = [...root.querySelectorAll("[data-group]")].filter(isShown);
    return groups.find((group) => !choicesIn(group).some((choice) => choice.checked)) ?? groups.at(-1);
  }

  #hint() {
    for (const hint of this.#form.querySelectorAll(".key")) hint.remove();
    if (!this.#parts.keys.checked) return this.#aim();
    for (const group of this.#form.querySelectorAll("[data-group]:not([data-keys=value])")) {
      choicesIn(group).slice(0, 9).forEach((choice, place) => {
        const hint = document.createElement("kbd");
        hint.className = "key";
        hint.setAttribute("aria-hidden", "true");
        hint.textContent = String(place + 1);
        choice.closest("label, button").append(hint);
      });
    }
    this.#aim();
  }

  // Only the choices that a number would reach show theirs.
  #aim() {
    for (const group of this.#form.querySelectorAll(".keyed")) group.classList.remove("keyed");
    if (this.#parts.keys.checked) this.#group()?.classList.add("keyed");
  }
}

export function visit(place, { block = "nearest" } = {}) {
  const fold = place.closest("details") ?? place.querySelector(".fold");
  if (fold) fold.open = true;
  place.scrollIntoView({ block });
  firstControl(place)?.focus({ preventScroll: block === "start" });
}
