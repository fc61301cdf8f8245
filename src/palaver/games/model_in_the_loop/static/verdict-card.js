// What the model says to a try: how sure it is of what, whether it is wrong, and what can be done now.

import { partsOf, say } from "../../parts.js";
import { percent, plainly, tell } from "./answer-words.js";

export class VerdictCard {
  #parts;
  #words;

  constructor(parts, words) {
    this.#parts = parts;
    this.#words = words;
  }

  // `left` tries are left; `kept` says that another try, which fooled the model, can still be kept.
  show(one, { left, over, canKeep }) {
    const { verdict, keeping, judging, earns } = this.#parts;
    const asks = one.wrong === null;
    verdict.hidden = false;
    verdict.classList.toggle("missed", one.wrong !== true);
    say(this.#parts["verdict-title"], this.#title(one));
    tell(this.#parts["verdict-words"], this.#words.verdict(one));
    this.#meters(one);
    judging.hidden = !asks || over;
    keeping.hidden = one.wrong !== true || over;
    earns.hidden = one.wrong !== true;
    this.#parts.change.hidden = left === 0;
    say(this.#parts["why-label"], this.#why(one));
    const why = asks || one.wrong ? "" : this.#left(left, canKeep);
    say(this.#parts["left-words"], why);
    this.#parts["left-words"].hidden = why === "";
    this.#parts["again-row"].hidden = asks || one.wrong === true || left === 0 || over;
  }

  hide() {
    this.#parts.verdict.hidden = true;
  }

  said(one) {
    return `${this.#title(one)}. ${plainly(this.#words.verdict(one))}`;
  }

  #title(one) {
    if (one.wrong === null) return "Is the model wrong?";
    return one.wrong ? "The model is wrong" : "The model got it right";
  }

  #why(one) {
    const label = this.#words.label(one);
    return label ? `Why is it ${label}?` : "Why is your answer right?";
  }

  #left(left, canKeep) {
    if (left > 0) return `Nothing is lost: you have ${left} ${left === 1 ? "try" : "tries"} left.`;
    if (canKeep) return "Your tries are used up. You can still keep one that the model got wrong.";
    return "Your tries for this text are used up. The model held; the next text may be easier.";
  }

  #meters(one) {
    const shares = this.#words.shares(one);
    const top = Math.max(...shares.map(([, share]) => share));
    const { meters, meter } = this.#parts;
    meters.hidden = shares.length === 0;
    meters.replaceChildren(...shares.map(([label, share]) => this.#meter(meter, label, share, share === top)));
  }

  #meter(template, label, share, isTop) {
    const item = template.content.firstElementChild.cloneNode(true);
    const parts = partsOf(item);
    item.classList.toggle("top-answer", isTop);
    say(parts.name, label);
    parts.bar.value = share;
    say(parts.share, percent(share));
    return item;
  }
}
