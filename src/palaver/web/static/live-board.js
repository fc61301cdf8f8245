// <live-board data-url>: asks for the board every two seconds and changes only the cells that
// differ. What matters (the answer, the state, the truth) is said to a screen reader; counts are not.

import "./interval-figure.js";
import { partsOf, say } from "./parts.js";
import { Polling } from "./polling.js";

const EVERY = 2000;
const SETTLED_EVERY = 10_000;
const RATERS = { all: "all raters", people: "people", simulated: "simulated raters" };
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const count = new Intl.NumberFormat("en");
const percent = (share) => (share === null ? "–" : `${(share * 100).toFixed(1)} %`);

class LiveBoard extends HTMLElement {
  #parts;
  #table;
  #chart;
  #polling = null;
  #settled = false;
  #updated = null;
  #said = "";

  connectedCallback() {
    this.#parts = partsOf(this);
    this.#table = this.querySelector("table");
    this.#chart = this.querySelector("interval-figure");
    if (!this.dataset.url) return;
    this.#polling = new Polling({
      url: () => this.dataset.url,
      every: () => (this.#settled ? SETTLED_EVERY : EVERY),
      heard: (board) => this.#show(board),
      failed: () => this.#stale(),
    });
    this.#polling.start({ now: true });
  }

  disconnectedCallback() {
    this.#polling?.stop();
  }

  #show(board) {
    const { votes, needed, state, answer, raters, connection } = this.#parts;
    say(votes, count.format(board.votes));
    say(needed, board.needed === null ? "" : ` of ${count.format(board.needed)}`);
    say(state, board.state);
    this.#settled = board.state === "final";
    state.classList.toggle("good", board.state === "final");
    say(answer, board.answer || "No comparisons yet");
    say(raters, RATERS[board.raters]);
    this.#updated = clock.format(new Date(board.updated * 1000));
    say(connection, `Updated ${this.#updated}`);
    document.title = `${votes.textContent}${needed.textContent} comparisons · ${board.state} · ${board.title}`;
    const hasTruth = board.systems.some((row) => row.truth !== null);
    this.#table.classList.toggle("with-truth", hasTruth);
    this.#parts["truth-note"].hidden = !hasTruth;
    this.#rows(board.systems);
    this.#chart.draw();
    this.#summarise(board, hasTruth);
  }

  #stale() {
    const since = this.#updated ? ` Shown: ${this.#updated}.` : "";
    say(this.#parts.connection, `The board could not be refreshed; trying again.${since}`);
  }

  #rows(systems) {
    const body = this.#parts.rows;
    systems.forEach((system, place) => {
      const row = this.#row(system.system);
      if (body.children[place] !== row) body.insertBefore(row, body.children[place] ?? null);
      this.#fill(row, system);
    });
    while (body.children.length > systems.length) body.lastElementChild.remove();
    const empty = this.#parts["no-systems"];
    if (empty) empty.hidden = systems.length > 0;
  }

  #row(name) {
    const known = [...this.#parts.rows.children].find((row) => row.dataset.system === name);
    if (known) return known;
    const row = this.#parts["row-template"].content.firstElementChild.cloneNode(true);
    row.dataset.system = name;
    row.querySelector("th").textContent = name;
    return row;
  }

  #fill(row, { wins, ties, losses, n, rate, low, high, truth }) {
    const interval = low === null ? "–" : `${percent(low)} to ${percent(high)}`;
    this.#cell(row, "wins", count.format(wins));
    this.#cell(row, "ties", count.format(ties));
    this.#cell(row, "losses", count.format(losses));
    this.#cell(row, "n", count.format(n));
    this.#cell(row, "rate", percent(rate));
    this.#cell(row, "interval", interval, { value: rate, low, high });
    this.#cell(row, "truth", percent(truth), { truth });
  }

  #cell(row, field, text, values = {}) {
    const cell = row.querySelector(`[data-field="${field}"]`);
    for (const [name, value] of Object.entries(values)) cell.dataset[name] = value ?? "";
    if (cell.textContent === text) return;
    cell.textContent = text;
    cell.classList.add("changed");
    cell.addEventListener("animationend", () => cell.classList.remove("changed"), { once: true });
  }

  #summarise(board, hasTruth) {
    const truth = hasTruth ? " The true win rates are shown." : "";
    const text = `${board.answer || "No comparisons yet"}. The board is ${board.state}.${truth}`;
    const first = this.#said === "";
    if (text === this.#said) return;
    this.#said = text;
    if (!first) say(this.#parts.summary, text);
  }
}

customElements.define("live-board", LiveBoard);
