// <dyna-board data-url data-address data-cells>: sliders for the weights of a board. Points, ranks and
// order are computed here and seen at once; intervals come from the server and are dim until then.

import { averages, dynascore, ranks } from "./dynascore.js";
import { partsOf, say } from "./parts.js";

const PAUSE = 250;
const NARROW = "(max-width: 1099px)";
const MARGIN = 4;
const NOTHING = "–";
const PODIUM = 3;

class DynaBoard extends HTMLElement {
  #parts;
  #known;
  #rows = new Map();
  #fields = { m: [], d: [] };
  #frame = 0;
  #timer = null;
  #asking = null;

  connectedCallback() {
    this.#parts = partsOf(this);
    const { metrics, keys, cells } = JSON.parse(this.dataset.cells);
    this.#known = {
      keys,
      // What is missing is null in JSON.
      cells: cells.map((model) => model.map((row) => row.map((value) => value ?? NaN))),
      directions: metrics.map(([direction]) => direction),
      offsets: metrics.map(([, offset]) => offset),
    };
    for (const body of this.querySelectorAll("[data-model]")) this.#addRow(body);
    for (const field of this.querySelectorAll("[data-weight]")) this.#addField(field);
    this.#parts.apply.hidden = true;
    this.#parts.podium.hidden = false;
    if (matchMedia(NARROW).matches) this.#parts.weights.open = false;
    this.#podium();
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  #addRow(body) {
    this.#rows.set(body.dataset.model, body);
    const toggle = body.querySelector("[data-part=toggle]");
    if (!toggle) return;
    const sets = body.querySelector(".sets-row");
    const details = sets.querySelector("details");
    sets.hidden = true;
    details.open = true;
    details.querySelector("summary").hidden = true;
    toggle.hidden = false;
    toggle.addEventListener("click", () => {
      sets.hidden = !sets.hidden;
      toggle.setAttribute("aria-expanded", String(!sets.hidden));
    });
  }

  #addField(node) {
    const number = node.querySelector("input[type=number]");
    const range = node.querySelector("input[type=range]");
    range.hidden = false;
    range.value = number.value;
    range.addEventListener("input", () => {
      number.value = range.value;
      this.#soon();
    });
    number.addEventListener("input", () => {
      range.value = number.value;
      this.#soon();
    });
    this.#fields[node.dataset.weight].push({ number, share: node.querySelector("[data-part=share]") });
  }

  #weights(name) {
    return this.#fields[name].map(({ number }) => (number.validity.valid ? number.valueAsNumber : NaN));
  }

  // A drag sends more events than can be drawn.
  #soon() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#moved());
  }

  #moved() {
    const m = this.#weights("m");
    const d = this.#weights("d");
    const wrong = problem(m, d);
    const { wrong: place } = this.#parts;
    place.hidden = !wrong;
    say(place, wrong);
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.classList.toggle("unweighed", Boolean(wrong));
    if (wrong) return;
    this.#showPoints(m, d);
    this.#keepAddress(m, d);
    this.classList.add("pending");
    say(this.#parts.state, "The intervals are being computed.");
    this.#timer = setTimeout(() => this.#ask(m, d), PAUSE);
  }

  #showPoints(m, d) {
    const { keys, cells, directions, offsets } = this.#known;
    const { values, ranked, shares } = averages(cells, m, d);
    const places = keys.map((_, place) => place).filter((place) => ranked[place]);
    const found = dynascore(places.map((place) => values[place]), { weights: m, directions, offsets });
    const rank = ranks(found.scores);
    const shown = places.map((place, at) => ({
      key: keys[place], rank: rank[at], score: found.scores[at], averages: values[place],
    }));
    shown.sort((one, other) => other.score - one.score);
    const rest = keys.filter((_, place) => !ranked[place]);
    this.#order([...shown.map(({ key }) => key), ...rest]);
    for (const each of shown) this.#showModel(each);
    for (const key of rest) this.#showUnranked(key, null);
    this.#showShares(found.shares, d.map((_, set) => shares[set][0]));
    this.#podium();
  }

  // Rows of models that a tag filters out are not there.
  #order(keys) {
    const bodies = keys.map((key) => this.#rows.get(key)).filter(Boolean);
    const { table } = this.#parts;
    const standing = [...table.tBodies].filter((body) => body.dataset.model);
    if (bodies.some((body, place) => standing[place] !== body)) table.append(...bodies);
  }

  #showModel({ key, rank, score, averages: values }) {
    const body = this.#rows.get(key);
    if (!body) return;
    body.classList.remove("unranked");
    fill(body, "rank", Number.isFinite(score) ? String(rank) : NOTHING);
    fill(body, "score", number(score));
    values.forEach((value, metric) => fill(body, `m${metric}`, number(value)));
    const why = body.querySelector("[data-part=reasons]");
    why.hidden = true;
    say(why, "");
  }

  #showUnranked(key, reasons) {
    const body = this.#rows.get(key);
    if (!body) return;
    body.classList.add("unranked");
    for (const field of body.querySelectorAll(".model-row [data-field]")) say(field, NOTHING);
    for (const range of body.querySelectorAll(".model-row [data-range]")) say(range, "");
    body.querySelector(".strip-drawing").setAttribute("hidden", "");
    const why = body.querySelector("[data-part=reasons]");
    why.hidden = false;
    say(why, reasons ? `Not ranked: ${reasons.join("; ")}.` : "Not ranked under these weights.");
  }

  #showShares(ofMetrics, ofSets) {
    this.#fields.m.forEach(({ share }, place) => say(share, percent(ofMetrics[place])));
    this.#fields.d.forEach(({ share }, place) => say(share, percent(ofSets[place])));
  }

  #podium() {
    const first = [...this.#parts.table.tBodies]
      .filter((body) => body.dataset.model && !body.classList.contains("unranked"))
      .slice(0, PODIUM)
      .map((body) => {
        const text = (part) => body.querySelector(part).textContent;
        return `${text("[data-field=rank]")}. ${text("[data-part=name]")} ${text("[data-field=score]")}`;
      });
    say(this.#parts.podium, first.join(" · "));
  }

  #query(m, d) {
    return new URLSearchParams({ m: m.join("|"), d: d.join("|") });
  }

  #keepAddress(m, d) {
    const query = this.#query(m, d);
    const address = new URL(location.href);
    address.pathname = new URL(this.dataset.address, location.href).pathname;
    for (const [name, value] of query) address.searchParams.set(name, value);
    history.replaceState(null, "", address);
    for (const link of this.querySelectorAll("a[data-weighed]")) {
      const target = new URL(link.href);
      for (const [name, value] of query) target.searchParams.set(name, value);
      link.href = target;
    }
    for (const name of ["m", "d"]) if (this.#parts[name]) this.#parts[name].value = query.get(name);
  }

  async #ask(m, d) {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      const query = this.#query(m, d);
      query.set("brief", "1");
      const answer = await fetch(`${this.dataset.url}?${query}`, {
        signal, headers: { accept: "application/json" },
      });
      const board = await answer.json();
      if (!answer.ok) throw new Error(board.error?.message);
      this.#settle(board);
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof TypeError ? "The server is not responding." : error.message;
      say(this.#parts.state, `The intervals could not be computed. ${why || ""} Move a slider to try again.`);
    }
  }

  #settle(board) {
    this.classList.remove("pending");
    this.#order([...board.models, ...board.not_ranked].map(({ key }) => key));
    for (const model of board.models) this.#settleModel(model, board.metrics);
    for (const { key, reasons } of board.not_ranked) this.#showUnranked(key, reasons);
    this.#strips(board.models);
    this.#settleRates(board);
    const { warnings, pairs, method, answer, state } = this.#parts;
    warnings.hidden = board.warnings.length === 0;
    warnings.replaceChildren(...board.warnings.map(item));
    const tied = board.tied_sets.filter((names) => names.length > 1);
    this.#parts.tied.hidden = tied.length === 0;
    this.#parts["tied-sets"].replaceChildren(...tied.map((names) => item(names.join(", "))));
    say(pairs, `${board.pairs} ${board.pairs === 1 ? "pair" : "pairs"}`);
    say(method, board.method);
    say(answer, board.answer);
    say(state, "");
    this.#podium();
  }

  #settleModel({ key, rank, rank_interval: ends, dynascore: score, averages: by }, metrics) {
    const body = this.#rows.get(key);
    if (!body) return;
    const values = metrics.map((metric) => by[metric.key].value ?? NaN);
    this.#showModel({ key, rank, score: score.value ?? NaN, averages: values });
    fill(body, "rank", ends ? (ends[0] === ends[1] ? String(ends[0]) : `${ends[0]} to ${ends[1]}`) : "", "range");
    fill(body, "score", between(score.interval), "range");
    metrics.forEach((metric, place) => fill(body, `m${place}`, between(by[metric.key].interval), "range"));
  }

  #strips(models) {
    const scored = models.filter(({ dynascore: score }) => score.value !== null);
    const ends = scored.flatMap(({ dynascore: { value, interval } }) => [value, ...(interval ?? [])]);
    const low = Math.min(...ends);
    const high = Math.max(...ends);
    const at = (value) => {
      const inside = high > low ? (value - low) / (high - low) : 0.5;
      return `${(MARGIN + (100 - 2 * MARGIN) * inside).toFixed(2)}%`;
    };
    say(this.#parts.low, high > low ? number(low) : "");
    say(this.#parts.high, high > low ? number(high) : "");
    for (const { key, dynascore: { value, interval } } of scored) {
      const drawing = this.#rows.get(key)?.querySelector(".strip-drawing");
      if (!drawing) continue;
      drawing.removeAttribute("hidden");
      drawing.querySelector(".strip-dot").setAttribute("cx", at(value));
      const line = drawing.querySelector(".strip-interval");
      line.setAttribute("x1", at(interval?.[0] ?? value));
      line.setAttribute("x2", at(interval?.[1] ?? value));
    }
  }

  #settleRates(board) {
    for (const metric of board.metrics) {
      const row = this.querySelector(`[data-metric="${CSS.escape(metric.key)}"]`);
      fill(row, "weight", String(metric.weight));
      fill(row, "share", percent(metric.share));
      fill(row, "amrs", number(metric.amrs ?? NaN));
      fill(row, "amrs", between(metric.amrs_interval), "range");
      const aside = row.querySelector("[data-field=aside]");
      aside.hidden = !metric.set_aside;
      say(aside, metric.set_aside ? `set aside: ${metric.set_aside}` : "");
    }
    this.#showShares(board.metrics.map(({ share }) => share), board.datasets.map(({ share }) => share));
  }
}

