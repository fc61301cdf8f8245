// <bargain-moves data-room data-role data-price>: one offer, which becomes an answer once the partner
// has offered. With data-target it says how an offer compares; with data-counter an offer can be answered
// with an offer.

import { GamePart } from "../../game-part.js";
import { partsOf } from "../../parts.js";

const PRICE = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(\.\d{1,2})?\s*(k)?\s*(?:\$|usd|dollars?|bucks)?$/i;

// What somebody typed as a number of dollars ("$1,200", "99.50", "1.2k"); null where it is not one.
export function readPrice(text) {
  const found = PRICE.exec(text.trim());
  if (!found || (found[1] === undefined && found[2] === undefined)) return null;
  const price = Number((found[1] ?? "0").replaceAll(",", "") + (found[2] ?? ""));
  return found[3] ? Math.round(price * 100_000) / 100 : price;
}

export function priceWords(price) {
  const cents = Number.isInteger(price) ? 0 : 2;
  return `$${price.toLocaleString("en-US", { minimumFractionDigits: cents, maximumFractionDigits: cents })}`;
}

class BargainMoves extends GamePart {
  #parts;
  #offers = new Map();
  #acting = false;

  connectedCallback() {
    super.connectedCallback();
    this.#parts = partsOf(this);
    const { make, accept, reject } = this.#parts;
    make.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#offer();
    });
    make.querySelector("input").addEventListener("input", () => this.#complain(""));
    accept.addEventListener("click", () => this.move("accept"));
    reject.addEventListener("click", () => this.move("reject"));
  }

  happened({ action, seat, data }) {
    if (action !== "offer" || typeof data?.price !== "number") return;
    this.#offers.set(seat, data.price);
    this.#show();
  }

  changed({ over, acting }) {
    this.#acting = over || acting;
    for (const button of this.querySelectorAll("button")) button.disabled = this.#acting;
  }

  #offer() {
    const price = readPrice(this.#parts.make.querySelector("input").value);
    if (price === null) {
      this.#complain("Please write the price as a number of dollars, such as 120 or 99.50.");
      this.#parts.make.querySelector("input").focus();
    } else if (!this.#acting) {
      this.#complain("");
      this.move("offer", { price });
    }
  }

  #complain(words) {
    this.#parts.problem.textContent = words;
    this.#parts.problem.hidden = words === "";
    this.#parts.make.querySelector("input").toggleAttribute("aria-invalid", words !== "");
  }

  #show() {
    const mine = this.#offers.get(this.seat);
    const theirs = this.#offers.get(1 - this.seat);
    const { make, made, answer } = this.#parts;
    make.hidden = mine !== undefined || (theirs !== undefined && !("counter" in this.dataset));
    made.hidden = mine === undefined || theirs !== undefined;
    answer.hidden = theirs === undefined;
    if (mine !== undefined) this.#parts["made-words"].textContent = `You offer ${priceWords(mine)}.`;
    if (theirs === undefined) return;
    this.#parts.words.textContent = `Your partner offers ${priceWords(theirs)}`;
    this.#parts.compared.textContent = `${this.#compared(theirs)}Your answer ends the game.`;
    this.#parts.accept.textContent = `Accept ${priceWords(theirs)}`;
  }

  // Where an offer lies between what this person wants and the list price.
  #compared(price) {
    const told = [["the list price", Number(this.dataset.price)]];
    if (this.dataset.target) told.unshift(["your target", Number(this.dataset.target)]);
    const parts = told.map(([name, other]) => {
      if (price === other) return `exactly ${name}`;
      return `${priceWords(Math.abs(price - other))} ${price > other ? "above" : "below"} ${name}`;
    });
    const words = parts.join(", ");
    return `${words[0].toUpperCase()}${words.slice(1)}. `;
  }
}

customElements.define("bargain-moves", BargainMoves);
