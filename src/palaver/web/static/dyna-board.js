// <dyna-board data-url data-address data-round data-cells>: sliders for the weights of a board. Points, ranks and
// order are computed here and seen at once; intervals come from the server and are dim until then. What
// ranks is a Dynascore, or the first metric where a reader chose one.

import { boardQuery, fillForm, withQuery } from "./board-address.js";
import { between, counted, number, percent } from "./board-numbers.js";
import { BoardTable } from "./board-table.js";
import { averages, dynascore, ranks } from "./dynascore.js";
import { partsOf, say } from "./parts.js";
import "./trade-off.js";

const PAUSE = 250;
// Browsers limit how often an address may change.
const SETTLED = 100;
const NARROW = "(max-width: 859px)";
const MARGIN = 4;
const HEAT = 8;
const PODIUM = 3;
const LONG = 90;

class DynaBoard extends HTMLElement {
  #parts;
  #known;
  #table;
  #plot;
  #fields = { m: [], d: [] };
  #ends = [];
  #frame = 0;
  #timer = null;
  #asking = null;

  connectedCallback() {
    this.#parts = partsOf(this);
    const { metrics, keys, cells, weights, ties, ranking } = JSON.parse(this.dataset.cells);
    const digits = metrics.map(([, , each]) => each ?? null);
    this.#known = {
      keys,
      // What is missing is null in JSON.
      cells: cells.map((model) => model.map((row) => row.map((value) => value ?? NaN))),
      directions: metrics.map(([direction]) => direction),
      offsets: metrics.map(([, offset]) => offset),
      weights,
      isSum: ranking === "dynascore",
    };
    const places = { score: this.#known.isSum ? null : digits[0], m: digits };
    this.#table = new BoardTable(this, places, () => this.#keepAddress());
    this.#plot = this.querySelector("trade-off");
    for (const field of this.querySelectorAll("[data-weight]")) this.#addField(field);
    this.#headline(this.#parts.answer.textContent);
    this.#table.bracket(ties);
    const found = this.#computed();
    this.#table.orderBy(this.#values(found));
    this.#table.restore(new URLSearchParams(location.search));
    this.#showPlot(found);
    this.#plot?.addEventListener("change", () => this.#showPlot(this.#computed()));
    this.addEventListener("pointerover", (event) => this.#light(event.target.closest("[data-model]")));
    this.#parts["copy-link"]?.addEventListener("click", (event) => this.#copy(event));
    const chooser = this.#parts["rank-by"];
    chooser?.addEventListener("change", () => chooser.form.requestSubmit());
    if (matchMedia(NARROW).matches) this.#parts.weights.open = false;
    this.#podium();
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  #addField(node) {
    const number = node.querySelector("input[type=number]");
    const range = node.querySelector("input[type=range]");
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

  #weights() {
    const { m, d } = this.#fields;
    const { weights } = this.#known;
    return [m, d].map((fields, kind) => fields.length
      ? fields.map(({ number }) => (number.validity.valid ? number.valueAsNumber : NaN)) : weights[kind]);
  }

  // A drag sends more events than can be drawn. The slider itself is painted first: the rows follow.
  #soon() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.ariaBusy = "true";
    this.#frame ||= requestAnimationFrame(() => setTimeout(() => this.#moved()));
  }

