// <live-board data-url>: asks for the board every two seconds and changes only the cells that
// differ. What matters (the answer, the state, the truth) is said to a screen reader; counts are not.

import "./interval-figure.js";
import { partsOf, say } from "./parts.js";
import { Polling } from "./polling.js";

const EVERY = 2000;
const SETTLED_EVERY = 10_000;
const RATERS = { all: "all raters", people: "people", simulated: "simulated raters" };
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const count = new Intl.NumberFormat("en");
const percent = (share) => (share === null ? "–" : `${(share * 100).toFixed(1)} %`);
const between = (low, high) => `${percent(low)} to ${percent(high)}`;
const counted = (number, noun) => `${count.format(number)} ${noun}${number === 1 ? "" : "s"}`;
const PHONE = "(max-width: 719px)";
// On a phone more pairs than these are folded away.
const FEW_PAIRS = 3;

// As `evidence` and `waiting_words` of the server write them.
function evidence(value) {
  if (value === null) return "–";
  if (value >= 1000) return "over 1,000";
  return value >= 10 ? value.toFixed(0) : value < 0.01 ? "under 0.01" : value.toFixed(2);
}

function waitingWords(votes) {
  if (votes === 0) return "";
  return votes === 1 ? "1 vote waits: its rater is still at work." : `${count.format(votes)} votes wait: their raters are still at work.`;
}

const places = (rank) => (rank === null ? "–" : rank[0] === rank[1] ? `${rank[0]}` : `${rank[0]} to ${rank[1]}`);
const verdict = ({ higher, decided, equal }) => (decided ? `${higher} is better` : equal ? "equal within the margin" : "open");

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
    const { pairs, "pair-rows": rows } = this.#parts;
    if (matchMedia(PHONE).matches && rows.children.length > FEW_PAIRS) pairs.open = false;
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
    this.#stop(board.stop);
    this.#inference(board);
    this.#rows(board.systems);
    this.#pairs(board.pairs);
    this.#chart.draw();
    this.#summarise(board, hasTruth);
  }

  // That the study's rule has stopped it, and what was decided then.
  #stop(stop) {
    const parts = this.#parts;
    parts.stop.hidden = !stop;
    if (!stop) return;
    say(parts["stop-words"], stop.words);
    say(parts["stop-time"], moment.format(new Date(stop.time * 1000)));
  }

  // Which intervals these are, what is not in them yet, and what to know of them.
  #inference({ votes, voters, waiting, intervals, inference, method, warnings = [] }) {
    const parts = this.#parts;
    parts.which.hidden = votes === 0;
    say(parts.voters, voters ? ` by ${counted(voters, "rater")}` : "");
    say(parts.intervals, intervals);
    say(parts.waiting, waitingWords(waiting));
    say(parts.method, method);
    for (const node of this.querySelectorAll("[data-for]")) node.hidden = node.dataset.for !== inference;
    const said = [...parts.warnings.children].map((node) => node.textContent.trim());
    if (said.join("\n") === warnings.join("\n")) return;
    parts.warnings.replaceChildren(...warnings.map((text) => {
      const node = parts["warning-template"].content.firstElementChild.cloneNode(true);
      node.querySelector("p").textContent = text;
      return node;
    }));
  }

  #pairs(pairs) {
    const { pairs: section, "pair-rows": body, "pair-template": template, "pair-count": said } = this.#parts;
    section.hidden = pairs.length === 0;
    const open = pairs.filter((pair) => !pair.decided && !pair.equal).length;
    say(said, `${counted(pairs.length, "pair")}, ${open} open`);
    while (body.children.length > pairs.length) body.lastElementChild.remove();
    while (body.children.length < pairs.length) body.append(template.content.firstElementChild.cloneNode(true));
    pairs.forEach((pair, place) => {
      const row = body.children[place];
      say(row.querySelector("th"), `${pair.higher} – ${pair.lower}`);
      this.#cell(row, "verdict", verdict(pair));
      this.#cell(row, "direct", percent(pair.rate.value));
      this.#cell(row, "between", pair.rate.interval ? between(...pair.rate.interval) : "–");
      this.#cell(row, "compared", count.format(pair.rate.n));
      this.#cell(row, "evidence", evidence(pair.e_value));
    });
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

  #fill(row, { wins, ties, losses, n, rate, low, high, truth, rank, reason }) {
    const interval = low === null ? reason || "–" : between(low, high);
    this.#cell(row, "rank", places(rank));
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
