// <friends-table data-room data-pause>: one's own friends; search in all columns, sort by any, select
// one. What the partner wrote is marked where a friend has it.
// <friends-choice data-room>: whom both have selected, and on a phone the way to the table.

import { GamePart } from "../../game-part.js";

const same = (one, other) => {
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]))
  );
};
const called = (friend) => {
  const { Name: name, ...rest } = friend;
  const values = Object.values(rest).flat().join(", ");
  return name && values ? `${name} (${values})` : name || values;
};
const selectedBy = (own, friend) => `${own ? "You" : "Your partner"} selected ${called(friend)}.`;
const plain = (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}&]+/gu, " ").trim()} `;

class FriendsTable extends GamePart {
  #rows;
  #body;
  #mayMove = false;
  #chosen = null;
  #live = false; // whether the room has told everything that happened before
  #waiting = 0;
  #said = " ";

  connectedCallback() {
    super.connectedCallback();
    this.#body = this.querySelector("tbody");
    this.#rows = [...this.#body.rows];
    this.#part("search").addEventListener("input", () => this.#search());
    this.#part("search").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#clear();
    });
    this.#part("sort").addEventListener("change", ({ target }) => {
      if (target.value !== "") this.#sort(Number(target.value), true);
    });
    this.querySelector("thead").addEventListener("click", ({ target }) => {
      const button = target.closest("[data-sort]");
      if (!button) return;
      const rising = button.closest("th").getAttribute("aria-sort") !== "ascending";
      this.#sort(Number(button.dataset.sort), rising);
    });
    this.#body.addEventListener("click", ({ target }) => {
      const button = target.closest(".choose");
      if (button && !button.hasAttribute("aria-disabled")) this.#select(button.closest("tr"));
    });
  }

  happened(frame) {
    if (frame.action === "select" && frame.data) this.#selected(frame);
    if (frame.action === "message" && frame.seat !== this.seat && frame.data) {
      this.#said += plain(frame.data.text).slice(1);
      this.#mark();
    }
  }

  changed({ mayMove, over }) {
    this.#live ||= mayMove;
    this.#mayMove = mayMove && !over;
    this.#refresh();
    if (over && this.#live) this.#showEnd();
  }

  #part(name) {
    return this.querySelector(`[data-part="${name}"]`);
  }

  // The friend of a row, with the attributes in the order of the columns.
  #friend(row) {
    const friend = JSON.parse(row.dataset.friend);
    const names = [...this.querySelectorAll("[data-sort]")].map((button) => button.dataset.name);
    return Object.fromEntries(names.filter((name) => name in friend).map((name) => [name, friend[name]]));
  }

  #select(row) {
    this.move("select", { item: this.#friend(row) });
  }

  #selected({ seat, data }) {
    const own = seat === this.seat;
    for (const row of this.#rows) {
      row.classList.toggle(own ? "chosen" : "theirs", same(this.#friend(row), data.item));
    }
    const known = this.#rows.some((row) => same(this.#friend(row), data.item));
    const line = this.#part(own ? "own" : "partner");
    line.textContent = selectedBy(own, data.item) + (known ? "" : " Nobody in your table is this friend.");
    line.hidden = false;
    if (own) {
      this.#chosen = data.item;
      if (this.#live) this.#pause(Number(this.dataset.pause));
    }
    this.#refresh();
  }

  // Another selection is allowed only after a while; the server decides, this says so beforehand.
  #pause(seconds) {
    clearInterval(this.#waiting);
    const until = Date.now() + seconds * 1000;
    const tick = () => {
      const left = Math.ceil((until - Date.now()) / 1000);
      if (left <= 0) {
        clearInterval(this.#waiting);
        this.#waiting = 0;
      }
      this.#part("pause").hidden = left <= 0;
      this.#part("pause").textContent = `You can select somebody else in ${left} s.`;
      this.#refresh();
    };
    if (seconds > 0) {
      this.#waiting = setInterval(tick, 1000);
      tick();
    }
  }

  #refresh() {
    for (const row of this.#rows) {
      const button = row.querySelector(".choose");
      const chosen = this.#chosen !== null && row.classList.contains("chosen");
      button.firstChild.textContent = chosen ? "Selected" : "Select";
      button.setAttribute("aria-pressed", String(chosen));
      // A button that was just pressed keeps the focus.
      const closed = !this.#mayMove || chosen || this.#waiting !== 0;
      button.disabled = false;
      button.toggleAttribute("aria-disabled", closed);
      if (closed) button.setAttribute("aria-disabled", "true");
    }
  }

  // On a phone the end is told beside the conversation.
  #showEnd() {
    this.#live = false;
    const tab = document.querySelector(`room-tabs input[value="${this.room.id}"]`);
    if (tab) tab.checked = true;
  }

  #search() {
    const words = this.#part("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.#rows) {
      const text = [...row.cells].slice(0, -1).map((cell) => cell.textContent.toLowerCase()).join(" ");
      row.hidden = !words.every((word) => text.includes(word));
    }
    const left = this.#rows.filter((row) => !row.hidden).length;
    this.#part("count").textContent = `${left} of ${this.#rows.length} friends`;
    this.querySelector(".friends-card").toggleAttribute("data-empty", left === 0);
  }

  #clear() {
    this.#part("search").value = "";
    this.#search();
  }

  #sort(column, rising) {
    const heads = [...this.querySelectorAll("thead th")];
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
    const text = (row) => row.cells[column].textContent;
    const order = [...this.#rows].sort((a, b) => text(a).localeCompare(text(b)) * (rising ? 1 : -1));
    this.#body.append(...order);
    this.#part("sort").value = String(column);
  }

  // Marks values that the partner has written in full.
  #mark() {
    for (const row of this.#rows) {
      for (const cell of [...row.cells].slice(0, -1)) {
        const value = cell.textContent;
        if (cell.querySelector("mark") || !this.#said.includes(plain(value))) continue;
        const mark = document.createElement("mark");
        mark.textContent = value;
        cell.replaceChildren(mark);
        this.#part("mark-note").hidden = false;
      }
    }
  }
}

class FriendsChoice extends GamePart {
  connectedCallback() {
    super.connectedCallback();
    const show = this.querySelector('[data-part="show"]');
    const tab = document.querySelector('room-tabs input[value="side"]');
    if (!tab) return;
    show.hidden = false;
    show.addEventListener("click", () => {
      tab.checked = true;
      tab.dispatchEvent(new Event("change", { bubbles: true }));
      tab.focus();
    });
  }

  happened(frame) {
    if (frame.action !== "select" || !frame.data) return;
    const own = frame.seat === this.seat;
    const line = this.querySelector(`[data-part="${own ? "own" : "partner"}"]`);
    line.textContent = selectedBy(own, frame.data.item);
    line.hidden = false;
  }
}

customElements.define("friends-table", FriendsTable);
customElements.define("friends-choice", FriendsChoice);
