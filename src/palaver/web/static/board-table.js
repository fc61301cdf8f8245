// The table of a board: search, order, columns and the brackets of models that cannot be told apart.
// Rows keep their nodes, and of them only those are moved that stand out of place.

import { counted } from "./board-numbers.js";
import { BoardRow } from "./board-row.js";
import { partsOf, say } from "./parts.js";

const MOST_LANES = 8;

export class BoardTable {
  rows = new Map();
  #parts;
  #body;
  #standing;
  // What the columns hold, by row: { score, m, d }.
  #values = new Map();
  #sort = "score";
  #down = true;
  #find = "";
  #changed;

  constructor(root, digits, changed) {
    this.#parts = partsOf(root);
    this.#changed = changed;
    this.#body = this.#parts.table.tBodies[0];
    this.#standing = [...this.#body.rows].map((tr) => new BoardRow(tr, digits));
    for (const row of this.#standing) this.rows.set(row.key, row);
    for (const head of this.#parts.table.tHead.querySelectorAll("[data-sort]")) this.#addSort(head);
    this.#addColumns();
    this.#parts.find.addEventListener("input", () => this.#search(this.#parts.find.value));
  }

  // The rows as the page has them now, from top to bottom.
  get order() {
    return this.#standing;
  }

  // The state of search, order and columns, for an address.
  get asked() {
    const hidden = [...this.#parts.columns.querySelectorAll("input:not(:checked)")].map((box) => box.value);
    const isUsual = this.#sort === "score" && this.#down;
    return { find: this.#find, sort: isUsual ? "" : `${this.#down ? "" : "-"}${this.#sort}`, hide: hidden.join(" ") };
  }

  restore(params) {
    const sort = params.get("sort") ?? "";
    const head = this.#head(sort.replace("-", ""));
    if (head) this.#sortBy(head, !sort.startsWith("-"));
    for (const name of (params.get("hide") ?? "").split(" ")) {
      const box = this.#parts.columns.querySelector(`input[value="${CSS.escape(name)}"]`);
      if (box) this.#show(box, false);
    }
    if (params.get("find")) {
      this.#parts.find.value = params.get("find");
      this.#search(this.#parts.find.value);
    }
  }

  #head(sort) {
    return sort && this.#parts.table.tHead.querySelector(`[data-sort="${CSS.escape(sort)}"]`);
  }

  #addSort(head) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const isSame = head.dataset.sort === this.#sort;
      this.#sortBy(head, isSame ? !this.#down : head.dataset.sort !== "name");
      this.#changed();
    });
  }

  #sortBy(head, down) {
    this.#head(this.#sort).removeAttribute("aria-sort");
    this.#sort = head.dataset.sort;
    this.#down = down;
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    this.#parts.table.classList.toggle("no-lanes", this.#sort !== "score" || !down);
    this.#arrange();
  }

  #addColumns() {
    for (const head of this.#parts.table.tHead.querySelectorAll("[data-column]")) {
      const label = document.createElement("label");
      const box = Object.assign(document.createElement("input"), {
        type: "checkbox", checked: true, value: head.dataset.sort, autocomplete: "off",
      });
      label.append(box, head.dataset.column);
      box.addEventListener("change", () => {
        this.#show(box, box.checked);
        this.#changed();
      });
      this.#parts.columns.append(label);
    }
  }

  #show(box, isShown) {
    box.checked = isShown;
    const place = this.#head(box.value).cellIndex;
    for (const row of this.#parts.table.rows) row.cells[place].hidden = !isShown;
  }

  #search(text) {
    this.#find = text.trim();
    const wanted = this.#find.toLowerCase();
    let found = 0;
    for (const row of this.#standing) {
      row.tr.hidden = !row.words.includes(wanted);
      found += row.tr.hidden ? 0 : 1;
    }
    const all = this.#standing.length;
    say(this.#parts.count, found === all ? counted(all, "model") : `${found} of ${counted(all, "model")}`);
    this.#parts.table.classList.toggle("is-searched", found < all);
    this.#changed();
  }

  // Rows in the order of their scores come as `values` by key; those without a score come last.
  orderBy(values) {
    this.#values = values;
    this.#arrange();
  }

  #arrange() {
    const known = [...this.#values.keys()].map((key) => this.rows.get(key)).filter(Boolean);
    if (this.#sort === "score" && this.#down) return this.#move(known);
    const sign = this.#down ? -1 : 1;
    const of = (row) => this.#value(this.#values.get(row.key));
    const byName = (one, other) => sign * one.name.localeCompare(other.name);
    const byValue = (one, other) => sign * (of(one) - of(other));
    const has = (row) => this.#sort === "name" || Number.isFinite(of(row));
    this.#move([
      ...known.filter(has).sort(this.#sort === "name" ? byName : byValue), ...known.filter((row) => !has(row)),
    ]);
  }

  #value({ score, m, d }) {
    if (this.#sort === "score") return score;
    return (this.#sort[0] === "m" ? m : d)[Number(this.#sort.slice(1))];
  }

  #move(rows) {
    const places = new Map(this.#standing.map((row, place) => [row, place]));
    const resting = longestRise(rows.map((row) => places.get(row)));
    let next = null;
    for (let at = rows.length - 1; at >= 0; at -= 1) {
      const { tr } = rows[at];
      if (!resting.has(at)) this.#body.insertBefore(tr, next);
      next = tr;
    }
    this.#standing = rows;
  }

  // A bracket for each set of names, in the first lane that is free; `names` stand in their order.
  bracket(sets) {
    const places = new Map(this.#standing.map((row, place) => [row.name, place]));
    const lanes = this.#standing.map(() => []);
    const ends = [];
    for (const names of sets) {
      const within = names.map((name) => places.get(name)).filter((place) => place !== undefined);
      if (within.length < 2) continue;
      const [from, to] = [Math.min(...within), Math.max(...within)];
      let lane = ends.findIndex((end) => end < from);
      if (lane < 0) lane = ends.length;
      if (lane >= MOST_LANES) continue;
      ends[lane] = to;
      const members = new Set(within);
      for (let at = from; at <= to; at += 1) {
        lanes[at][lane] = at === from ? "in first" : at === to ? "in last" : members.has(at) ? "in" : "through";
      }
    }
    this.#standing.forEach((row, place) => row.lanes.replaceChildren(...[...lanes[place]].map(drawnLane)));
    this.#parts.table.classList.toggle("many-lanes", ends.length > 4);
  }
}

function drawnLane(kind) {
  const lane = document.createElement("i");
  lane.className = `lane ${kind ?? ""}`;
  return lane;
}

// The places of a longest rising run of numbers: what stands there may stay.
function longestRise(numbers) {
  const tails = [];
  const before = [];
  numbers.forEach((number, at) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[tails[middle]] < number) low = middle + 1;
      else high = middle;
    }
    before[at] = tails[low - 1];
    tails[low] = at;
  });
  const found = new Set();
  for (let at = tails.at(-1); at !== undefined; at = before[at]) found.add(at);
  return found;
}
