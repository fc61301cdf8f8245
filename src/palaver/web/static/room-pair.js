// <room-pair>: two conversations at once. Opens Continue when both are over, and marks the tab of
// a conversation that has something new while the other one is shown (on a phone).

import { partsOf, say } from "./parts.js";

class RoomPair extends HTMLElement {
  connectedCallback() {
    const rooms = [...this.querySelectorAll("chat-room")];
    const tabs = [...this.querySelectorAll(".pair-tab")];
    const labels = [...this.querySelectorAll(".pair-tabs label")];
    const parts = partsOf(this);
    const over = rooms.map((room) => room.hasAttribute("data-over"));

    this.addEventListener("room-change", ({ target, detail }) => {
      const place = rooms.indexOf(target);
      over[place] = detail.over;
      if (detail.fromPartner && !tabs[place].checked) labels[place].classList.add("new");
      this.#show(parts, over);
    });
    tabs.forEach((tab, place) =>
      tab.addEventListener("change", () => labels[place].classList.remove("new")),
    );
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
