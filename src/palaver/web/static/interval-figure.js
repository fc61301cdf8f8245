// <interval-figure data-figure>: dots with their intervals, drawn at the width there is. Names stand
// left and numbers right; where it is narrow both stand above their line, never over it.
//
// data-figure = {rows, low, high, ticks, reference, unit, percent, places, marks, missing, table}
//   rows: [{name, note, told, points: [{value, low, high, mark, label, tick, truth}]}]
//   percent: values are shares; they are written as percentages
//   marks: names of the marks 1, 2, …; low, high and ticks are chosen here where none are given
//   dense: more marks than one can tell apart; each row is a band of thin lines from low to high
//   table: id of the table to read instead of rows. A cell with data-low (and data-value, data-high)
//     is a point, one with data-truth a known value, one with data-tick a thin line, one with
//     data-note what is said of the row.
// Where the table changes, call draw().

import { save } from "./save-file.js";

const SVG = "http://www.w3.org/2000/svg";
const NARROW = 480;
const AXIS = 26;
const COLOURS = 6;
const MOST_SAID = 24;

// The six shapes, around 0 0 and about as large as a circle of radius 1; see `symbol` for more marks.
const SHAPES = [
  "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
  "M-.9-.9h1.8v1.8h-1.8z",
  "M0-1.25L1.25 0 0 1.25-1.25 0z",
  "M0-1.15L1.15.85h-2.3z",
  "M0 1.15L1.15-.85h-2.3z",
  "M-.4-1.1h.8v.7h.7v.8h-.7v.7h-.8v-.7h-.7v-.8h.7z",
];

class IntervalFigure extends HTMLElement {
  #observer = new ResizeObserver(() => this.draw());
  #drawn = "";

