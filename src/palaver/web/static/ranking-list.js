// <ranking-list>: entries that are moved with buttons, arrow keys or by dragging. The places are in
// the selects, which are sent; without scripts people use those. Nothing is sent until somebody has
// moved an entry or said that the order is right as it is.

import { partsOf, say } from "./parts.js";

const ARROWS = { ArrowUp: -1, ArrowDown: 1 };

class RankingList extends HTMLElement {
  #parts;

  connectedCallback() {
    this.#parts = partsOf(this);
    const { list, keep } = this.#parts;
    const placed = this.#items.filter((item) => select(item).value !== "");
    if (placed.length === this.#items.length) {
      list.append(...placed.sort((one, other) => select(one).value - select(other).value));
      this.toggleAttribute("data-answered", true);
    } else {
      for (const item of placed) select(item).value = "";
    }
    for (const item of this.#items) this.#equip(item);
    keep.addEventListener("click", () => {
      this.#answer();
      say(this.#parts.said, "The order is kept.");
      list.querySelector("[data-move]").focus();
    });
    this.#show();
  }

  get #items() {
    return [...this.#parts.list.children];
  }

  #equip(item) {
    const { handle, moves } = partsOf(item);
    select(item).hidden = true;
    handle.hidden = moves.hidden = false;
    moves.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-move]");
      if (button) this.#move(item, Number(button.dataset.move), button);
    });
    moves.addEventListener("keydown", (event) => {
      const by = event.altKey ? 0 : (ARROWS[event.key] ?? 0);
      if (by === 0) return;
      event.preventDefault();
      this.#move(item, by, event.target);
    });
    handle.addEventListener("pointerdown", (event) => this.#drag(event, item));
  }

  #move(item, by, button) {
    const items = this.#items;
    const place = items.indexOf(item) + by;
    if (place >= 0 && place < items.length) {
      this.#parts.list.insertBefore(item, by > 0 ? items[place].nextSibling : items[place]);
      button.focus();
    }
    this.#answer(item);
  }

  // The list follows the pointer, because an entry that changes its place loses hold of it.
  #drag(event, item) {
    const { list } = this.#parts;
    event.preventDefault();
    list.setPointerCapture(event.pointerId);
    item.classList.add("dragged");
    const follow = ({ clientY }) => {
      const others = this.#items.filter((one) => one !== item);
      const next = others.find((one) => middle(one) > clientY) ?? null;
      if (item.nextElementSibling !== next) list.insertBefore(item, next);
    };
    const stop = () => {
      list.removeEventListener("pointermove", follow);
      item.classList.remove("dragged");
      this.#answer(item);
    };
    list.addEventListener("pointermove", follow);
    list.addEventListener("lostpointercapture", stop, { once: true });
  }

  #answer(moved = null) {
    const items = this.#items;
    items.forEach((item, place) => (select(item).value = String(place + 1)));
    this.toggleAttribute("data-answered", true);
    this.#show();
    if (moved) {
      const place = items.indexOf(moved) + 1;
      say(this.#parts.said, `${moved.dataset.entry}: place ${place} of ${items.length}`);
    }
    select(items[0]).dispatchEvent(new Event("change", { bubbles: true }));
  }

  #show() {
    const answered = this.hasAttribute("data-answered");
    this.#parts.untouched.hidden = this.#parts.keep.hidden = answered;
    const last = this.#items.length - 1;
    this.#items.forEach((item, place) => {
      const [up, down] = item.querySelectorAll("[data-move]");
      up.setAttribute("aria-disabled", String(place === 0));
      down.setAttribute("aria-disabled", String(place === last));
    });
  }
}

function select(item) {
  return item.querySelector("select");
}

function middle(item) {
  const { top, height } = item.getBoundingClientRect();
  return top + height / 2;
}

customElements.define("ranking-list", RankingList);