  #moved() {
    this.#frame = 0;
    if (!this.isConnected) return;
    const [m, d] = this.#weights();
    const wrong = problem(m, d);
    const { wrong: place } = this.#parts;
    place.hidden = !wrong;
    say(place, wrong);
    this.classList.toggle("unweighed", Boolean(wrong));
    if (wrong) {
      this.ariaBusy = "false";
      return;
    }
    this.#showPoints();
    this.classList.add("pending");
    say(this.#parts.state, "The intervals are being computed.");
    this.#timer = setTimeout(() => {
      this.#keepAddress();
      this.#timer = setTimeout(() => this.#ask(m, d), PAUSE - SETTLED);
    }, SETTLED);
  }

  // What the weights make of the cells.
  #computed() {
    const { cells, directions, offsets } = this.#known;
    const [m, d] = this.#weights();
    const { values, ranked, shares } = averages(cells, m, d);
    const places = cells.map((_, place) => place).filter((place) => ranked[place]);
    const table = places.map((place) => values[place]);
    const found = this.#known.isSum
      ? dynascore(table, { weights: m, directions, offsets })
      : { scores: table.map(([first]) => first), shares: [] };
    return { ...found, places, table, values, setShares: d.map((_, set) => shares[set][0]) };
  }

  // Scores so that higher is better.
  #good(scores) {
    const { isSum, directions } = this.#known;
    return isSum ? scores : scores.map((score) => directions[0] * score);
  }

  // By key, in the order of the scores; models that cannot be ranked stand last.
  #values({ places, scores, values }) {
    const { keys, cells } = this.#known;
    const good = this.#good(scores);
    const at = places.map((_, each) => each).sort((one, other) => good[other] - good[one]);
    const held = (place, score) => ({ score, m: values[place], d: cells[place].map(([first]) => first) });
    const found = new Map(at.map((each) => [keys[places[each]], held(places[each], scores[each])]));
    keys.forEach((key, place) => {
      if (!found.has(key)) found.set(key, held(place, NaN));
    });
    return found;
  }

  #showPoints() {
    const found = this.#computed();
    const { places, scores, table } = found;
    const { keys } = this.#known;
    const values = this.#values(found);
    const rank = ranks(this.#good(scores));
    const ranked = new Set(places.map((place) => keys[place]));
    places.forEach((place, at) => this.#table.rows.get(keys[place])?.show(rank[at], scores[at], table[at]));
    for (const [key, { m }] of values) if (!ranked.has(key)) this.#table.rows.get(key)?.leaveOut(null, m);
    this.#warm(values);
    this.#table.orderBy(values);
    this.#scale(scores);
    places.forEach((place, at) => this.#table.rows.get(keys[place])?.draw(this.#at(scores[at])));
    this.#showShares(found.shares, found.setShares);
    this.#podium();
    this.#showPlot(found);
  }

  #warm(values) {
    this.#known.directions.forEach((direction, metric) => {
      const column = [...values.values()].map(({ m }) => m[metric]).filter(Number.isFinite);
      const [low, high] = [Math.min(...column), Math.max(...column)];
      for (const [key, { m }] of values) {
        const far = direction > 0 ? m[metric] - low : high - m[metric];
        const isDrawn = high > low && Number.isFinite(m[metric]);
        this.#table.rows.get(key)?.warm(metric, isDrawn ? Math.round((HEAT * far) / (high - low)) : 0);
      }
    });
  }

  // The drawn scale goes from the lowest number to the highest.
  #scale(ends) {
    const known = ends.filter(Number.isFinite);
    this.#ends = [Math.min(...known), Math.max(...known)];
  }

  #at(value) {
    const [low, high] = this.#ends;
    const inside = high > low ? (value - low) / (high - low) : 0.5;
    return Number.isFinite(value) ? `${(MARGIN + (100 - 2 * MARGIN) * inside).toFixed(2)}%` : "50%";
  }

  // Up: the score without the metric that is drawn across, as else it would count on both axes.
  #showPlot({ places, table }) {
    if (!this.#plot) return;
    const { metric } = this.#plot;
    const { directions, offsets } = this.#known;
    const weights = this.#weights()[0].map((weight, place) => (place === metric ? 0 : weight));
    if (!weights.some((weight) => weight > 0)) weights[0] = 1;
    const { scores } = dynascore(table, { weights, directions, offsets });
    this.#plot.draw(places.map((place, at) => {
      const key = this.#known.keys[place];
      return { key, name: this.#table.rows.get(key)?.name, across: table[at][metric], up: scores[at] };
    }), this.#known.directions[metric]);
  }

  #light(node) {
    const key = node?.dataset.model;
    this.#plot?.light(key);
    for (const row of this.querySelectorAll("tr.lit")) if (row.dataset.model !== key) row.classList.remove("lit");
    this.#table.rows.get(key)?.tr.classList.add("lit");
  }

  #showShares(ofMetrics, ofSets) {
    this.#fields.m.forEach(({ share }, place) => say(share, percent(ofMetrics[place])));
    this.#fields.d.forEach(({ share }, place) => say(share, percent(ofSets[place])));
  }

  #podium() {
    if (!this.#parts.podium) return;
    const first = this.#table.order.filter((row) => row.isRanked).slice(0, PODIUM);
    say(this.#parts.podium, first.map((row) => `${row.said("rank")}. ${row.name} ${row.said("score")}`).join(" · "));
  }

  #headline(text) {
    say(this.#parts.answer, text);
    this.#parts.answer.classList.toggle("long", text.length > LONG);
  }

  #query(m, d) {
    const { metric, round } = this.dataset;
    return boardQuery(this.#fields.m, [m, d], { metric, round });
  }

  #keepAddress() {
    const address = new URL(location.href);
    address.pathname = new URL(this.dataset.address, location.href).pathname;
    for (const [name, value] of Object.entries(this.#table.asked)) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    const [m, d] = this.#weights();
    const isMoved = String([m, d]) !== String(this.#known.weights) || address.searchParams.has("d");
    if (isMoved && this.#fields.d.length && !problem(m, d)) this.#weigh(address, this.#query(m, d));
    history.replaceState(null, "", address);
  }

  #weigh(address, query) {
    withQuery(address, query);
    for (const link of this.querySelectorAll("a[data-weighed]")) link.href = withQuery(new URL(link.href), query);
    const form = this.querySelector(".save-form");
    if (form) fillForm(form, query);
  }

  async #copy(event) {
    event.preventDefault();
    const { "copy-link": link, "copy-words": words } = this.#parts;
    try {
      await navigator.clipboard.writeText(link.href);
      say(words, "Link copied");
    } catch {
      location.href = link.href; // no permission, or not a secure page: the address bar has it
    }
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
      this.ariaBusy = "false";
      const why = error instanceof TypeError ? "The server is not responding." : error.message;
      say(this.#parts.state, `The intervals could not be computed. ${why || ""} Move a slider to try again.`);
    }
  }

  #settle(board) {
    this.classList.remove("pending");
    this.ariaBusy = "false";
    const { cells, keys, isSum } = this.#known;
    const sets = new Map(keys.map((key, place) => [key, cells[place].map(([first]) => first)]));
    const averagesOf = (model) => board.metrics.map(({ key }) => model.averages[key]);
    const standing = (model) => (isSum ? model.dynascore : model.averages[board.metrics[0].key]);
    const held = (model, score) =>
      ({ score, m: averagesOf(model).map((one) => one?.value ?? NaN), d: sets.get(model.key) });
    const values = new Map([
      ...board.models.map((model) => [model.key, held(model, standing(model).value ?? NaN)]),
      ...board.not_ranked.map((model) => [model.key, held(model, NaN)]),
    ]);
    this.#scale(board.models.flatMap((model) => [standing(model).value, ...(standing(model).interval ?? [])]));
    for (const model of board.models) this.#settleModel(model, standing(model), averagesOf(model), values.get(model.key));
    for (const model of board.not_ranked) {
      this.#table.rows.get(model.key)?.leaveOut(model.reasons, values.get(model.key).m, averagesOf(model));
    }
    this.#warm(values);
    this.#table.orderBy(values);
    this.#settleWords(board);
    if (isSum) this.#settleRates(board);
    this.#podium();
  }

  #settleModel(model, standing, averages, { score, m }) {
    const row = this.#table.rows.get(model.key);
    if (!row) return;
    row.show(model.rank, score, m);
    row.settle(model, standing, averages);
    const { interval } = standing;
    row.draw(this.#at(score), [this.#at(interval?.[0] ?? score), this.#at(interval?.[1] ?? score)]);
  }

  #settleWords(board) {
    const { warnings, pairs, method, state, tied, "tied-sets": sets } = this.#parts;
    warnings.hidden = board.warnings.length === 0;
    warnings.replaceChildren(...board.warnings.map(item));
    const ties = board.tied_sets.filter((names) => names.length > 1);
    tied.hidden = ties.length === 0;
    sets.replaceChildren(...ties.map((names) => item(names.join(", "))));
    this.#table.bracket(ties);
    if (pairs) say(pairs, counted(board.pairs, "pair"));
    say(method, board.method);
    say(state, "");
    this.#headline(board.answer);
  }

  #settleRates(board) {
    for (const metric of board.metrics) {
      const row = this.querySelector(`[data-metric="${CSS.escape(metric.key)}"]`);
      const fields = partsOf(row);
      say(fields.weight, String(metric.weight));
      say(fields.share, percent(metric.share));
      say(fields.amrs, number(metric.amrs ?? NaN));
      say(fields.ends, between(metric.amrs_interval));
      fields.aside.hidden = !metric.set_aside;
      say(fields.aside, metric.set_aside ? `set aside: ${metric.set_aside}` : "");
    }
    this.#showShares(board.metrics.map(({ share }) => share), board.datasets.map(({ share }) => share));
  }
}

function problem(m, d) {
  if ([...m, ...d].some((weight) => !(weight >= 0))) return "A weight is a number, 0 or more, as its slider allows.";
  if (!m.some((weight) => weight > 0)) return "Give at least one metric a weight.";
  if (!d.some((weight) => weight > 0)) return "Give at least one data set a weight.";
  return "";
}

function item(text) {
  const node = document.createElement("li");
  node.textContent = text;
  return node;
}

customElements.define("dyna-board", DynaBoard);
