// Counts for how long a rating page is in use: in view, and something done within the last half minute.
// One number is sent with the answers, in tenths of seconds; nothing of what was done.

const IDLE = 30_000;
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll", "input"];

export class ActiveTime {
  #now;
  #used = 0;
  #last;
  #inView;

  constructor({ now = () => performance.now(), inView = true } = {}) {
    this.#now = now;
    this.#inView = inView;
    this.#last = now();
  }

  // Something was done: the time since the last sign counts, but no more than half a minute of it.
  sign() {
    const now = this.#now();
    if (this.#inView) this.#used += Math.min(IDLE, now - this.#last);
    this.#last = now;
  }

  view(inView) {
    this.sign();
    this.#inView = inView;
  }

  get tenths() {
    this.sign();
    return Math.round(this.#used / 100);
  }
}

const field = document.querySelector(".rate-form input[name=active]");
if (field) {
  const before = Number(field.value) || 0;
  const time = new ActiveTime({ inView: !document.hidden });
  for (const name of SIGNS) document.addEventListener(name, () => time.sign(), { passive: true, capture: true });
  document.addEventListener("visibilitychange", () => time.view(!document.hidden));
  field.form.addEventListener("submit", () => { field.value = String(before + time.tenths); }, { capture: true });
}
