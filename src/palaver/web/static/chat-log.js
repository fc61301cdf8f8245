// The messages of one room on the screen: confirmed ones in order, then those still on their way.

import { partsOf, say } from "./parts.js";
import { richNodes } from "./rich-text.js";

const NEAR = 48;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

export class ChatLog {
  #parts;
  #seat;
  #partner;
  #pending = new Map();
  #atBottom = true;

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
    item.classList.remove("sending", "failed");
    this.#fill(item, frame, own);
    this.#place(item);
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

  sending(id, words = "Sending…") {
    const item = this.#pending.get(id);
    if (!item) return;
    item.classList.add("sending");
    item.classList.remove("failed");
    const { state, failure } = partsOf(item);
    say(state, words);
    failure.hidden = true;
  }

  fail(id, reason, { retry = true, edit = true } = {}) {
    const item = this.#pending.get(id);
    if (!item) return;
    item.classList.add("failed");
    item.classList.remove("sending");
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

  status(text) {
    say(this.#parts.typing, text);
    if (this.#atBottom) this.#toBottom();
  }

  #bubble(own) {
    const item = this.#parts["message-template"].content.firstElementChild.cloneNode(true);
    item.classList.add(own ? "own" : "partner");
    partsOf(item).speaker.textContent = `${own ? "You" : this.#partner}: `;
    return item;
  }

  #fill(item, frame, own) {
    const { text, time, state, failure } = partsOf(item);
    item.classList.toggle("erased", frame.data === null);
    const rich = own || frame.data === null ? undefined : frame.rich;
    text.classList.toggle("rich", Boolean(rich));
    if (rich) text.replaceChildren(...richNodes(rich));
    else say(text, frame.data === null ? "This message was erased." : String(frame.data.text ?? ""));
    const moment = new Date(frame.time * 1000);
    time.dateTime = moment.toISOString();
    say(time, clock.format(moment));
    say(state, own && frame.data !== null ? "· Sent" : "");
    failure.hidden = true;
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

  #toBottom() {
    const { scroll } = this.#parts;
    scroll.scrollTop = scroll.scrollHeight;
    this.#atBottom = true;
    this.#parts["new-message"].hidden = true;
  }

  #look() {
    const { scroll } = this.#parts;
    this.#atBottom = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR;
    if (this.#atBottom) this.#parts["new-message"].hidden = true;
  }
}
