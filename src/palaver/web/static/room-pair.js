// <room-pair>: two conversations at once. Opens Continue when both are over.

import { partsOf, say } from "./parts.js";

class RoomPair extends HTMLElement {
  connectedCallback() {
    const rooms = [...this.querySelectorAll("chat-room")];
    const parts = partsOf(this);
    const over = rooms.map((room) => room.hasAttribute("data-over"));
    this.addEventListener("room-change", ({ target, detail }) => {
      over[rooms.indexOf(target)] = detail.over;
      this.#show(parts, over);
    });
    this.#show(parts, over);
  }

  #show(parts, over) {
    const open = ["A", "B"].filter((_, place) => !over[place]);
    parts["pair-continue"].hidden = open.length > 0;
    const texts = [
      "Both conversations are over.",
      `Conversation ${open[0]} is still open.`,
      "Finish both conversations to continue.",
    ];
    say(parts["pair-text"], texts[open.length]);
  }
}

customElements.define("room-pair", RoomPair);
