// <interval-chart data-table>: a dot and its interval per row of the board's table. It draws what
// the table says, so that chart and table never differ.

const SVG = "http://www.w3.org/2000/svg";
const NARROW = 560;
const AXIS = 28;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

class IntervalChart extends HTMLElement {
  #observer = new ResizeObserver(() => this.draw());

  connectedCallback() {
    this.#observer.observe(this);
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  draw() {
    const rows = this.#rows();
    this.hidden = rows.length === 0;
    if (this.clientWidth === 0 || rows.length === 0) return;
    const frame = layout(this.clientWidth, rows);
    const svg = shape("svg", {
      role: "img",
      direction: "ltr",
      "aria-label": summary(rows),
      viewBox: `0 0 ${frame.width} ${frame.height}`,
      height: frame.height,
    });
    svg.append(...axis(frame), ...rows.flatMap((row, place) => mark(row, place, frame)));
    this.replaceChildren(svg);
  }

  #rows() {
    const table = document.getElementById(this.dataset.table);
    const showTruth = table.classList.contains("with-truth");
    return [...table.querySelectorAll("tbody tr")].map((row) => {
      const cell = (field) => row.querySelector(`[data-field="${field}"]`);
      return {
        system: row.dataset.system,
        n: cell("n").textContent,
        rate: number(cell("rate").dataset.value),
        low: number(cell("interval").dataset.low),
        high: number(cell("interval").dataset.high),
        truth: showTruth ? number(cell("truth").dataset.value) : null,
      };
    });
  }
}

function number(text) {
  return text === "" || text === undefined ? null : Number(text);
}

// Wide: names at the left, numbers at the right. Narrow: both above their line.
function layout(width, rows) {
  const narrow = width < NARROW;
  const longest = Math.max(...rows.map((row) => row.system.length));
  const names = narrow ? 0 : Math.min(width * 0.3, longest * 8.5 + 16);
  const left = narrow ? 12 : names;
  const right = narrow ? 12 : 190;
  const row = narrow ? 52 : 36;
  return {
    narrow, width, row, left,
    letters: Math.floor((narrow ? width - 150 : names) / 8.5),
    height: AXIS + row * rows.length + 4,
    x: (share) => left + share * (width - left - right),
    y: (place) => AXIS + row * place + (narrow ? 36 : row / 2),
  };
}

function axis({ x, height, narrow }) {
  return TICKS.filter((tick) => !narrow || tick % 0.5 === 0).flatMap((tick) => {
    const kind = { 0: "chart-zero", 0.5: "chart-half" }[tick] ?? "chart-grid";
    const anchor = narrow ? { 0: "start", 1: "end" }[tick] ?? "middle" : "middle";
    const nudge = narrow ? { 0: -12, 1: 12 }[tick] ?? 0 : 0;
    return [
      shape("line", { class: kind, x1: x(tick), x2: x(tick), y1: AXIS - 6, y2: height }),
      words(`${tick * 100} %`, { class: "chart-tick", x: x(tick) + nudge, y: 14, "text-anchor": anchor }),
    ];
  });
}

function mark(row, place, frame) {
  const { x, narrow, width } = frame;
  const y = frame.y(place);
  const level = narrow ? y - 14 : y + 5;
  const value = row.rate === null ? "no votes yet" : `${share(row.rate)} (${span(row)})`;
  const name = words(shortened(row.system, frame.letters), { class: "chart-label", x: 0, y: level });
  const title = shape("title");
  title.textContent = row.system;
  name.append(title);
  const shapes = [
    name,
    words(value, { class: "chart-value", x: width, y: level, "text-anchor": "end" }),
  ];
  if (row.rate !== null) {
    shapes.push(
      shape("line", { class: "chart-interval", x1: x(row.low), x2: x(row.high), y1: y, y2: y }),
      shape("circle", { class: "chart-dot", cx: x(row.rate), cy: y, r: 7 }),
    );
  }
  if (row.truth !== null) {
    const at = x(row.truth);
    const points = `${at},${y - 8} ${at + 8},${y} ${at},${y + 8} ${at - 8},${y}`;
    shapes.push(shape("polygon", { class: "chart-truth", points }));
  }
  return shapes;
}

function summary(rows) {
  const one = ({ system, rate, n, truth, ...row }) => {
    if (rate === null) return `${system}: no votes yet`;
    const known = truth === null ? "" : `, true ${share(truth)}`;
    return `${system}: ${share(rate)}, ${span(row)}, n ${n}${known}`;
  };
  return `Win rates with 95 % intervals. ${rows.map(one).join("; ")}.`;
}

const share = (value) => `${(value * 100).toFixed(1)} %`;
const span = ({ low, high }) => `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`;
const shortened = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

function shape(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function words(text, attributes) {
  const node = shape("text", attributes);
  node.textContent = text;
  return node;
}

customElements.define("interval-chart", IntervalChart);
