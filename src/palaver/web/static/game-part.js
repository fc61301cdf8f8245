// The base of a game's own elements. A part belongs to the room that its `data-room` names: it hears
// of every event that this seat may see, from the first on, and of every change of the room's state,
// and it makes moves there. The server decides whether a move is legal and says so in the room.

export class GamePart extends HTMLElement {
  connectedCallback() {
    this.room = document.getElementById(this.dataset.room);
    this.seat = Number(this.room.dataset.seat);
    this.room.addEventListener("room-event", ({ detail }) => this.happened(detail));
    this.room.addEventListener("room-change", ({ detail }) => this.changed(detail));
    this.room.addEventListener("room-refused", ({ detail }) => this.refused(detail));
  }

  move(action, data = {}) {
    this.room.dispatchEvent(new CustomEvent("room-move", { detail: { action, data } }));
  }

  // An event of the dialogue: { seq, seat, action, data, time, words }.
  happened() {}

  // The state of the room: { over, acting, mayMove, count, closed, connected, elsewhere }; `acting`: a
  // move is on its way; `closed` says why nothing can be written; `elsewhere`: another tab has the room.
  changed() {}

  // A move of this seat that the server did not take: { action, data, code, message }. The room has said
  // so to screen readers.
  refused() {}
}
