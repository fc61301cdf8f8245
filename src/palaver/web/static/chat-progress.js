// How far a room has come: messages so far, the Finish button, the time left.

import { counted } from "./durations.js";
import { say } from "./parts.js";

const SHOW_BELOW = 120;

export class ChatProgress {
  #parts;
  #exactly;
  #atLeast;
  #timer = null;
  count = 0;

  constructor(parts, { exactly, atLeast, announce }) {
    this.#parts = parts;
    this.#exactly = exactly;
    this.#atLeast = atLeast;
    this.announce = announce;
  }

  get mayFinish() {
    return !this.#exactly && this.count >= this.#atLeast && this.count > 0;
  }

  step() {
    this.count += 1;
    this.show();
  }

  show() {
    const { count, progress, finish } = this.#parts;
    say(count, this.#words());
    if (progress) progress.value = this.count;
    if (!finish) return;
    const left = this.#atLeast - this.count;
    say(
      this.#parts["finish-note"],
      left > 0 ? `${left} more to finish.` : "",
    );
  }

  countDown(seconds) {
    clearInterval(this.#timer);
    this.#parts.remaining.hidden = true;
    if (seconds === null || seconds === undefined) return;
    const end = performance.now() + seconds * 1000;
    this.#timer = setInterval(() => this.#tick((end - performance.now()) / 1000), 1000);
    this.#tick(seconds);
  }

  stop() {
    clearInterval(this.#timer);
    this.#parts.remaining.hidden = true;
  }

  #tick(seconds) {
    const { remaining } = this.#parts;
    if (seconds > SHOW_BELOW) return;
    const left = Math.max(0, Math.ceil(seconds));
    if (remaining.hidden) this.announce(`${counted(left, "second")} left in this conversation.`);
    remaining.hidden = false;
    say(remaining, left >= 60 ? `${Math.floor(left / 60)} min ${left % 60} s left` : `${left} s left`);
    if (left === 0) clearInterval(this.#timer);
  }

  #words() {
    if (this.#exactly) return `${this.count} of ${this.#exactly} messages`;
    if (this.count < this.#atLeast) return `${this.count} of at least ${this.#atLeast} messages`;
    return counted(this.count, "message");
  }
}
