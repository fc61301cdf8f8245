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

  constructor(tr) {
    this.tr = tr;
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
    if (this.#said.get(key) === text) return;
    this.#said.set(key, text);
    this.#nodes.get(key).textContent = text;
  }

  said(key) {
    return this.#said.get(key);
  }

  // The heat of a metric, from 0 for the worst of its column to 8.
  warm(metric, step) {
    if (this.#steps[metric] === step) return;
    this.#steps[metric] = step;
    this.#heat[metric].className = `heat h${step}`;
  }

  show(rank, score, values) {
    this.#rank(true);
    this.#say("rank", Number.isFinite(score) ? String(rank) : NOTHING);
    this.#say("score", number(score));
    values.forEach((value, metric) => this.#say(`m${metric}`, number(value)));
  }

  settle({ rank_interval: ends, dynascore: score }, averages) {
    this.#say("rank range", ranks(ends));
    this.#say("score range", between(score.interval));
    averages.forEach(({ interval }, metric) => this.#say(`m${metric} range`, between(interval)));
  }

  leaveOut(reasons) {
    this.#rank(false);
    for (const key of this.#nodes.keys()) this.#say(key, key.endsWith(" range") ? "" : NOTHING);
    this.#heat.forEach((_, metric) => this.warm(metric, 0));
    const text = reasons ? `Not ranked: ${reasons.join("; ")}.` : "Not ranked under these weights.";
    if (this.#why.textContent !== text) this.#why.textContent = text;
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
