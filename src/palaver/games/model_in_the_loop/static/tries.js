// The tries of one session, folded from its events as the server folds them: the last one is under way
// while it waits.

export class Tries {
  all = [];

  constructor(most) {
    this.most = most;
  }

  get last() {
    return this.all.at(-1) ?? null;
  }

  get answered() {
    return this.all.filter((one) => one.answer !== null);
  }

  get left() {
    return Math.max(0, this.most - this.answered.length);
  }

  // The last one that the model got wrong, by what is known so far.
  get wrong() {
    return this.all.findLast((one) => one.wrong === true) ?? null;
  }

  take({ action, data }) {
    if (!data) return;
    if (action === "try") this.all.push(begun(this.all.length + 1, data.values ?? {}));
    else if (!this.last) return;
    else if (action === "answer") this.#settle({ answer: data.values ?? {}, wrong: data.wrong ?? null });
    else if (action === "unanswered") this.#settle({ silence: data.text || "No answer came." });
    else if (action === "judge") this.#settle({ wrong: data.wrong, right: data.label ?? "" });
  }

  #settle(what) {
    Object.assign(this.last, what, { waits: false });
  }
}

function begun(number, values) {
  return { number, values, answer: null, wrong: null, right: "", silence: "", waits: true };
}
