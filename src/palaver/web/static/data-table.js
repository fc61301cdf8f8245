// <data-table>: what a script adds to a table that the server has written in full. Columns can be
// hidden and a CSV taken from every table; one that is `whole` (not a page of a longer list) also
// sorts by its heads, is searched, and shows a hundred rows at a time. Other scripts may change
// cells and rows at any time.

import { BROWSER, keep, recall } from "./browser-storage.js";
import { save } from "./save-file.js";

const SIZE = 100;
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const count = new Intl.NumberFormat("en");

class DataTable extends HTMLElement {
  #tools = {};
  #table;
  #heads;
  #hidden = new Set();
  #first = 0;
  #changes = new MutationObserver(() => this.#later());
  #widths = new ResizeObserver(() => this.#fit());
  #waiting = 0;

  connectedCallback() {
    this.#table = this.querySelector("table");
    if (!this.#table) return;
    for (const tool of this.querySelectorAll("[data-tool]")) this.#tools[tool.dataset.tool] = tool;
    // A head above several columns says nothing of one: such a table is shown as it is.
    const { tHead } = this.#table;
    const simple = tHead?.rows.length === 1 && [...tHead.rows[0].cells].every((head) => head.colSpan === 1);
    this.#heads = simple ? [...tHead.rows[0].cells] : [];
    this.#hidden = new Set(JSON.parse(recall(BROWSER, this.#key) ?? "[]"));
    if (this.#whole) this.#sortByHeads();
    this.#offerColumns();
    this.#listen();
    this.#show();
    this.#widths.observe(this.#table);
    this.#widths.observe(this.#table.parentElement);
  }

  disconnectedCallback() {
    this.#changes.disconnect();
    this.#widths.disconnect();
    cancelAnimationFrame(this.#waiting);
  }

  get #whole() {
    return this.hasAttribute("whole");
  }

  get #key() {
    return `palaver columns ${this.dataset.name ?? location.pathname}`;
  }

  get #rows() {
    return [...this.#table.tBodies].flatMap((body) => [...body.rows]);
  }

  #listen() {
    const { search, csv, previous, next } = this.#tools;
    search?.addEventListener("input", () => this.#turn(0));
    if (csv?.tagName === "BUTTON") csv.addEventListener("click", () => this.#download());
    previous?.addEventListener("click", () => this.#turn(this.#first - SIZE));
    next?.addEventListener("click", () => this.#turn(this.#first + SIZE));
  }

  // What the reader asked for is also said; what changes by itself is only shown.
  #turn(first) {
    this.#first = first;
    this.#show();
    const { said, count: shown } = this.#tools;
    if (said) said.textContent = shown?.textContent ?? "";
  }

  #later() {
    this.#waiting ||= requestAnimationFrame(() => {
      this.#waiting = 0;
      const sorted = this.#heads.find((head) => head.dataset.chosen !== undefined);
      if (sorted) this.#arrange(sorted);
      this.#show();
    });
  }

  // Everything below that changes the table itself goes through here, so as not to hear it.
  #quietly(change) {
    this.#changes.disconnect();
    change();
    const options = { childList: true, subtree: true, characterData: true, attributeFilter: ["data-value"] };
    for (const body of this.#table.tBodies) this.#changes.observe(body, options);
  }

  #show() {
    const rows = this.#rows;
    const found = this.#found(rows);
    const paged = this.#whole && found.length > SIZE;
    this.#first = Math.max(0, Math.min(this.#first, Math.floor((found.length - 1) / SIZE) * SIZE));
    const shown = new Set(paged ? found.slice(this.#first, this.#first + SIZE) : found);
    this.#quietly(() => {
      if (this.#whole) for (const row of rows) row.hidden = !shown.has(row);
      this.#heads.forEach((head, place) => {
        const hide = this.#hidden.has(words(head));
        if (hide === head.hidden && !hide) return;
        for (const row of [this.#table.tHead.rows[0], ...rows]) {
          if (row.cells.length === this.#heads.length) row.cells[place].hidden = hide;
        }
      });
    });
    this.#tell(rows.length, found.length, paged);
  }

