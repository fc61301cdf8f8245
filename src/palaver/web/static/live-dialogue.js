// <live-dialogue data-url>: appends the events of a running dialogue as they are stored.

import { partsOf, say, saySignedOut } from "./parts.js";
import { Polling } from "./polling.js";
import { richNodes } from "./rich-text.js";

const EVERY = 2000;
const MOST = 16;
const shortened = (name) => (name.length > MOST ? `${name.slice(0, MOST - 1)}…` : name);

class LiveDialogue extends HTMLElement {
  #parts;
  #polling = null;

  connectedCallback() {
    this.#parts = partsOf(this);
    if (!this.dataset.url) return;
    this.#polling = new Polling({
      url: () => `${this.dataset.url}?after=${this.#position()}`,
      every: EVERY,
      heard: (dialogue) => this.#show(dialogue),
      failed: (signedOut) => this.#stale(signedOut),
    });
    say(this.#parts.connection, "The dialogue is running; new events appear here.");
    this.#polling.start();
  }

  disconnectedCallback() {
    this.#polling?.stop();
  }

  #position() {
    return Number(this.#parts.events.lastElementChild?.dataset.seq ?? 0);
  }

  #show({ heading, over, lines }) {
    for (const line of lines) {
      if (line.seq > this.#position()) this.#parts.events.append(this.#line(line));
    }
    this.#parts.none.hidden = this.#parts.events.children.length > 0;
    say(document.getElementById("dialogue-heading"), heading);
    document.title = `${heading} · Palaver`;
    say(this.#parts.connection, over ? "The dialogue has ended." : "The dialogue is running; new events appear here.");
    if (over) this.#polling.stop();
  }

  #line({ seq, kind, seat, speaker, speaker_key, text, audience, at, time, note, tone, rich }) {
    const node = this.#parts.line.content.firstElementChild.cloneNode(true);
    const classes = [kind, tone, seat === null ? "" : `seat-${seat}`, audience ? "private" : ""];
    node.classList.add(...classes.filter(Boolean));
    node.dataset.seq = seq;
    node.id = `e${seq}`;
    const who = node.querySelector('[data-field="speaker"]');
    who.textContent = kind === "quiet" ? "" : shortened(speaker);
    who.title = speaker_key;
    const said = node.querySelector(".said");
    said.classList.toggle("rich", Boolean(rich));
    said.replaceChildren(...(rich ? richNodes(rich) : [text ?? "erased"]));
    said.classList.toggle("erased", text === null);
    for (const mark of [note, audience].filter(Boolean)) {
      const tag = document.createElement("span");
      tag.className = "tag";
      tag.textContent = mark;
      node.querySelector(".marks").append(tag);
    }
    node.querySelector(".at").href = `#e${seq}`;
    const when = node.querySelector("time");
    when.dateTime = time.iso;
    when.title = time.text;
    when.textContent = at;
    return node;
  }

  #stale(signedOut) {
    if (signedOut) saySignedOut(this.#parts.connection);
    else say(this.#parts.connection, "New events could not be fetched; trying again.");
  }
}

customElements.define("live-dialogue", LiveDialogue);