function problem(m, d) {
  if ([...m, ...d].some((weight) => !(weight >= 0))) return "A weight is a number from 0 to 5.";
  if (!m.some((weight) => weight > 0)) return "Give at least one metric a weight.";
  if (!d.some((weight) => weight > 0)) return "Give at least one data set a weight.";
  return "";
}

function item(text) {
  const node = document.createElement("li");
  node.textContent = text;
  return node;
}

function fill(row, field, text, kind = "field") {
  const node = row.querySelector(`[data-${kind}="${field}"]`);
  if (node) say(node, text);
}

// As palaver.web.tasks.words writes them.
function number(value) {
  if (!Number.isFinite(value)) return NOTHING;
  const size = Math.abs(value);
  const small = size > 0 && size < 0.01;
  const digits = size >= 1000 ? 0 : small ? Math.min(9, 1 - Math.floor(Math.log10(size))) : 2;
  const text = new Intl.NumberFormat("en", {
    minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative",
  }).format(value);
  return text.replace("-", "−");
}

const between = (ends) => (ends && ends[0] !== null && ends[1] !== null ? `${number(ends[0])} to ${number(ends[1])}` : "");
const percent = (share) => `${(share * 100).toFixed(1)} %`;

customElements.define("dyna-board", DynaBoard);
