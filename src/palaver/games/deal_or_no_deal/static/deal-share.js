// <deal-share data-room>: what this seat would get, set piece by piece; a step for one side is a step
// back for the other, so that the two shares always add up. Marks the deal, or says that there is none.
//
// <deal-notice data-room>: beside the conversation, how the share stands and whether the partner has
// marked a deal. The share tells it by "share-change" on the room: { points, of }.

import { keep, recall, TAB } from "../../browser-storage.js";
import { GamePart } from "../../game-part.js";
import { partsOf, say } from "../../parts.js";

const CHOSEN = "You have marked the deal. Your partner has not yet.";
const counted = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

class DealShare extends GamePart {
  #parts;
  #goods;
  #touched = false;
  #own = 0; // messages that this seat has sent
  #chosen = false;
  #state = { over: false, mayMove: false, closed: "" };

  connectedCallback() {
    super.connectedCallback();
    this.#parts = partsOf(this);
    this.#goods = [...this.querySelectorAll("[data-good]")];
    for (const good of this.#goods) {
      good.addEventListener("click", ({ target }) => this.#step(good, target.closest("[data-step]")));
    }
    this.#recall();
    this.#parts.mark.addEventListener("click", () => this.#askMark());
    this.#parts.none.addEventListener("click", () => this.#askNone());
    this.#parts.dialog.addEventListener("close", () => this.#answered());
    this.#show();
  }

  happened({ action, seat, data }) {
    if (action === "message" && seat === this.seat) this.#own += 1;
    if (action === "select" && seat === this.seat) {
      this.#chosen = true;
      for (const good of this.#goods) this.#set(good, data?.take?.[good.dataset.good] ?? 0);
    }
    this.#show();
  }

  changed(state) {
    this.#state = state;
    this.#show();
  }

  #step(good, button) {
    if (!button) return;
    this.#touched = true;
    this.#set(good, this.#mine(good) + Number(button.dataset.step));
    keep(TAB, this.#key, JSON.stringify(this.#take()));
    this.#show();
    // A button that has just become useless would lose the keyboard.
    if (button.disabled) good.querySelector("[data-step]:enabled")?.focus();
  }

  #mine(good) {
    return Number(good.querySelector("output").textContent);
  }

  #set(good, count) {
    const mine = Math.min(Number(good.dataset.count), Math.max(0, count));
    say(good.querySelector("output"), String(mine));
  }

  #take() {
    return Object.fromEntries(this.#goods.map((good) => [good.dataset.good, this.#mine(good)]));
  }

  #show() {
    const { over, mayMove } = this.#state;
    const still = over || this.#chosen;
    let points = 0;
    let of = 0;
    for (const good of this.#goods) {
      const [count, value, mine] = [Number(good.dataset.count), Number(good.dataset.value), this.#mine(good)];
      points += mine * value;
      of += count * value;
      const [less, more] = good.querySelectorAll("[data-step]");
      less.disabled = still || mine === 0;
      more.disabled = still || mine === count;
      const parts = partsOf(good);
      say(parts.mine, String(mine));
      say(parts.theirs, String(count - mine));
      this.#pips(good.querySelector(".pips"), count, mine);
    }
    say(this.#parts.points, String(points));
    const mark = this.#whyNotMark();
    const none = this.#whyNotNone();
    this.#parts.mark.disabled = still || !mayMove || mark !== "";
    this.#parts.none.disabled = still || none !== "";
    say(this.#parts["mark-why"], mark);
    say(this.#parts["none-why"], none);
    this.#parts["none-why"].hidden = still || none === mark;
    this.#parts.note.hidden = still;
    this.room.dispatchEvent(new CustomEvent("share-change", { detail: { points, of } }));
  }

  #pips(place, count, mine) {
    const pip = (n) => Object.assign(document.createElement("i"), { className: n < mine ? "mine" : "" });
    place.replaceChildren(...Array.from({ length: count }, (_, n) => pip(n)));
  }

  // Why a deal cannot be marked now; empty when it can.
  #whyNotMark() {
    if (this.#state.over) return "";
    if (this.#chosen) return CHOSEN;
    const missing = Number(this.dataset.selectAfter) - this.#own;
    if (missing > 0 && !this.#state.closed) {
      return `You can mark a deal once you have sent ${counted(Number(this.dataset.selectAfter), "message")}.`;
    }
    if (!this.#state.mayMove) return "You can mark a deal when it is your turn.";
    return this.#touched ? "" : "Set what you get first.";
  }

  #whyNotNone() {
    const needed = Number(this.dataset.noDealAfter);
    if (this.#state.over || this.#chosen || this.#state.closed || this.#own >= needed) return "";
    return `You can say that there is no deal after ${counted(needed, "message")} of yours; you have sent ${this.#own}.`;
  }

  #askMark() {
    const mine = this.#listed((good) => this.#mine(good));
    const theirs = this.#listed((good) => Number(good.dataset.count) - this.#mine(good));
    const text = `You get ${mine}; your partner gets ${theirs}. You cannot change it afterwards.`;
    this.#ask("mark", "Mark this deal?", text, "Mark it");
  }

  #listed(countOf) {
    const words = this.#goods
      .filter((good) => countOf(good) > 0)
      .map((good) => `${countOf(good)} ${countOf(good) === 1 ? good.dataset.good : good.dataset.many}`);
    const last = words.pop() ?? "nothing";
    return words.length ? `${words.join(", ")} and ${last}` : last;
  }

  #askNone() {
    this.#ask("none", "End without a deal?", "Nobody gets points, and the conversation is over.", "No deal");
  }

  #ask(about, question, text, go) {
    const { dialog } = this.#parts;
    dialog.dataset.about = about;
    dialog.returnValue = "";
    say(this.#parts.sure, question);
    say(this.#parts["sure-text"], text);
    say(this.#parts.go, go);
    dialog.showModal();
  }

  #answered() {
    const { dialog } = this.#parts;
    if (dialog.returnValue !== "go") return;
    if (dialog.dataset.about === "mark") this.move("select", { take: this.#take() });
    else this.move("quit", { no_deal: true });
  }

  get #key() {
    return `share ${new URL(this.room.dataset.socket, location.href).pathname}`;
  }

  #recall() {
    const kept = recall(TAB, this.#key);
    if (kept === null) return;
    const take = JSON.parse(kept);
    this.#touched = true;
    for (const good of this.#goods) this.#set(good, take[good.dataset.good] ?? 0);
  }
}

class DealNotice extends GamePart {
  #parts;
  #share = "";
  #chosen = false;
  #state = { closed: "" };

  connectedCallback() {
    super.connectedCallback();
    this.#parts = partsOf(this);
    this.#parts.open.addEventListener("click", () => {
      const tab = document.querySelector("room-tabs input[value=side]");
      tab?.click();
      tab?.focus();
    });
    this.room.addEventListener("share-change", ({ detail: { points, of } }) => {
      this.#share = `Your share: ${points} of ${of} points.`;
      this.#show();
    });
  }

  happened({ action, seat }) {
    if (action === "select" && seat === this.seat) this.#chosen = true;
    this.#show();
  }

  changed(state) {
    this.#state = state;
    this.#show();
  }

  #show() {
    const incoming = !this.#chosen && Boolean(this.#state.closed);
    this.toggleAttribute("data-incoming", incoming);
    const words = incoming ? "Your partner has marked a deal. Mark what you agreed on to finish." : this.#share;
    say(this.#parts.words, words);
  }
}

customElements.define("deal-share", DealShare);
customElements.define("deal-notice", DealNotice);
