// Draws the curve that the page holds, and its table.

const {watched, rows} = JSON.parse(document.getElementById("curve").textContent);
const SVG = "http://www.w3.org/2000/svg";
const words = (name) => name.replaceAll("_", " ");
const title = (name) => words(name).replace(/^./, (letter) => letter.toUpperCase());
const digits = (value) => value == null ? "–" : Number(value.toPrecision(4)).toString();

function draw(figure, title, points, best) {
  const known = points.filter(([, y]) => Number.isFinite(y));
  if (!known.length) return;
  const wide = figure.clientWidth || 640, width = Math.max(280, wide - 34), height = 220;
  const [left, right, top, bottom] = [52, 64, 12, 24];
  const xs = known.map(([x]) => x), ys = known.map(([, y]) => y);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  let [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  if (y0 === y1) { y0 -= Math.abs(y0) / 10 || 1; y1 += Math.abs(y1) / 10 || 1; }
  const x = (v) => left + (x1 > x0 ? (v - x0) / (x1 - x0) : 0.5) * (width - left - right);
  const y = (v) => top + (y1 - v) / (y1 - y0) * (height - top - bottom);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const add = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    svg.append(made);
    return made;
  };
  for (const value of [y0, (y0 + y1) / 2, y1]) {
    add("line", {class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value)});
    add("text", {x: left - 8, y: y(value) + 4, "text-anchor": "end"}, digits(value));
  }
  for (const value of new Set([x0, x1]))
    add("text", {x: x(value), y: height - 4, "text-anchor": "middle"}, value);
  add("polyline", {class: "curve", points: known.map(([a, b]) => `${x(a)},${y(b)}`).join(" ")});
  if (known.length <= 60)
    for (const [a, b] of known) add("circle", {class: "point", cx: x(a), cy: y(b), r: 2.5});
  const marked = best == null ? known.at(-1) : known.find(([a]) => a === best) ?? known.at(-1);
  add("circle", {class: "ring", cx: x(marked[0]), cy: y(marked[1]), r: 5});
  const end = known.at(-1);
  add("text", {class: "best", x: x(end[0]) + 10, y: y(end[1]) + 4}, digits(end[1]));
  const head = document.createElement("h2");
  head.textContent = title;
  figure.setAttribute("aria-label", `${title}: ${digits(end[1])} after epoch ${end[0]}`);
  figure.replaceChildren(head, svg);
}

function cell(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

// A training that was killed cannot say so: the page is as old as the last epoch.
function sayIfQuiet() {
  if (!document.querySelector("meta[http-equiv=refresh]")) return;
  const minutes = (Date.now() - Date.parse(document.lastModified)) / 60_000;
  const longest = Math.max(0, ...rows.map((row) => row.seconds)) / 60;
  if (minutes < Math.max(2, 5 * longest)) return;
  document.getElementById("standing").append(
    ` Nothing new for ${Math.round(minutes).toLocaleString("en")} minutes: it may have been stopped. The command that began it goes on.`);
}

const best = rows.filter((row) => row.is_best).at(-1)?.epoch;
const show = () => {
  draw(document.getElementById("watched"), `${title(watched)} on what was held out, by epoch (lower is better)`,
    rows.map((row) => [row.epoch, row.measured[watched]]), best);
  draw(document.getElementById("loss"), "Loss in training, by epoch", rows.map((row) => [row.epoch, row.loss]), null);
};
show();
sayIfQuiet();
addEventListener("resize", show);
const names = [...new Set(rows.flatMap((row) => Object.keys(row.measured)))];
const table = document.getElementById("epochs");
table.closest("details").hidden = !rows.length;
const head = document.createElement("tr");
head.append(...["epoch", "loss", ...names.map(words), "rate", "seconds"].map((name) => cell("th", name)));
table.tHead.append(head);
for (const row of rows.toReversed()) {
  const line = document.createElement("tr");
  if (row.epoch === best) line.className = "best";
  line.append(...[row.epoch === best ? `${row.epoch} (best)` : row.epoch, digits(row.loss),
    ...names.map((name) => digits(row.measured[name])), row.rate.toExponential(1), row.seconds.toFixed(1)].map((text) => cell("td", text)));
  table.tBodies[0].append(line);
}
