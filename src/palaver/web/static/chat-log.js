// The messages of one room on the screen: confirmed ones in order, then those still on their way.

import { partsOf, say } from "./parts.js";
import { richNodes } from "./rich-text.js";

const NEAR = 48;
const LONG_SILENCE = 15 * 60; // seconds after which the time is said again
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

export class ChatLog {
  #parts;
  #seat;
  #partner;
  #pending = new Map();
  #sent = null; // the last own message that arrived
  #lastTime = -Infinity;
  #atBottom = true;
  #frame = 0;

  constructor(parts, { seat, partner, onRetry, onEdit, onPartner }) {
    this.#parts = parts;
    this.#seat = seat;
    this.#partner = partner;
    this.onRetry = onRetry;
    this.onEdit = onEdit;
    this.onPartner = onPartner;
    parts.scroll.addEventListener("scroll", () => this.#look());
    parts["new-message"].addEventListener("click", () => this.#toBottom());
    new ResizeObserver(() => this.#atBottom && this.#toBottom()).observe(parts.scroll);
  }

  set busy(busy) {
    this.#parts.log.setAttribute("aria-busy", String(busy));
  }

  // A message event: it confirms the bubble with its id, or becomes a new one.
  add(frame) {
    const own = frame.seat === this.#seat;
    const waiting = own && frame.id ? this.#pending.get(frame.id) : undefined;
    const item = waiting ?? this.#bubble(own);
    this.#pending.delete(frame.id);
    item.classList.remove("sending", "kept", "failed");
    this.#fill(item, frame, own);
    this.#place(item);
    this.#stamp(item, frame.time);
    if (!own) this.onPartner(item, frame);
    this.#follow(own);
  }

  addPending({ id, data, refusal }) {
    const item = this.#bubble(true);
    const { text, retry, edit } = partsOf(item);
    text.textContent = data.text;
    retry.addEventListener("click", () => this.onRetry(id));
    edit.addEventListener("click", () => this.onEdit(id));
    this.#pending.set(id, item);
    this.#parts.list.append(item);
    if (refusal) this.fail(id, refusal.message);
    else this.sending(id);
    this.#follow(true);
  }

  // `kept`: it waits for a connection.
  sending(id, { kept = false } = {}) {
    const item = this.#pending.get(id);
    if (!item) return;
    item.classList.add("sending");
    item.classList.toggle("kept", kept);
    item.classList.remove("failed");
    const { state, failure } = partsOf(item);
    say(state, kept ? "Kept here, sent when you are back" : "Sending…");
    failure.hidden = true;
  }

  fail(id, reason, { retry = true, edit = true } = {}) {
    const item = this.#pending.get(id);
    if (!item) return;
    item.classList.add("failed");
    item.classList.remove("sending", "kept");
    const parts = partsOf(item);
    say(parts.state, "Not sent");
    say(parts["failure-text"], reason);
    parts.failure.hidden = false;
    parts.retry.hidden = !retry;
    parts.edit.hidden = !edit;
    this.#follow(true);
  }

  remove(id) {
    this.#pending.get(id)?.remove();
    this.#pending.delete(id);
  }

  note(text) {
    const item = this.#parts["house-template"].content.firstElementChild.cloneNode(true);
    item.textContent = text;
    this.#place(item);
    this.#follow(false);
  }

  draft(text) {
    const { draft } = this.#parts;
    draft.hidden = text === "";
    draft.firstElementChild.textContent = text;
    if (this.#atBottom) this.#toBottom();
  }

  // Dots while the partner types; `words` are for those who do not see them, and said once.
  typing(on, words) {
    const { dots, typing } = this.#parts;
    if (dots.hidden === on) dots.hidden = !on;
    typing.classList.toggle("visually-hidden", on);
    say(typing, words);
    if (this.#atBottom) this.#toBottom();
  }

  #bubble(own) {
    const item = this.#parts["message-template"].content.firstElementChild.cloneNode(true);
    item.classList.add(own ? "own" : "partner");
    partsOf(item).speaker.textContent = `${own ? "You" : this.#partner}: `;
    return item;
  }

  #fill(item, frame, own) {
    const { text, state, failure } = partsOf(item);
    item.classList.toggle("erased", frame.data === null);
    const rich = own || frame.data === null ? undefined : frame.rich;
    text.classList.toggle("rich", Boolean(rich));
    if (rich) text.replaceChildren(...richNodes(rich, (shown) => document.createTextNode(shown)));
    else say(text, frame.data === null ? "This message was erased." : String(frame.data.text ?? ""));
    failure.hidden = true;
    say(state, own && frame.data !== null ? "Sent" : "");
    if (!own) return;
    if (this.#sent && this.#sent !== item) say(partsOf(this.#sent).state, "");
    this.#sent = item;
  }

  // The time stands above the first message, and above one that was long in coming.
  #stamp(item, seconds) {
    const silence = seconds - this.#lastTime;
    this.#lastTime = seconds;
    if (silence < LONG_SILENCE) return;
    const stamp = this.#parts["stamp-template"].content.firstElementChild.cloneNode(true);
    const time = stamp.firstElementChild;
    const moment = new Date(seconds * 1000);
    const today = moment.toDateString() === new Date().toDateString();
    time.dateTime = moment.toISOString();
    time.textContent = `${today ? "Today" : day.format(moment)}, ${clock.format(moment)}`;
    item.before(stamp);
  }

  // Moving a bubble that stands right already would make a screen reader say it again.
  #place(item) {
    const next = this.#pending.values().next().value ?? null;
    const placed = item.parentNode === this.#parts.list && item.nextElementSibling === next;
    if (!placed) this.#parts.list.insertBefore(item, next);
    this.#parts.empty.hidden = true;
  }

  #follow(own) {
    if (own || this.#atBottom) this.#toBottom();
    else this.#parts["new-message"].hidden = false;
  }

  // Once a frame: every scroll makes the browser lay the page out.
  #toBottom() {
    this.#atBottom = true;
    this.#parts["new-message"].hidden = true;
    this.#frame ||= requestAnimationFrame(() => this.#scroll());
  }

  #scroll() {
    const { scroll } = this.#parts;
    this.#frame = 0;
    scroll.scrollTop = scroll.scrollHeight;
  }

  #look() {
    const { scroll } = this.#parts;
    this.#atBottom = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR;
    if (this.#atBottom) this.#parts["new-message"].hidden = true;
  }
}
