// <waiting-room data-socket data-waited>: follows the server to the conversation once seated.

import { inWords } from "./durations.js";
import { partsOf, say } from "./parts.js";
import { ReconnectingSocket } from "./reconnecting-socket.js";

class WaitingRoom extends HTMLElement {
  #parts;
  #socket;
  #since;
  #timer;

  connectedCallback() {
    this.#parts = partsOf(this);
    this.#count(Number(this.dataset.waited ?? 0));
    this.#timer = setInterval(() => this.#tick(), 1000);
    this.#socket = new ReconnectingSocket(this.dataset.socket);
    this.#socket.addEventListener("frame", ({ detail }) => this.#receive(detail));
    this.#socket.addEventListener("lost", ({ detail }) => {
      this.#connection(`Connection lost. Your place is kept; trying again in ${detail.seconds} s.`);
    });
    this.#socket.addEventListener("stopped", () => {
      this.#connection("This page is out of date. Your place is kept.");
      this.#parts.check.hidden = false;
    });
    this.#socket.open();
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    this.#socket.stop();
  }

  #receive(frame) {
    this.#connection("");
    if (frame.type === "estimate") {
      say(this.#parts.estimate, frame.text);
      if (typeof frame.waited === "number") this.#count(frame.waited);
    } else if (frame.type === "seated" || frame.type === "over") {
      this.#socket.stop();
      location.assign(frame.next);
    }
  }

  #count(waited) {
    this.#since = performance.now() - waited * 1000;
    this.#tick();
  }

  #tick() {
    say(this.#parts.waited, inWords((performance.now() - this.#since) / 1000));
  }

  #connection(text) {
    this.#parts.connection.hidden = text === "";
    say(this.#parts.connection, text);
  }
}

customElements.define("waiting-room", WaitingRoom);
