// <study-editor>: a text area with line numbers, marks where something is wrong, and a Tab key that
// indents. What was not saved is kept in this browser. Without scripting it is a plain text area.

import { BROWSER, forget, keep, recall } from "./browser-storage.js";
import { partsOf } from "./parts.js";

const INDENT = "  ";

class StudyEditor extends HTMLElement {
  #parts;
  #saved;
  #leaving = false;

  connectedCallback() {
    this.#parts = partsOf(this);
    const { text, lines, keys, discard } = this.#parts;
    this.#saved = text.defaultValue;
    keys.hidden = false;
    this.classList.add("scripted-editor");
    if ("saved" in this.dataset) forget(BROWSER, this.dataset.key);
    else if ("sent" in this.dataset) this.#keep();
    else this.#restore();
    text.addEventListener("input", () => this.#changed());
    text.addEventListener("scroll", () => {
      lines.scrollTop = text.scrollTop;
    });
    text.addEventListener("keydown", (event) => this.#key(event));
    discard.addEventListener("click", () => this.#discard());
    for (const problem of document.querySelectorAll(".problems [data-line]")) {
      problem.querySelector("a").addEventListener("click", (event) => {
        event.preventDefault();
        this.#go(Number(problem.dataset.line), Number(problem.dataset.column));
      });
    }
    this.#number();
  }

  #changed() {
    this.#number();
    this.#keep();
  }

  get #base() {
    return this.closest("form").elements.base;
  }

  #keep() {
    const { text } = this.#parts;
    if (text.value === this.#saved && !("sent" in this.dataset)) forget(BROWSER, this.dataset.key);
    else keep(BROWSER, this.dataset.key, JSON.stringify({ text: text.value, base: this.#base.value }));
  }

  #restore() {
    const { text, restored } = this.#parts;
    let kept;
    try {
      kept = JSON.parse(recall(BROWSER, this.dataset.key) ?? "null");
    } catch {
      kept = null;
    }
    if (typeof kept?.text !== "string" || kept.text === text.value) return;
    text.value = kept.text;
    // The version it was made of: whoever saves it is told what changed since.
    this.#base.value = String(kept.base);
    restored.hidden = false;
  }

  #discard() {
    const { text, restored } = this.#parts;
    forget(BROWSER, this.dataset.key);
    text.value = this.#saved;
    this.#base.value = this.#base.defaultValue;
    restored.hidden = true;
    this.#number();
    text.focus();
  }

  #number() {
    const { text, lines } = this.#parts;
    const count = text.value.split("\n").length;
    const marks = new Map();
    for (const problem of document.querySelectorAll(".problems [data-line]")) {
      const known = marks.get(Number(problem.dataset.line));
      if (known !== "wrong") {
        marks.set(Number(problem.dataset.line), problem.dataset.severity === "wrong" ? "wrong" : "warned");
      }
    }
    lines.replaceChildren(
      ...Array.from({ length: count }, (_, n) => {
        const line = document.createElement("span");
        line.textContent = String(n + 1);
        if (marks.has(n + 1)) line.className = marks.get(n + 1);
        return line;
      }),
    );
    lines.scrollTop = text.scrollTop;
  }

  #go(line, column) {
    const { text } = this.#parts;
    const before = text.value.split("\n").slice(0, line - 1);
    const start = before.reduce((sum, each) => sum + each.length + 1, 0);
    const end = text.value.indexOf("\n", start);
    text.focus();
    text.setSelectionRange(start + column - 1, end < 0 ? text.value.length : end);
    const height = text.scrollHeight / text.value.split("\n").length;
    text.scrollTop = Math.max(0, (line - 4) * height);
    text.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    if (event.key === "Escape") {
      this.#leaving = true;
      return;
    }
    if (event.key === "Tab" && !this.#leaving && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.#indent(event.shiftKey);
    }
    this.#leaving = false;
  }

  #indent(back) {
    const { text } = this.#parts;
    const { selectionStart: from, selectionEnd: to, value } = text;
    if (from === to && !back) {
      this.#type(INDENT, from, to);
      return;
    }
    const start = value.lastIndexOf("\n", from - 1) + 1;
    const block = value.slice(start, to);
    const moved = back ? block.replace(/^ {1,2}/gm, "") : block.replace(/^(?=.)/gm, INDENT);
    if (moved === block) return;
    this.#type(moved, start, to);
    text.setSelectionRange(from === to ? start + moved.length : start, start + moved.length);
  }

  // As if it had been typed, so that it can be undone.
  #type(words, from, to) {
    const { text } = this.#parts;
    text.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, words)) {
      text.setRangeText(words, from, to, "end");
      this.#changed();
    }
  }
}

customElements.define("study-editor", StudyEditor);