  connectedCallback() {
    this.#observer.observe(this);
    const button = this.closest("figure")?.querySelector('[data-tool="svg"]');
    button?.addEventListener("click", () => this.#save());
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  draw() {
    const figure = read(this);
    this.hidden = figure.rows.length === 0;
    const width = Math.floor(this.clientWidth);
    const drawn = `${width} ${JSON.stringify(figure)}`;
    if (width === 0 || this.hidden || drawn === this.#drawn) return;
    this.#drawn = drawn;
    const label = summary(this.getAttribute("label") ?? "", figure);
    this.replaceChildren(...this.#key(figure), chart(figure, width, label, getComputedStyle(this).fontFamily));
  }

  // The key may come from the server; then only its shapes are missing.
  #key({ marks, dense }) {
    if (marks.length === 0 || dense) return [];
    const key = this.querySelector(".figure-key") ?? document.createElement("p");
    key.className = "figure-key";
    if (key.children.length !== marks.length) {
      key.replaceChildren(...marks.map((name) => {
        const item = document.createElement("span");
        item.append(make("svg", { width: 14, height: 14 }), name);
        return item;
      }));
    }
    [...key.children].forEach((item, place) => {
      item.querySelector("svg").setAttribute("aria-hidden", "true");
      item.querySelector("svg").replaceChildren(make("g", { class: colour(place + 1) }, ...symbol(place + 1, 7, 7, 5)));
    });
    return [key];
  }

  #save() {
    const { marks, dense } = read(this);
    const name = this.dataset.name ?? this.closest("figure")?.id ?? "";
    save(standalone(this.querySelector("svg.chart"), dense ? [] : marks), "image/svg+xml", `${name || "figure"}.svg`);
  }
}

// What is drawn, from the attribute or from the page's own table.
function read(element) {
  const given = JSON.parse(element.dataset.figure ?? "{}");
  const table = given.table ? document.getElementById(given.table) : null;
  const rows = table ? rowsOf(table) : (given.rows ?? []);
  const several = rows.some((row) => row.points.length > 1);
  const marks = given.marks ?? (several && table ? rows[0].points.map((point) => point.label) : []);
  const figure = { unit: given.percent ? " %" : "", missing: "no data", ...given, marks, rows, several };
  const times = given.percent ? 100 : 1;
  figure.rows = rows.map((row) => ({ ...row, points: row.points.map((point, place) => scaled(point, times, several ? place + 1 : undefined)) }));
  for (const end of ["low", "high", "reference"]) figure[end] = times * (number(given[end]) ?? NaN);
  figure.ticks = given.ticks?.map((tick) => tick * times);
  return withAxis(figure);
}

function scaled(point, times, place) {
  const at = (value) => (number(value) === null ? null : number(value) * times);
  const { value, low, high, tick, truth, mark = place, label } = point;
  return { mark, label, value: at(value), low: at(low), high: at(high), tick: at(tick), truth: at(truth) };
}

function rowsOf(table) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  return [...table.querySelectorAll("tbody tr:not([data-no-figure])")].map((row) => {
    const one = (name) => row.querySelector(`[data-${name}]`);
    const points = [...row.querySelectorAll("[data-low]")].map((cell) => ({
      ...cell.dataset,
      label: heads[cell.cellIndex]?.textContent.trim(),
    }));
    if (points.length === 0) points.push({});
    points[0].truth = one("truth")?.dataset.truth;
    points[0].tick ??= one("tick")?.dataset.tick;
    const name = row.querySelector('th[scope="row"]') ?? row.cells[0];
    const note = one("note");
    return { name: name?.textContent.trim() ?? "", note: note?.textContent.trim(), told: note?.dataset.note === "told", points };
  });
}

const number = (value) => (value === null || value === undefined || value === "" || !Number.isFinite(Number(value)) ? null : Number(value));

// Ends and ticks that were not given: round numbers around everything that is drawn.
function withAxis(figure) {
  const values = figure.rows.flatMap((row) => row.points.flatMap(({ value, low, high, tick, truth }) => [value, low, high, tick, truth]));
  if (Number.isFinite(figure.reference)) values.push(figure.reference);
  const known = values.filter((value) => value !== null);
  let [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  if (low === high) [low, high] = [low - (Math.abs(low) / 10 || 1), high + (Math.abs(high) / 10 || 1)];
  const step = niceStep((Number.isFinite(figure.high) ? figure.high : high) - (Number.isFinite(figure.low) ? figure.low : low));
  if (!Number.isFinite(figure.low)) figure.low = Math.floor(low / step + 1e-9) * step;
  if (!Number.isFinite(figure.high)) figure.high = Math.ceil(high / step - 1e-9) * step;
  if (figure.high <= figure.low) figure.high = figure.low + 1;
  const span = figure.high - figure.low;
  figure.places ??= known.every(Number.isInteger) ? 0 : span < 0.5 ? 3 : span < 5 ? 2 : 1;
  return figure;
}

function niceStep(span, most = 5) {
  const size = 10 ** Math.floor(Math.log10(span / most));
  return [1, 2, 2.5, 5, 10].map((step) => step * size).find((step) => span / step <= most + 0.5);
}

function ticksBetween(low, high, step) {
  const first = Math.ceil(low / step - 1e-9);
  const length = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

function chart(figure, width, label, font) {
  const frame = layout(figure, width, font);
  const svg = make("svg", {
    class: "chart", role: "img", direction: "ltr", "aria-label": label,
    viewBox: `0 0 ${width} ${frame.height}`, width, height: frame.height,
  });
  svg.append(...axis(figure, frame));
  let y = AXIS;
  for (const [place, row] of figure.rows.entries()) {
    if (place) svg.append(make("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y }));
    svg.append(...drawRow(figure, frame, row, y));
    y += rowHeight(figure, row, frame.narrow);
  }
  return svg;
}

// The server reserves the same height: see `figure` in components.html.
function rowHeight(figure, row, narrow) {
  const lane = figure.several ? (figure.dense ? 4 : figure.marks.length > COLOURS ? 15 : 12) : 22;
  return row.points.length * lane + 14 + headHeight(figure, narrow);
}

// The words above the line of a row.
function headHeight({ rows }, narrow) {
  if (!narrow) return 0;
  return rows.some((row) => row.note) ? 34 : 18;
}

function layout(figure, width, font) {
  const narrow = width < NARROW;
  const wide = measure(font);
  const longest = (texts, bold) => Math.max(0, ...texts.map((text) => wide(text, bold)));
  const names = longest(figure.rows.map((row) => row.name), true);
  const words = longest(figure.rows.map((row) => row.note ?? values(figure, row).join(" ")), false);
  const noted = figure.rows.some((row) => row.note);
  const right = narrow || (figure.several && !noted) ? 12 : Math.min(words + 20, width * 0.36);
  const left = narrow ? 12 : Math.min(names + 20, width * 0.32);
  const height = AXIS + 4 + figure.rows.reduce((sum, row) => sum + rowHeight(figure, row, narrow), 0);
  const [from, to] = [left, width - right];
  const x = (value) => from + ((value - figure.low) / (figure.high - figure.low)) * (to - from);
  return { narrow, width, height, from, to, x, wide };
}

// Where it is narrow the lines of the axis leave out the words above each row.
function axis(figure, frame) {
  const { low, high, reference, unit } = figure;
  const { x, width, height, narrow, wide } = frame;
  const chosen = figure.ticks ?? ticksBetween(low, high, niceStep(high - low, narrow ? 3 : 5));
  const ticks = chosen.filter((tick) => tick >= low && tick <= high);
  const digits = Math.max(0, ...ticks.map((tick) => String(Math.abs(tick)).split(".")[1]?.length ?? 0));
  const labels = ticks.map((tick) => {
    const text = `${sign(tick, low)}${written(tick, digits)}${unit}`;
    const half = wide(text) / 2;
    return { text, half, at: Math.max(half, Math.min(width - half, x(tick))) };
  });
  const bands = [[AXIS - 6, narrow ? AXIS : height]];
  let y = AXIS;
  for (const row of narrow ? figure.rows : []) {
    const below = y + rowHeight(figure, row, narrow);
    bands.push([y + headHeight(figure, narrow) + 5, below]);
    y = below;
  }
  const upright = (kind, value) => bands.map(([y1, y2]) => make("line", { class: kind, x1: x(value), x2: x(value), y1, y2 }));
  const told = thinned(labels).map(({ text, at }) => make("text", { x: at, y: 13, "text-anchor": "middle" }, text));
  const lines = ticks.flatMap((tick) => upright("grid", tick));
  if (Number.isFinite(reference) && reference >= low && reference <= high) lines.push(...upright("zero", reference));
  return [...lines, ...told];
}

// Every second (third, …) label, from the last, where all do not fit beside each other.
function thinned(labels) {
  for (let every = 1; every < labels.length; every += 1) {
    const kept = labels.filter((_, place) => (labels.length - 1 - place) % every === 0);
    if (kept.every((label, place) => place === 0 || label.at - label.half > kept[place - 1].at + kept[place - 1].half + 8)) return kept;
  }
  return labels.slice(-1);
}

function drawRow(figure, frame, row, top) {
  const { narrow, width, to, from, wide } = frame;
  const height = rowHeight(figure, row, narrow);
  const head = headHeight(figure, narrow);
  const middle = top + head + (height - head) / 2;
  const line = narrow ? top + 17 : middle + 4;
  const [value, interval] = values(figure, row);
  const numbers = row.note || figure.several ? 0 : wide(`${value} ${interval}`) + 16;
  const nodes = [cut(row.name, narrow ? width - numbers : from - 14, { class: "name", x: 0, y: line }, wide, true)];
  if (row.note) {
    const place = narrow ? { x: 0, y: line + 16 } : { x: to + 14, y: line };
    nodes.push(cut(row.note, narrow ? width : width - to - 14, { class: row.told ? "em" : "", ...place }, wide));
  } else if (!figure.several) {
    const words = make("text", { class: "em", x: width, y: line, "text-anchor": "end" });
    words.append(make("tspan", { class: "value" }, value), ` ${interval}`);
    nodes.push(words);
  }
  const lane = (height - head - 14) / row.points.length;
  const points = figure.dense ? [...row.points].sort((one, other) => one.value - other.value) : row.points;
  points.forEach((point, place) => {
    const y = middle + (place - (row.points.length - 1) / 2) * lane;
    nodes.push(drawPoint(figure, frame, row, point, y));
  });
  return nodes;
}

function drawPoint(figure, frame, row, point, y) {
  const { low, high } = figure;
  const { x } = frame;
  const size = figure.dense ? 2 : figure.several ? 4.2 : 5.5;
  const mark = figure.dense ? undefined : point.mark;
  const group = make("g", { class: `${colour(mark)}${figure.dense ? " dense" : ""}` });
  const name = [row.name, figure.marks[point.mark - 1] ?? (figure.several ? point.label : "")].filter(Boolean).join(", ");
  group.append(make("title", {}, `${name}: ${spoken(figure, point)}`));
  const upright = (kind, at, reach) => make("line", { class: kind, x1: x(at), x2: x(at), y1: y - reach, y2: y + reach });
  if (point.tick !== null && point.tick >= low && point.tick <= high) group.append(upright("hair", point.tick, 9));
  if (point.low !== null && point.high !== null && point.low <= high && point.high >= low) {
    const ends = [Math.max(low, point.low), Math.min(high, point.high)];
    group.append(make("line", { class: "iv", x1: x(ends[0]), x2: x(ends[1]), y1: y, y2: y }));
    // An arrow: it goes on beyond the axis. A bar: it ends at the very end of the axis, or has no width.
    for (const [end, beyond, way] of [[ends[0], point.low < low, -1], [ends[1], point.high > high, 1]]) {
      if (beyond) group.append(arrow(x(end), y, way, "iv"));
      else if (!figure.dense && (end === low || end === high || point.low === point.high)) group.append(upright("iv", end, 8));
    }
  }
  if (point.value !== null && point.value >= low && point.value <= high) group.append(...symbol(mark, x(point.value), y, size));
  else if (point.value !== null) group.append(arrow(x(point.value < low ? low : high), y, point.value < low ? -1 : 1, "pt"));
  if (point.truth !== null) {
    group.append(shape(2, x(Math.max(low, Math.min(high, point.truth))), y, 5.5, "truth"));
  }
  return group;
}

const arrow = (x, y, way, kind) => make("path", { class: kind, d: `M${x} ${y - 5}l${way * 8} 5l${-way * 8} 5${kind === "pt" ? "z" : ""}` });

// Six marks have their own colour and shape; the next ones take the colours again, with a letter.
const colour = (mark) => (mark ? `series-${((mark - 1) % COLOURS) + 1}` : "series-own");

function symbol(mark, x, y, size) {
  if (!mark || mark <= COLOURS) return [shape((mark ?? 1) - 1, x, y, size, "pt")];
  const letter = String.fromCharCode(97 + ((mark - COLOURS - 1) % 26));
  return [shape(0, x, y, 6.5, "pt hollow"), make("text", { class: "letter-mark", x, y: y + 3, "text-anchor": "middle" }, letter)];
}

function shape(place, x, y, size, kind) {
  return make("path", { class: kind, d: SHAPES[place], transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${size})` });
}

const written = (value, places) => (Math.abs(value) < 0.5 / 10 ** places ? 0 : value).toFixed(places).replace("-", "−");
const sign = (value, low) => (value > 0 && low < 0 ? "+" : "");

function values(figure, row) {
  const { places, low: start, unit, missing } = figure;
  const [{ value, low, high }] = row.points;
  if (value === null) return [missing, ""];
  const interval = low === null || high === null ? "" : `(${written(low, places)} to ${written(high, places)})`;
  return [`${sign(value, start)}${written(value, places)}${unit}`, interval];
}

function spoken(figure, point) {
  const [value, interval] = values(figure, { points: [point] });
  const known = point.truth === null ? "" : `, true ${written(point.truth, figure.places)}${figure.unit}`;
  return `${value}${interval ? ` ${interval.slice(1, -1)}` : ""}${known}`.replace(`${figure.unit} `, `${figure.unit}, `);
}

function summary(label, figure) {
  const points = figure.rows.flatMap((row) => row.points.map((point) => ({ row, point })));
  if (points.length > MOST_SAID) return `${label}. ${figure.rows.length} rows; the table lists them all.`;
  const one = ({ row, point }) => `${[row.name, figure.several ? figure.marks[point.mark - 1] ?? point.label : ""].filter(Boolean).join(", ")}: ${spoken(figure, point)}`;
  return `${label}. ${points.map(one).join("; ")}.`;
}

// How wide a text of the figure is; text that does not fit ends in "…" and is told in full on hover.
function measure(font) {
  const context = document.createElement("canvas").getContext("2d");
  return (text, bold = false) => {
    context.font = `${bold ? 600 : 500} 13px ${font}`;
    return context.measureText(text).width;
  };
}

function cut(text, room, attributes, wide, bold = false) {
  const node = make("text", attributes);
  let shown = text;
  if (wide(text, bold) > room) {
    const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
    let kept = Math.max(1, Math.min(letters.length, Math.floor((letters.length * room) / wide(text, bold)) + 2));
    while (kept > 1 && wide(`${letters.slice(0, kept).join("")}…`, bold) > room) kept -= 1;
    shown = `${letters.slice(0, kept).join("").trimEnd()}…`;
  }
  node.textContent = shown;
  if (shown !== text) node.append(make("title", {}, text));
  return node;
}

// The drawing as a file of its own: the key above it, every colour as it is now on the page.
function standalone(svg, marks) {
  const box = svg.viewBox.baseVal;
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  const resolved = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "vector-effect", "font-family", "font-size", "font-weight"];
  [copy, ...copy.querySelectorAll("*")].forEach((node, place) => settle(node, originals[place], resolved));
  const key = document.createElementNS(SVG, "g");
  marks.forEach((name, place) => {
    const y = 12 + place * 18;
    const mark = make("g", { class: colour(place + 1) }, ...symbol(place + 1, 8, y, 5));
    const words = make("text", { class: "name", x: 22, y: y + 4 }, name);
    key.append(mark, words);
  });
  svg.append(key);
  const drawn = key.cloneNode(true);
  const parts = [key, ...key.querySelectorAll("*")];
  [drawn, ...drawn.querySelectorAll("*")].forEach((node, place) => settle(node, parts[place], resolved));
  key.remove();
  const above = marks.length ? marks.length * 18 + 8 : 0;
  const paper = make("rect", { x: -12, y: -12, width: box.width + 24, height: box.height + above + 24, fill: getComputedStyle(document.documentElement).getPropertyValue("--surface").trim() });
  const body = make("g", { transform: `translate(0 ${above})` }, ...copy.childNodes);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `-12 -12 ${box.width + 24} ${box.height + above + 24}`);
  copy.setAttribute("width", box.width + 24);
  copy.setAttribute("height", box.height + above + 24);
  copy.replaceChildren(paper, drawn, body);
  return new XMLSerializer().serializeToString(copy);
}

function settle(node, original, names) {
  const style = getComputedStyle(original);
  for (const name of names) node.setAttribute(name, style.getPropertyValue(name));
  node.removeAttribute("class");
}

function make(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

customElements.define("interval-figure", IntervalFigure);
