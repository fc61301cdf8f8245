// <trade-off>: models by what they score and what that costs, with a line along those of which none is
// both better and cheaper. Its marks are made once and moved; its numbers also stand in the table.

import { partsOf, say } from "./parts.js";

const SVG = "http://www.w3.org/2000/svg";
const WORDS = { throughput: "faster", memory: "smaller", fairness: "fairer", robustness: "more robust" };
const LONGEST = 22;
const NARROW = 520;
// Values that differ by more than this factor are drawn on a logarithmic scale.
const MANIFOLD = 8;

class TradeOff extends HTMLElement {
  #parts;
  #room = { width: 0, height: 0 };
  #seen;
  #svg;
  #layers;
  #dots = new Map();
  #wide = new Map();
  #pen = document.createElement("canvas").getContext("2d");
  #drawn = "";
  #models = [];
  #direction = 1;
  #lit = "";

  connectedCallback() {
    this.#parts = partsOf(this);
    this.#pen.font = `650 12px ${getComputedStyle(this).fontFamily}`;
    this.#svg = made("svg", { role: "img" });
    const [grid, area, line, dots, labels] = ["g", "path", "path", "g", "g"].map((name) => made(name));
    area.setAttribute("class", "front-area");
    line.setAttribute("class", "front-line");
    this.#layers = { grid, area, line, dots, labels };
    this.#svg.append(grid, area, line, dots, labels);
    this.#parts.plot.append(this.#svg);
    this.#seen = new ResizeObserver(([{ contentRect: { width, height } }]) => {
      this.#room = { width: Math.floor(width), height: Math.floor(height) };
      this.#draw();
    });
    this.#seen.observe(this.#parts.plot);
  }

  disconnectedCallback() {
    this.#seen.disconnect();
  }

  get #chosen() {
    return this.querySelector("input:checked");
  }

  // The place of the metric that is drawn across.
  get metric() {
    return Number(this.#chosen.value);
  }

  // Models as { key, name, across, up }; a direction of -1 says that less is better.
  draw(models, direction) {
    this.#models = models.filter(({ name, across, up }) => name && Number.isFinite(across) && Number.isFinite(up));
    this.#direction = direction;
    this.#draw();
  }

  light(key = "") {
    if (key === this.#lit) return;
    this.#dots.get(this.#lit)?.node.classList.remove("lit");
    this.#dots.get(key)?.node.classList.add("lit");
    this.#lit = key;
  }

  #draw() {
    const models = this.#models;
    const { width, height } = this.#room;
    const found = front(models, this.#direction);
    const names = found.map(({ name }) => name);
    const { key, title, unit } = this.#chosen.dataset;
    const words = WORDS[key] ?? `ahead in ${title.toLowerCase()}`;
    const have = found.length === 1 ? "model has" : "models have";
    const finding = `${found.length} of ${models.length} ${have} none that is both better and ${words}`;
    say(this.#parts.finding, models.length ? finding : "No model has both a score and this measure");
    if (!width) return;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("aria-label", `${finding}: ${names.join(", ")}. The table has the same numbers.`);
    const box = { left: 36, right: width - (width < NARROW ? 12 : 96), top: 10, bottom: height - 34 };
    const across = axis(models.map((model) => model.across), box.left, box.right, { flip: this.#direction < 0, mayBend: true });
    const up = axis(models.map((model) => model.up), box.bottom, box.top);
    this.#drawGrid(box, across, up, { title: title.toLowerCase(), unit, width, height });
    const placed = new Map(models.map((model) => [model.key, { ...model, x: across.at(model.across), y: up.at(model.up) }]));
    this.#drawDots(placed, new Set(found.map((model) => model.key)));
    this.#drawFront(found.map((model) => placed.get(model.key)), box);
    this.#label(found.map((model) => placed.get(model.key)), [...placed.values()], box, width);
  }

  #drawGrid(box, across, up, { title, unit, width, height }) {
    const drawn = JSON.stringify([title, width, height, across.ticks.map(across.at), up.ticks.map(up.at), up.ticks]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const parts = [];
    for (const tick of up.ticks) {
      const y = up.at(tick);
      parts.push(made("line", { x1: box.left, x2: box.right, y1: y, y2: y }), text(tick, { x: box.left - 6, y: y + 4, "text-anchor": "end" }));
    }
    for (const tick of across.ticks) {
      const x = across.at(tick);
      parts.push(made("line", { x1: x, x2: x, y1: box.top, y2: box.bottom }), text(tick, { x, y: box.bottom + 15, "text-anchor": "middle" }));
    }
    const less = this.#direction < 0 ? " (less is to the right)" : "";
    const name = `${title[0].toUpperCase()}${title.slice(1)}${unit ? `, ${unit}` : ""}${less}`;
    parts.push(text(name, { x: box.right, y: height - 4, "text-anchor": "end" }));
    parts.push(text(width < NARROW ? "↑ score" : `↑ score, without ${title}`, { x: box.left, y: height - 4 }));
    this.#layers.grid.replaceChildren(...parts);
  }

  #drawDots(placed, onFront) {
    for (const [key, { name, x, y }] of placed) {
      const { node, at } = this.#dot(key, name);
      const next = [Math.round(x * 2) / 2, Math.round(y * 2) / 2, onFront.has(key)];
      if (next[0] !== at[0]) node.setAttribute("cx", next[0]);
      if (next[1] !== at[1]) node.setAttribute("cy", next[1]);
      if (next[2] !== at[2]) {
        node.setAttribute("r", next[2] ? 5.5 : 4);
        node.classList.toggle("ahead", next[2]);
      }
      this.#dots.get(key).at = next;
    }
    for (const [key, { node }] of this.#dots) if (!placed.has(key)) node.remove();
  }

  #dot(key, name) {
    if (!this.#dots.has(key)) {
      const node = made("circle", { "data-model": key });
      node.append(text(name, {}, "title"));
      this.#dots.set(key, { node, at: [] });
    }
    const dot = this.#dots.get(key);
    if (!dot.node.isConnected) this.#layers.dots.append(dot.node);
    return dot;
  }

  #drawFront(points, { left, bottom }) {
    const steps = points.map(({ x, y }, at) => (at ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)} ${bottom}V${y.toFixed(1)}`));
    const line = points.length ? `${steps.join("")}H${left}` : "";
    this.#layers.line.setAttribute("d", line);
    this.#layers.area.setAttribute("d", line && `${line}V${bottom}z`);
  }

  // A name stands where it covers neither another name nor a mark; where there is no room, in the table.
  #label(points, all, box, width) {
    const taken = [];
    const labels = [];
    for (const { name, x, y } of points) {
      const shown = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
      const wide = this.#width(shown);
      const isFree = ([from, base]) =>
        from > box.left && from + wide < width && base > box.top + 8 && base < box.bottom - 4 &&
        !taken.some((other) => Math.abs(other.base - base) < 15 && from < other.to && from + wide > other.from) &&
        !all.some((other) => other.name !== name && other.x > from - 7 && other.x < from + wide + 7 && Math.abs(other.y - base + 4) < 12);
      const place = [[x + 9, y - 7], [x + 9, y + 4], [x - 9 - wide, y + 16], [x - 9 - wide, y - 8]].find(isFree);
      if (!place) continue;
      taken.push({ base: place[1], from: place[0], to: place[0] + wide });
      labels.push(text(shown, { x: place[0].toFixed(1), y: place[1].toFixed(1) }));
    }
    this.#layers.labels.setAttribute("class", "labels");
    this.#layers.labels.replaceChildren(...labels);
  }

  #width(name) {
    if (!this.#wide.has(name)) this.#wide.set(name, this.#pen.measureText(name).width + 2);
    return this.#wide.get(name);
  }
}

// Models of which none is better in both, from the cheapest on; equal ones stand side by side.
function front(models, direction) {
  const good = ({ across }) => direction * across;
  const sorted = [...models].sort((one, other) => good(other) - good(one) || other.up - one.up);
  let last = null;
  return sorted.filter((model) => {
    const isAhead = !last || model.up > last.up || (model.up === last.up && good(model) === good(last));
    if (isAhead) last = model;
    return isAhead;
  });
}

// Where values stand between two ends, and the round numbers beside which lines are drawn.
function axis(values, from, to, { flip = false, mayBend = false } = {}) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const bends = mayBend && low > 0 && high / low > MANIFOLD;
  const scaled = bends ? Math.log : (value) => value;
  const room = (scaled(high) - scaled(low)) * 0.05 || 1;
  const [first, last] = [scaled(low) - room, scaled(high) + room];
  const at = (value) => {
    const share = (scaled(value) - first) / (last - first);
    return from + (flip ? 1 - share : share) * (to - from);
  };
  const ticks = bends ? powers(low, high) : rounds(first, last);
  return { at, ticks: ticks.filter((tick) => scaled(tick) >= first && scaled(tick) <= last) };
}

function rounds(low, high) {
  const rough = (high - low) / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) found.push(Number((at * step).toPrecision(6)));
  return found;
}

function powers(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    found.push(...[1, 3].map((each) => Number((each * 10 ** power).toPrecision(2))));
  }
  return found;
}

function made(name, attributes = {}) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function text(words, attributes, name = "text") {
  const node = made(name, attributes);
  node.textContent = String(words);
  return node;
}

customElements.define("trade-off", TradeOff);
