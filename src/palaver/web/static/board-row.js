// A row of a board that the server has drawn: it remembers what it says, and only what differs is
// written, so that a slider's move costs as little as it changes.

import { between, NOTHING, number, ranks } from "./board-numbers.js";

export class BoardRow {
  #nodes = new Map();
  #said = new Map();
  #heat = [];
  #steps = [];
  #drawing;
  #at = "";
  #why;
  #digits;

  // `digits` are those of the score and of each metric, where they are not what a glance sees.
  constructor(tr, digits) {
    this.tr = tr;
    this.#digits = digits;
    this.key = tr.dataset.model;
    const name = tr.querySelector("[data-part=name]");
    this.name = name.textContent;
    this.words = tr.querySelector(".model-line").textContent.toLowerCase();
    for (const node of tr.querySelectorAll("[data-field], [data-range]")) {
      const { field, range } = node.dataset;
      const key = field ?? `${range} range`;
      this.#nodes.set(key, node);
      this.#said.set(key, node.textContent);
    }
    for (const cell of tr.querySelectorAll("[data-heat]")) this.#heat[cell.dataset.heat] = cell;
    this.#drawing = tr.querySelector(".mini");
    this.#why = tr.querySelector("[data-part=reasons]");
    this.lanes = tr.querySelector(".lanes");
    this.isRanked = !tr.classList.contains("unranked");
  }

  #say(key, text) {
    if (!this.#nodes.has(key) || this.#said.get(key) === text) return;
    this.#said.set(key, text);
    this.#nodes.get(key).textContent = text;
  }

  said(key) {
    return this.#said.get(key);
  }

  // The heat of a metric, from 0 for the worst of its column to 8.
  warm(metric, step) {
    if (!this.#heat[metric] || this.#steps[metric] === step) return;
    this.#steps[metric] = step;
    this.#heat[metric].className = `heat h${step}`;
  }

  show(rank, score, values) {
    this.#rank(true);
    this.#say("rank", Number.isFinite(score) ? String(rank) : NOTHING);
    this.#say("score", number(score, this.#digits.score));
    this.#average(values);
  }

  settle({ rank_interval: ends }, standing, averages) {
    this.#say("rank range", ranks(ends));
    this.#say("score range", between(standing.interval, this.#digits.score));
    this.#between(averages);
  }

  // Without a rank it still has the averages that it has.
  leaveOut(reasons, values, averages = null) {
    this.#rank(false);
    for (const key of ["rank", "score"]) this.#say(key, NOTHING);
    for (const key of ["rank range", "score range"]) this.#say(key, "");
    this.#average(values);
    if (averages) this.#between(averages);
    const text = reasons ? `Not ranked: ${reasons.join("; ")}.` : "Not ranked under these weights.";
    if (this.#why.textContent !== text) this.#why.textContent = text;
  }

  #average(values) {
    values.forEach((value, metric) => this.#say(`m${metric}`, number(value, this.#digits.m[metric])));
  }

  #between(averages) {
    averages.forEach((one, metric) => this.#say(`m${metric} range`, between(one?.interval, this.#digits.m[metric])));
  }

  #rank(isRanked) {
    if (isRanked === this.isRanked) return;
    this.isRanked = isRanked;
    this.tr.classList.toggle("unranked", !isRanked);
    this.#drawing.toggleAttribute("hidden", !isRanked);
    this.#why.hidden = isRanked;
  }

  // Where its score stands and, once the server has said it, its interval: shares of the width.
  draw(at, ends = null) {
    const [, line, dot] = this.#drawing.children;
    if (this.#at !== at) dot.setAttribute("cx", at);
    this.#at = at;
    if (!ends) return;
    line.setAttribute("x1", ends[0]);
    line.setAttribute("x2", ends[1]);
  }
}
