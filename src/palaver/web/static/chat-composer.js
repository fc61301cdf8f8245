// The input of one room: Enter sends, Shift+Enter breaks, a composition (IME) is left alone. Emits
// "send" with the text and "typing" with on or off. What is written survives a reload.

import { TAB, keep, recall } from "./browser-storage.js";
import { say } from "./parts.js";

const TYPING_AGAIN = 3000;
const TYPING_OFF = 4000;
const NEAR_LIMIT = 0.9;

export class ChatComposer extends EventTarget {
  #form;
  #input;
  #button;
  #parts;
  #counter;
  #key;
  #limit;
  #allowed = false;
  #typingSince = 0;
  #quiet = null;

  constructor(parts, { limit, name }) {
    super();
    this.#form = parts.composer;
    this.#input = this.#form.querySelector("textarea");
    this.#button = this.#form.querySelector("button");
    this.#parts = parts;
    this.#counter = parts.counter;
    this.#limit = limit;
    this.#key = `palaver:draft:${name}`;
    this.#input.value = recall(TAB, this.#key) ?? "";
    this.#input.addEventListener("input", () => this.#changed());
    this.#input.addEventListener("keydown", (event) => this.#pressed(event));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  allow() {
    this.#set(true, "");
  }

  // `drafting` lets one write what can be sent later. Otherwise the box is read-only and not disabled:
  // the focus stays where it is.
  refuse(reason, { drafting = false } = {}) {
    this.#set(false, reason, drafting);
  }

  show(shown) {
    this.#form.hidden = !shown;
    this.#parts["reason-line"].hidden = !shown;
  }

  close() {
    this.#typing(false);
    this.show(false);
  }

  fill(text) {
    this.#input.value = [text, this.#input.value].filter(Boolean).join("\n");
    this.#changed();
    this.#input.focus();
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }

  #set(allowed, reason, drafting = allowed) {
    this.#allowed = allowed;
    this.#input.disabled = false;
    this.#input.readOnly = !drafting;
    say(this.#parts.reason, reason);
    this.#parts.keys.hidden = reason !== "";
    this.#weigh();
  }

  #pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.#send();
  }

  #changed() {
    this.#weigh();
    keep(TAB, this.#key, this.#input.value);
    this.#typing(this.#input.value.trim() !== "");
  }

  #send() {
    const text = this.#input.value.trim();
    if (!this.#allowed || text === "" || this.#length(text) > this.#limit) return;
    this.#input.value = "";
    this.#changed();
    this.dispatchEvent(new CustomEvent("send", { detail: text }));
  }

  #weigh() {
    const text = this.#input.value.trim();
    const length = this.#length(text);
    const over = length > this.#limit;
    this.#button.disabled = !this.#allowed || text === "" || over;
    this.#counter.hidden = length < this.#limit * NEAR_LIMIT;
    this.#counter.classList.toggle("over-limit", over);
    const left = this.#limit - length;
    say(this.#counter, over ? `${-left} too many to send` : `${left} characters left`);
  }

  // The server counts code points, not UTF-16 units.
  #length(text) {
    return text.length > this.#limit * NEAR_LIMIT ? [...text].length : text.length;
  }

  #typing(on) {
    clearTimeout(this.#quiet);
    if (on) this.#quiet = setTimeout(() => this.#typing(false), TYPING_OFF);
    const again = performance.now() - this.#typingSince > TYPING_AGAIN;
    if (on ? !again : this.#typingSince === 0) return;
    this.#typingSince = on ? performance.now() : 0;
    this.dispatchEvent(new CustomEvent("typing", { detail: on }));
  }
}
