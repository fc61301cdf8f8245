// <mark-turn data-room data-asked>: beside a conversation with a system, which of its messages is wrong.
// The last one is chosen until somebody chooses another.

import { GamePart } from "../../game-part.js";
import { partsOf, say } from "../../parts.js";

const LONGEST = 140;

class MarkTurn extends GamePart {
  #parts;
  #most;
  #count = 0;
  #own = false; // whether somebody chose a message themselves
  #leaving = false;
  #state = { over: false, acting: false };

  connectedCallback() {
    super.connectedCallback();
    this.#parts = partsOf(this);
    this.#most = JSON.parse(this.dataset.asked).tries;
    this.#parts.marking.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#mark();
    });
    this.#parts.messages.addEventListener("change", () => (this.#own = true));
    this.#parts.stop.addEventListener("click", () => this.#leave("stop"));
    this.#parts.skip?.addEventListener("click", () => this.#leave("skip"));
    this.#show();
  }

  happened({ action, seat, data }) {
    if (action === "message" && seat !== this.seat && data) this.#add(String(data.text ?? ""));
    if (action === "end" && this.#leaving) location.assign(this.room.dataset.next);
    this.#show();
  }

  changed(state) {
    this.#state = state;
    this.#show();
  }

  refused({ message }) {
    this.#leaving = false;
    this.#say(message);
  }

  #add(text) {
    const item = this.#parts.message.content.firstElementChild.cloneNode(true);
    const input = item.querySelector("input");
    this.#count += 1;
    input.value = String(this.#count);
    say(partsOf(item)["text-of"], text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
    this.#parts.messages.prepend(item);
    if (!this.#own) input.checked = true;
  }

  #mark() {
    const { marking } = this.#parts;
    const chosen = marking.querySelector("[name=number]:checked");
    const label = marking.querySelector("[name=label]:checked, [name=label][type=hidden]");
    if (!chosen) return this.#say("Choose the message that is wrong first.");
    if (!label) {
      marking.querySelector("[name=label]")?.focus();
      return this.#say("Say first what is wrong with it.");
    }
    const why = marking.elements.why.value.trim();
    this.#leave("keep", { number: Number(chosen.value), label: label.value, why });
  }

  #leave(action, data = {}) {
    if (this.#state.over || this.#state.acting) return;
    this.#say("");
    this.#leaving = true;
    this.move(action, data);
  }

  #show() {
    const { over } = this.#state;
    const left = Math.max(0, this.#most - this.#count);
    this.#parts.marking.hidden = this.#count === 0 || over;
    this.#parts["none-yet"].hidden = this.#count > 0 || over;
    if (this.#parts.skip) this.#parts.skip.hidden = this.#count > 0 || over;
    say(this.#parts.left, left ? `${left} ${left === 1 ? "answer" : "answers"} left.` : "That was the last answer.");
  }

  #say(words) {
    say(this.#parts.problem, words);
    this.#parts.problem.hidden = words === "";
  }
}

customElements.define("mark-turn", MarkTurn);
