// A WebSocket that comes back. Emits "open", "frame" (a parsed JSON frame), "lost" (every second
// until the next attempt, with the seconds left) and "stopped" (the server refused for good).

const FIRST_DELAY = 500;
const LONGEST_DELAY = 8000;
const REFUSED = new Set([1008, 4001, 4002]); // by policy, out of date, replaced

export class ReconnectingSocket extends EventTarget {
  #url;
  #socket = null;
  #attempts = 0;
  #timer = null;
  #wanted = false;
  #heardAt = 0;

  constructor(address) {
    super();
    this.#url = new URL(address, location.href);
    this.#url.protocol = this.#url.protocol.replace("http", "ws");
    addEventListener("online", () => this.#hurry());
    addEventListener("offline", () => this.#socket?.close());
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  get silence() {
    return performance.now() - this.#heardAt;
  }

  open() {
    this.#wanted = true;
    this.#attempts = 0;
    this.#connect();
  }

  stop() {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#drop();
  }

  restart() {
    if (!this.#wanted) return;
    this.#drop();
    this.#lost();
  }

  send(frame) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#drop();
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#current(socket) && this.#opened());
    socket.addEventListener("message", (event) => this.#current(socket) && this.#heard(event.data));
    socket.addEventListener("close", (event) => this.#current(socket) && this.#closed(event.code));
  }

  // A socket that was replaced may still fire; only the newest one is listened to.
  #current(socket) {
    return socket === this.#socket;
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #opened() {
    this.#heardAt = performance.now();
    this.#emit("open");
  }

  #heard(text) {
    this.#heardAt = performance.now();
    this.#attempts = 0;
    this.#emit("frame", JSON.parse(text));
  }

  #closed(code) {
    this.#socket = null;
    if (!this.#wanted) return;
    if (REFUSED.has(code)) {
      this.#wanted = false;
      this.#emit("stopped");
    } else {
      this.#lost();
    }
  }

  #lost() {
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** this.#attempts);
    this.#attempts += 1;
    const jitter = 0.8 + 0.4 * Math.random(); // so that a restarted server is not stormed
    this.#wait(performance.now() + Math.min(LONGEST_DELAY, delay * jitter));
  }

  #wait(until) {
    const left = until - performance.now();
    if (left <= 0) return this.#connect();
    this.#emit("lost", { seconds: Math.ceil(left / 1000), attempts: this.#attempts });
    this.#timer = setTimeout(() => this.#wait(until), Math.min(left, 1000));
  }

  #hurry() {
    if (this.#wanted && this.#timer !== null) this.#connect();
  }

  #emit(type, detail = null) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
