// <number-guess data-room>: sends a guess, once.

import { GamePart } from "../../game-part.js";

class NumberGuess extends GamePart {
  connectedCallback() {
    super.connectedCallback();
    this.querySelector("button").addEventListener("click", () => {
      this.move("guess", { number: Number(this.querySelector("input").value) });
    });
  }

  happened(frame) {
    if (frame.action === "guess" && frame.seat === this.seat) this.dataset.guessed = "";
  }

  changed({ mayMove }) {
    this.querySelector("button").disabled = !mayMove || "guessed" in this.dataset;
  }
}

customElements.define("number-guess", NumberGuess);
