// <span-marker>: select words, then say what they are.

import { MarkedText } from "./marked-text.js";
import { partsOf, say } from "./parts.js";
import { SpanSelection } from "./span-selection.js";

class SpanMarker extends HTMLElement {
  #parts;
  #text;
  #labels;
  #spans = [];
  #selection;

  connectedCallback() {
    this.#parts = partsOf(this);
    const tree = this.dataset.tree ? JSON.parse(this.dataset.tree) : null;
    this.#parts.text.classList.toggle("rich", tree !== null);
    this.#text = new MarkedText(this.#parts.text, JSON.parse(this.dataset.text), tree);
    this.#labels = new Map(
      [...this.querySelectorAll("[data-label]")].map((button, place) => [
        button.dataset.label,
        {
          button,
          letter: button.dataset.letter,
          style: `mark-${(place % 6) + 1}`,
          words: partsOf(button).words.textContent,
        },
      ]),
    );
    const stored = this.#stored();
    this.#spans = stored ?? [];
    this.#parts.tools.hidden = false;
    this.#parts.none.checked = stored?.length === 0;
    this.#parts.none.addEventListener("change", () => this.#none());
    this.#selection = new SpanSelection(this.#parts.text, this.#text, {
      onPick: (span) => this.#pick(span),
    });
    this.#parts.text.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") say(this.#parts.said, "");
    });
    for (const [label, { button }] of this.#labels) {
      button.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
      button.addEventListener("click", () => this.#mark(label));
    }
    this.#show();
  }

  // What is marked already; null where nobody has said anything, or what was sent is no list of spans.
  #stored() {
    try {
      const spans = JSON.parse(this.#parts.value.value);
      return spans.filter(({ label, start, end }) => this.#labels.has(label) && start < end);
    } catch {
      return null;
    }
  }

  #pick(span) {
    for (const { button } of this.#labels.values()) {
      button.setAttribute("aria-disabled", String(!span));
    }
    if (span) say(this.#parts.said, `Selected: “${this.#text.said(span)}”`);
  }

  #drop() {
    this.#selection.drop();
    say(this.#parts.said, "");
  }

  #mark(label) {
    const most = Number(this.dataset.most ?? Infinity);
    const { picked } = this.#selection;
    if (!picked) return say(this.#parts.said, "Select some words first.");
    if (this.#spans.length >= most) {
      return say(this.#parts.said, `You can mark ${most} at most. Remove one first.`);
    }
    const span = { ...picked, label };
    const twin = (one) => one.start === span.start && one.end === span.end && one.label === label;
    const words = this.#text.said(span);
    if (!this.#spans.some(twin)) this.#spans.push(span);
    this.#spans.sort((one, other) => one.start - other.start || one.end - other.end);
    this.#drop();
    this.#changed();
    say(this.#parts.said, `Marked as ${this.#labels.get(label).words}: “${words}”`);
  }

  #remove(span) {
    this.#spans = this.#spans.filter((one) => one !== span);
    this.#changed();
    say(this.#parts.said, `No longer marked: “${this.#text.said(span)}”`);
    this.#parts.text.focus();
  }

  // Nothing to mark is an answer too, once somebody says so.
  #none() {
    if (this.#parts.none.checked) this.#spans = [];
    this.#changed();
  }

  #changed() {
    if (this.#spans.length > 0) this.#parts.none.checked = false;
    const answered = this.#spans.length > 0 || this.#parts.none.checked;
    this.#parts.value.value = answered ? JSON.stringify(this.#spans) : "";
    this.#show();
    this.#parts.value.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #show() {
    this.#text.show(this.#spans.map((span) => ({ ...span, ...this.#labels.get(span.label) })));
    this.#parts.list.replaceChildren(...this.#spans.map((span) => this.#entry(span)));
    this.#parts.list.hidden = this.#spans.length === 0;
    const answered = this.#spans.length > 0 || this.#parts.none.checked;
    this.toggleAttribute("data-unanswered", this.hasAttribute("data-needed") && !answered);
  }

  #entry(span) {
    const item = this.#parts.entry.content.firstElementChild.cloneNode(true);
    const { letter, name, quote, remove } = partsOf(item);
    const label = this.#labels.get(span.label);
    item.classList.add(label.style);
    say(letter, label.letter);
    say(name, label.words);
    say(quote, this.#text.said(span));
    item.dataset.said = `${label.words}: “${this.#text.said(span)}”`;
    remove.setAttribute("aria-label", `Remove: ${label.words}, ${this.#text.said(span)}`);
    remove.addEventListener("click", () => this.#remove(span));
    return item;
  }
}

customElements.define("span-marker", SpanMarker);
