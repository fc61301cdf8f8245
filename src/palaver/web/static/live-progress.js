// <live-progress data-url>: keeps a study's progress and its running dialogues up to date. The
// server has drawn both; only cells that differ are touched, and nothing is said to a screen reader
// that did not ask.

import { showMoment } from "./moments.js";
import { partsOf, say, saySignedOut } from "./parts.js";
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

  #show({ study, waiting, running }) {
    say(document.getElementById("study-state"), study.state);
    document.title = `${this.dataset.title}: ${study.state} · Palaver`;
    for (const condition of study.conditions) this.#condition(condition);
    if (this.#parts.waiting) say(this.#parts.waiting, count.format(waiting ?? 0));
    if (this.#parts.running) {
      say(this.#parts["running-count"], count.format(study.running));
      this.#running(running, study.conditions.reduce((sum, { held }) => sum + held, 0));
    }
    say(this.#parts.connection, `Updated ${clock.format(new Date())}`);
  }

  #condition({ condition, needed, done, held, scenarios, scenarios_done: finished }) {
    const row = [...(this.#parts.conditions?.children ?? [])].find((one) => one.dataset.name === condition);
    if (!row) return;
    const of = needed === null ? "" : ` of ${count.format(needed)}`;
    field(row, "progress", `${count.format(done)}${of}${held ? `, ${count.format(held)} under way` : ""}`);
    if (scenarios) {
      const all = `${count.format(scenarios)} scenario${scenarios === 1 ? "" : "s"}`;
      field(row, "scenarios", `${count.format(finished)} of ${all} complete`);
    }
    const whole = Math.max(needed ?? 0, done + held, 1);
    row.querySelector(".done")?.setAttribute("width", (100 * done) / whole);
    row.querySelector(".running")?.setAttribute("width", (100 * (done + held)) / whole);
  }

  #running(dialogues, held) {
    const body = this.#parts.running;
    const known = new Map([...body.children].map((row) => [row.dataset.key, row]));
    dialogues.forEach((dialogue, place) => {
      const row = known.get(dialogue.key) ?? this.#row(dialogue);
      known.delete(dialogue.key);
      if (body.children[place] !== row) body.insertBefore(row, body.children[place] ?? null);
      field(row, "messages", count.format(dialogue.messages));
      const time = row.querySelector("time");
      const last = new Date(1000 * (dialogue.last ?? dialogue.created));
      if (new Date(time.dateTime).getTime() !== last.getTime()) {
        time.dateTime = last.toISOString();
        showMoment(time);
      }
    });
    for (const row of known.values()) row.remove();
    this.#parts["running-table"].hidden = dialogues.length === 0;
    this.#parts["running-none"].hidden = dialogues.length > 0;
    this.#parts.held.hidden = held === 0;
  }

  #row({ key, name, condition }) {
    const row = this.#parts["running-row"].content.firstElementChild.cloneNode(true);
    row.dataset.key = key;
    const link = row.querySelector("a");
    link.href = this.dataset.dialogues + key;
    link.textContent = name;
    link.title = key;
    row.querySelector('[data-field="condition"]').textContent = condition;
    return row;
  }

  #stale(signedOut) {
    if (signedOut) saySignedOut(this.#parts.connection);
    else say(this.#parts.connection, "The numbers could not be refreshed; trying again.");
  }
}

function field(row, name, text) {
  const node = row.querySelector(`[data-field="${name}"]`);
  if (node.textContent === text) return;
  node.textContent = text;
  node.classList.add("changed");
  node.addEventListener("animationend", () => node.classList.remove("changed"), { once: true });
}

customElements.define("live-progress", LiveProgress);
