// <dialogue-list>: a list of any length of which only the rows in sight exist.

import { AGENTS, OPENING, OUTCOME, RATINGS, TITLE, TURNS } from "./viewer-rows.js";

const HEIGHT = 76;
const MARGIN = 6;

export const element = (name, also = {}, ...inside) => {
  const node = Object.assign(document.createElement(name), also);
  node.append(...inside);
  return node;
};

class DialogueList extends HTMLElement {
  #space = element("div", { className: "viewer-space", role: "presentation" });
  #shown = new Map();
  #rows = [];
  #numbers = [];
  #chosen = -1;

  connectedCallback() {
    this.append(this.#space);
    this.addEventListener("scroll", () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this);
    this.addEventListener("keydown", (event) => this.#key(event));
    this.#space.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.#choose(Number(row.dataset.at), true);
    });
  }

  // Show these rows; `open` is the number of the one that is opened, `seek` whether to go there.
  show(rows, numbers, open, seek) {
    this.#rows = rows;
    this.#numbers = numbers;
    this.#chosen = numbers.indexOf(open);
    this.#space.style.setProperty("--rows", numbers.length);
    this.#space.style.setProperty("--height", `${HEIGHT}px`);
    this.#clear();
    this.scrollTop = this.#chosen < 0 || !seek ? 0 : Math.max(0, this.#chosen * HEIGHT - this.clientHeight / 2);
    this.#draw();
  }

  step(by) {
    if (!this.#numbers.length) return;
    const next = this.#chosen < 0 ? Math.max(by, 1) - 1 : this.#chosen + by;
    this.#choose(Math.min(Math.max(next, 0), this.#numbers.length - 1), false);
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.clientHeight / HEIGHT) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#numbers.length, End: this.#numbers.length };
    if (event.key in steps) this.step(steps[event.key]);
    else if (event.key === "Enter" && this.#chosen >= 0) this.#choose(this.#chosen, true);
    else return;
    event.preventDefault();
  }

  // `read`: the reader wants the dialogue itself, not only to see which it is.
  #choose(at, read) {
    this.#chosen = at;
    const top = at * HEIGHT;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + HEIGHT > this.scrollTop + this.clientHeight) this.scrollTop = top + HEIGHT - this.clientHeight;
    this.#clear();
    this.#draw();
    this.dispatchEvent(new CustomEvent("choose", { detail: { number: this.#numbers[at], read }, bubbles: true }));
  }

  #clear() {
    for (const node of this.#shown.values()) node.remove();
    this.#shown.clear();
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.scrollTop / HEIGHT) - MARGIN);
    const last = Math.min(this.#numbers.length, Math.ceil((this.scrollTop + this.clientHeight) / HEIGHT) + MARGIN);
    for (const [at, node] of this.#shown) {
      if (at >= first && at < last) continue;
      node.remove();
      this.#shown.delete(at);
    }
    for (let at = first; at < last; at += 1) if (!this.#shown.has(at)) this.#shown.set(at, this.#space.appendChild(this.#row(at)));
    const chosen = this.#shown.get(this.#chosen);
    if (chosen) this.setAttribute("aria-activedescendant", chosen.id);
    else this.removeAttribute("aria-activedescendant");
  }

  #row(at) {
    const row = this.#rows[this.#numbers[at]];
    const rated = Object.entries(row[RATINGS]).map(([name, mean]) => `${name} ${mean}`).join(", ");
    const about = [row[AGENTS].join(" and "), `${row[TURNS]} turns`, rated].filter(Boolean).join(" · ");
    const node = element(
      "div",
      { className: "viewer-row", role: "option", id: `row-${at}` },
      element("span", { className: "viewer-title", textContent: row[TITLE], dir: "auto" }),
      ...(row[OUTCOME] ? [element("span", { className: "tag", textContent: row[OUTCOME] })] : []),
      element("span", { className: "viewer-opening", textContent: row[OPENING] || "Nothing was said.", dir: "auto" }),
      element("span", { className: "viewer-about", textContent: about, dir: "auto" }),
    );
    node.dataset.at = at;
    node.ariaSelected = String(at === this.#chosen);
    node.ariaPosInSet = String(at + 1);
    node.ariaSetSize = String(this.#numbers.length);
    node.style.setProperty("--at", at);
    return node;
  }
}

customElements.define("dialogue-list", DialogueList);