  #found(rows) {
    const words = plain(this.#tools.search?.value ?? "").split(" ").filter(Boolean);
    if (!this.#whole || words.length === 0) return rows;
    return rows.filter((row) => {
      const text = plain(row.textContent);
      return words.every((word) => text.includes(word));
    });
  }

  #tell(all, found, paged) {
    const { count: line, none, previous, next } = this.#tools;
    const of = `${count.format(found)}${found < all ? ` of ${count.format(all)}` : ""}`;
    const last = Math.min(this.#first + SIZE, found);
    const pages = `${this.#first + 1} to ${last} of ${count.format(found)}`;
    if (line && this.#whole) line.textContent = paged ? pages : found < all ? of : "";
    if (none) none.hidden = found > 0 || all === 0;
    if (!previous || !next) return;
    previous.disabled = this.#first === 0;
    next.disabled = last >= found;
    previous.parentElement.hidden = !paged;
  }

  #sortByHeads() {
    for (const head of this.#heads) {
      if (head.dataset.plain !== undefined || head.textContent.trim() === "") continue;
      const button = document.createElement("button");
      button.type = "button";
      const link = head.querySelector(":scope > a");
      button.append(...(link ?? head).childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const downFirst = head.classList.contains("number");
        const before = head.getAttribute("aria-sort");
        const down = before === null ? downFirst : before === "ascending";
        for (const other of this.#heads) {
          other.removeAttribute("aria-sort");
          delete other.dataset.chosen;
        }
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        head.dataset.chosen = "";
        this.#arrange(head);
        this.#turn(0);
      });
    }
  }

  #arrange(head) {
    const place = this.#heads.indexOf(head);
    const way = head.getAttribute("aria-sort") === "descending" ? -1 : 1;
    this.#quietly(() => {
      for (const body of this.#table.tBodies) {
        const rows = [...body.rows].map((row) => ({ row, value: valueOf(row.cells[place]) }));
        const numbers = rows.every(({ value }) => value === null || typeof value === "number");
        const compare = numbers ? (a, b) => a - b : (a, b) => collator.compare(a, b);
        // What has no value stands last, whichever way.
        const sorted = rows.toSorted(({ value: a }, { value: b }) =>
          a === null || b === null ? (a === null) - (b === null) : way * compare(a, b));
        if (sorted.some(({ row }, at) => row !== body.rows[at])) body.append(...sorted.map(({ row }) => row));
      }
    });
  }

  #offerColumns() {
    const list = this.#tools.columns;
    if (!list) return;
    for (const head of this.#heads.slice(1).filter(words)) {
      const choice = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = !this.#hidden.has(words(head));
      box.addEventListener("change", () => {
        this.#hidden[box.checked ? "delete" : "add"](words(head));
        keep(BROWSER, this.#key, JSON.stringify([...this.#hidden]));
        this.#show();
      });
      choice.append(box, words(head));
      list.append(choice);
    }
    list.closest("details").hidden = list.children.length === 0;
  }

  #download() {
    const head = this.#table.tHead ? [...this.#table.tHead.rows] : [];
    const lines = [...head, ...this.#found(this.#rows)].map((row) =>
      [...row.cells].filter((cell) => !cell.hidden).map((cell) => quoted(csvText(cell))).join(","));
    save(lines.map((line) => `${line}\r\n`).join(""), "text/csv;charset=utf-8", `${this.dataset.name ?? "table"}.csv`);
  }

  // Heads stay at the top of the window only while the frame does not scroll.
  #fit() {
    const frame = this.#table.parentElement;
    const fits = this.#table.offsetWidth <= frame.clientWidth;
    frame.toggleAttribute("data-fits", fits);
    if (fits) frame.removeAttribute("tabindex");
    else frame.tabIndex = 0;
  }
}

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// What a reader sees in a cell; what is there for phones or screen readers only is left out.
function words(cell) {
  const clone = cell.cloneNode(true);
  for (const other of clone.querySelectorAll(".visually-hidden, .only-phone, template")) other.remove();
  return clone.textContent.replace(/\s+/g, " ").trim();
}

// A spreadsheet would run a text that begins like a formula; a number is only a number.
function csvText(cell) {
  const text = cell.dataset.value ?? words(cell);
  return /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text;
}

const isNumber = (text) => text.trim() !== "" && Number.isFinite(Number(text));

function valueOf(cell) {
  const given = cell?.dataset.value;
  const text = given ?? (cell ? words(cell) : "");
  if (text === "" || text === "–") return null;
  if (given === undefined && !cell.classList.contains("number")) return text;
  const bare = given ?? text.replace(/[,\s%]/g, "").replace("−", "-");
  return isNumber(bare) ? Number(bare) : text;
}

customElements.define("data-table", DataTable);
