// How far a room has come, wherever the page shows it: messages so far, the Finish button, the time
// left.

import { counted } from "./durations.js";
import { partsOf, say } from "./parts.js";

const SHOW_BELOW = 120;

export class ChatProgress {
  #parts;
  #places;
  #exactly;
  #atLeast;
  #timer = null;
  #announced = false;
  count = 0;

  constructor(parts, { room, exactly, atLeast, announce }) {
    this.#parts = parts;
    this.#places = [...document.querySelectorAll(`[data-progress="${room}"]`)].map((place) => ({
      ...partsOf(place),
      short: "short" in place.dataset,
    }));
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
    for (const { count, beads, progress, short } of this.#places) {
      say(count, this.#words(short));
      if (progress) progress.value = this.count;
      [...(beads?.children ?? [])].forEach((bead, place) => {
        bead.className = place < this.count ? "done" : place === this.count ? "now" : "";
      });
    }
    const left = this.#atLeast - this.count;
    const note = this.#parts["finish-note"];
    if (note) say(note, left > 0 ? `${left} more to finish.` : "");
  }

  countDown(seconds) {
    this.stop();
    if (seconds === null || seconds === undefined) return;
    const end = performance.now() + seconds * 1000;
    this.#timer = setInterval(() => this.#tick((end - performance.now()) / 1000), 1000);
    this.#tick(seconds);
  }

  stop() {
    clearInterval(this.#timer);
    for (const { remaining } of this.#places) remaining.hidden = true;
  }

  #tick(seconds) {
    if (seconds > SHOW_BELOW) return;
    const left = Math.max(0, Math.ceil(seconds));
    if (!this.#announced) this.announce(`${counted(left, "second")} left in this conversation.`);
    this.#announced = true;
    for (const { remaining } of this.#places) {
      remaining.hidden = false;
      say(remaining, left >= 60 ? `${Math.floor(left / 60)} min ${left % 60} s left` : `${left} s left`);
    }
    if (left === 0) clearInterval(this.#timer);
  }

  #words(short) {
    const target = this.#exactly || (this.count < this.#atLeast && this.#atLeast);
    if (!target) return counted(this.count, "message");
    if (short) return `${this.count} of ${target}`;
    return `${this.count} of ${this.#exactly ? "" : "at least "}${target} messages`;
  }
}
