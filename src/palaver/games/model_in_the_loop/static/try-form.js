// The form of a try: its fields by name, what is missing, and what was typed, which survives a reload.

import { TAB, keep, recall } from "../../browser-storage.js";
import { MarkedText } from "../../marked-text.js";
import { partsOf, say } from "../../parts.js";
import { SpanSelection } from "../../span-selection.js";

const NEAR_LIMIT = 0.75;
const NOTHING = "nothing marked yet";

export class TryForm {
  #form;
  #parts;
  #most;
  #key;
  #fields;
  #passage = null;
  #selection = null;

  // `others` are forms whose texts are kept beside these.
  constructor(form, { most, key, others }) {
    this.#form = form;
    this.#parts = partsOf(form);
    this.#most = most;
    this.#key = `palaver:try:${key}`;
    this.others = others;
    this.#fields = [...form.querySelectorAll("[data-field]")].map((node) => ({
      node,
      name: node.dataset.field,
      kind: node.dataset.form,
    }));
    if (this.#parts.passage) this.#markable(this.#parts.passage);
    this.isKept = this.#recall();
    for (const each of [form, ...others]) each.addEventListener("input", () => this.#changed());
    this.#changed({ quiet: true });
  }

  get values() {
    return Object.fromEntries(this.#fields.map((field) => [field.name, this.#value(field)]));
  }

  // What is to be done before it can be sent, and where: { words, node }; null where nothing is.
  get missing() {
    for (const field of this.#fields) {
      const { node, name, kind } = field;
      const value = this.#value(field);
      const control = node.querySelector("input:not([type=hidden]), textarea, button");
      if (kind === "choice" && value === "") return { words: "Choose one of the labels first.", node: control };
      if (kind === "span" && value === "") return { words: "Mark the words in the text first.", node: this.#parts.passage };
      if (kind !== "text") continue;
      if (value.trim() === "") return { words: `Write your ${this.#title(name)} first.`, node: control };
      const over = [...value].length - this.#most;
      if (over > 0) return { words: `It is ${over} characters too long. Please shorten it.`, node: control };
    }
    return null;
  }

  fill(values) {
    for (const field of this.#fields) if (field.name in values) this.#set(field, values[field.name]);
    this.#changed();
  }

  focusText() {
    (this.#form.querySelector("textarea") ?? this.#parts.passage ?? this.#form.querySelector("input"))?.focus();
  }

  // The choice that a number key stands for; false where there is none.
  choose(number) {
    const choices = this.#form.querySelectorAll("[data-form=choice] input, [data-form=several] input");
    const choice = choices[number - 1];
    choice?.focus();
    choice?.click();
    return Boolean(choice);
  }

  #title(name) {
    const label = this.#form.querySelector(`[data-field="${CSS.escape(name)}"] label`)?.textContent ?? name;
    return label.trim().replace(/^Your /, "");
  }

  #value({ node, kind }) {
    if (kind === "fixed") return node.dataset.value;
    if (kind === "choice") return node.querySelector(":checked")?.value ?? "";
    if (kind === "several") return [...node.querySelectorAll(":checked")].map((input) => input.value);
    return node.querySelector("input, textarea").value;
  }

  #set({ node, kind, name }, value) {
    if (kind === "fixed") return;
    if (kind === "choice" || kind === "several") {
      const chosen = [value].flat();
      for (const input of node.querySelectorAll("input")) input.checked = chosen.includes(input.value);
    } else node.querySelector("input, textarea").value = String(value ?? "");
    if (kind === "span" && this.#passage) this.#showMarked(name);
  }

  #markable(node) {
    const text = JSON.parse(node.dataset.text);
    const { mark } = this.#parts;
    const ready = (span) => mark.setAttribute("aria-disabled", String(!span));
    this.#passage = new MarkedText(node, text);
    this.#selection = new SpanSelection(node, this.#passage, { onPick: ready });
    ready(null);
    mark.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
    mark.addEventListener("click", () => this.#mark());
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#mark();
    });
  }

  #mark() {
    const { picked } = this.#selection;
    if (!picked) return say(this.#parts.marked, "select some words in the text first");
    this.#input.value = this.#passage.slice(picked);
    this.#passage.show([{ ...picked, style: "mark-1", letter: "" }]);
    this.#selection.drop();
    say(this.#parts.marked, `“${this.#input.value}”`);
    this.#changed();
  }

  get #input() {
    return this.#form.querySelector("[data-form=span] input");
  }

  // Marked words that come from an earlier visit of the page: the first place that has them.
  #showMarked() {
    const words = this.#input.value;
    const text = JSON.parse(this.#parts.passage.dataset.text);
    const at = words ? text.indexOf(words) : -1;
    const start = [...text.slice(0, Math.max(0, at))].length;
    const span = { start, end: start + [...words].length, style: "mark-1", letter: "" };
    this.#passage.show(at < 0 ? [] : [span]);
    say(this.#parts.marked, words ? `“${words}”` : NOTHING);
  }

  #changed({ quiet = false } = {}) {
    for (const count of this.#form.querySelectorAll("[data-part=count]")) {
      const length = [...(this.#form.elements[count.dataset.of]?.value ?? "")].length;
      count.hidden = length < this.#most * NEAR_LIMIT;
      say(count, `${length} of ${this.#most}`);
    }
    if (!quiet) keep(TAB, this.#key, JSON.stringify({ values: this.values, beside: this.#beside }));
  }

  get #beside() {
    return this.others.map((form) => Object.fromEntries([...form.querySelectorAll("input:not([type=radio])")].map((input) => [input.name, input.value])));
  }

  forgetBeside() {
    for (const form of this.others) form.reset();
    this.#changed();
  }

  #recall() {
    const kept = JSON.parse(recall(TAB, this.#key) ?? "null");
    if (!kept) return false;
    for (const field of this.#fields) if (field.name in kept.values) this.#set(field, kept.values[field.name]);
    this.others.forEach((form, n) => {
      for (const [name, text] of Object.entries(kept.beside[n] ?? {})) form.elements[name].value = text;
    });
    return true;
  }
}
