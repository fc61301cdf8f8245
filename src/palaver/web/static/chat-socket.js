// One room's protocol over a reconnecting socket: catches up by sequence number without gaps or
// duplicates, and resends what the server has not confirmed. Emits the server's frames under their
// type ("event", "ready", "state", "typing", "draft", "next", "replaced"), "refused" for a move
// the server refused, "notice" for any other error, "unconfirmed" for a move that hears nothing,
// "known" for an event that was delivered before, and the connection's "lost" and "stopped".

import { ReconnectingSocket } from "./reconnecting-socket.js";

const CONFIRM_WITHIN = 10_000;

export class ChatSocket extends EventTarget {
  #socket;
  #outbox;
  #position = 0;
  #catchingUp = true;
  #held = new Map();
  #timers = new Map();

  constructor(address, outbox) {
    super();
    this.#outbox = outbox;
    this.#socket = new ReconnectingSocket(address);
    this.#socket.addEventListener("open", () => this.#hello());
    this.#socket.addEventListener("frame", ({ detail }) => this.#receive(detail));
    this.#socket.addEventListener("lost", ({ detail }) => this.#emit("lost", detail));
    this.#socket.addEventListener("stopped", () => this.#emit("stopped"));
  }

  open() {
    this.#socket.open();
  }

  close() {
    this.#socket.stop();
  }

  post(move) {
    this.#outbox.add(move);
    this.#transmit(move);
  }

  retry(id) {
    this.#outbox.readmit(id);
    this.#transmit(this.#outbox.find(id));
  }

  signalTyping(on) {
    if (!this.#catchingUp) this.#socket.send({ type: "typing", on });
  }

  #hello() {
    this.#catchingUp = true;
    this.#socket.send({ type: "hello", after: this.#position });
  }

  #receive(frame) {
    if (frame.type === "event") this.#hold(frame);
    else if (frame.type === "ready") this.#ready(frame);
    else if (frame.type === "error") this.#refused(frame);
    else if (frame.type === "replaced") this.#replaced();
    else this.#emit(frame.type, frame);
  }

  // While catching up, frames wait for "ready" and are then delivered in order: a live event may
  // overtake the history. Afterwards a gap starts another catch-up; sequence numbers that this
  // seat may not see are gaps that stay, and "ready" steps over them.
  #hold(frame) {
    if (frame.seq <= this.#position) return this.#known(frame);
    this.#held.set(frame.seq, frame);
    if (this.#catchingUp) return;
    if (frame.seq === this.#position + 1) this.#deliver();
    else this.#hello();
  }

  // The answer to a move that was sent twice: its event is on the screen already.
  #known(frame) {
    this.#confirm(frame);
    this.#emit("known", frame);
  }

  #ready(frame) {
    this.#deliver();
    this.#position = Math.max(this.#position, frame.position);
    this.#catchingUp = false;
    this.#emit("ready", frame);
    for (const move of this.#outbox.waiting) this.#transmit(move);
  }

  #deliver() {
    const frames = [...this.#held.values()].sort((one, other) => one.seq - other.seq);
    this.#held.clear();
    for (const frame of frames) {
      this.#position = frame.seq;
      this.#confirm(frame);
      this.#emit("event", frame);
    }
  }

  #confirm(frame) {
    if (frame.id === undefined || frame.id === null) return;
    this.#settle(frame.id);
    this.#outbox.remove(frame.id);
  }

  #refused(frame) {
    const move = frame.id && this.#outbox.find(frame.id);
    if (!move) return this.#emit("notice", frame);
    this.#settle(frame.id);
    const refusal = { code: frame.code, message: frame.message };
    if (move.action === "message") this.#outbox.refuse(move.id, refusal);
    else this.#outbox.remove(move.id);
    this.#emit("refused", { move, refusal });
  }

  #replaced() {
    this.#socket.stop();
    this.#catchingUp = true;
    this.#emit("replaced");
  }

  #transmit({ id, action, data }) {
    if (this.#catchingUp) return; // sent after "ready"
    this.#settle(id);
    this.#socket.send({ type: "move", id, action, data });
    this.#emit("sending", { id });
    this.#timers.set(id, setTimeout(() => this.#unconfirmed(id), CONFIRM_WITHIN));
  }

  #settle(id) {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  // Silence on every front means a dead connection; silence about one move means a busy server.
  #unconfirmed(id) {
    this.#timers.delete(id);
    this.#emit("unconfirmed", { id });
    if (this.#socket.silence >= CONFIRM_WITHIN) {
      this.#catchingUp = true;
      this.#socket.restart();
    }
  }

  #emit(type, detail = null) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
