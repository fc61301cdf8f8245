// <live-progress data-url>: keeps a study's progress and its running dialogues up to date. The
// server has drawn both; only cells that differ are touched, and nothing is said to a screen reader
// that did not ask.

import { showMoment } from "./moments.js";
import { partsOf, say } from "./parts.js";
import { Polling } from "./polling.js";

const EVERY = 2000;
const count = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

class LiveProgress extends HTMLElement {
  #parts;
  #polling = null;

  connectedCallback() {
    this.#parts = partsOf(this);
    if (!this.dataset.url) return;
    this.#polling = new Polling({
      url: () => this.dataset.url,
      every: EVERY,
      heard: (study) => this.#show(study),
      failed: (signedOut) => this.#stale(signedOut),
    });
    this.#polling.start();
  }

  disconnectedCallback() {
    this.#polling?.stop();
  }

  #show(study) {
    const state = document.getElementById("study-state");
    say(state, study.state);
    document.title = `${this.dataset.title}: ${study.state} · Palaver`;
    for (const condition of study.conditions) this.#condition(condition);
    if (this.#parts.waiting) say(this.#parts.waiting, count.format(study.waiting ?? 0));
    say(this.#parts["running-count"], count.format(study.running_count));
    this.#running(study.running);
    say(this.#parts.connection, `Updated ${clock.format(new Date())}`);
  }

  #condition({ condition, needed, done, held, free }) {
    const row = [...(this.#parts.conditions?.children ?? [])].find((one) => one.dataset.name === condition);
    if (!row) return;
    cell(row, "needed", needed === null ? "no limit" : count.format(needed));
    cell(row, "done", count.format(done));
    cell(row, "held", count.format(held));
    cell(row, "free", free === null ? "–" : count.format(free));
    const bar = row.querySelector("progress");
    if (bar) bar.value = done;
  }

  #running(dialogues) {
    const body = this.#parts.running;
    const known = new Map([...body.children].map((row) => [row.dataset.key, row]));
    dialogues.forEach((dialogue, place) => {
      const row = known.get(dialogue.key) ?? this.#row(dialogue);
      known.delete(dialogue.key);
      if (body.children[place] !== row) body.insertBefore(row, body.children[place] ?? null);
      cell(row, "messages", count.format(dialogue.messages));
      const time = row.querySelector("time");
      if (time.dateTime !== dialogue.last.iso) {
        time.dateTime = dialogue.last.iso;
        showMoment(time);
      }
    });
    for (const row of known.values()) row.remove();
    this.#parts["running-frame"].hidden = dialogues.length === 0;
    this.#parts["running-none"].hidden = dialogues.length > 0;
  }

  #row({ key, url, condition }) {
    const row = this.#parts["running-row"].content.firstElementChild.cloneNode(true);
    row.dataset.key = key;
    const link = row.querySelector("a");
    link.href = url;
    link.textContent = key;
    row.querySelector('[data-field="condition"]').textContent = condition;
    return row;
  }

  #stale(signedOut) {
    const text = signedOut
      ? "You are signed out; reload to sign in."
      : "The numbers could not be refreshed; trying again.";
    say(this.#parts.connection, text);
  }
}

function cell(row, field, text) {
  const node = row.querySelector(`[data-field="${field}"]`);
  if (node.textContent === text) return;
  node.textContent = text;
  node.classList.add("changed");
  node.addEventListener("animationend", () => node.classList.remove("changed"), { once: true });
}

customElements.define("live-progress", LiveProgress);
