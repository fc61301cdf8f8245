// What is selected in a marked text: with the mouse or a finger as in any text; with the keyboard, arrows
// go from word to word, Shift takes in more, Ctrl and Shift single letters, Escape lets go.

export class SpanSelection {
  #node;
  #text;
  #picked = null;
  #backwards = false;

  // `onPick` is told of every change: a span { start, end }, or null.
  constructor(node, text, { onPick }) {
    this.#node = node;
    this.#text = text;
    this.onPick = onPick;
    node.addEventListener("keydown", (event) => this.#pressed(event));
    document.addEventListener("selectionchange", () => this.#look());
  }

  get picked() {
    return this.#picked;
  }

  drop() {
    getSelection().removeAllRanges();
    this.#pick(null);
  }

  #look() {
    const selected = this.#text.selected;
    if (selected !== undefined) this.#pick(selected);
  }

  #pick(span) {
    this.#picked = span;
    this.onPick(span);
  }

  #pressed(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Escape") return this.drop();
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const reversed = getComputedStyle(this.#node).direction === "rtl";
    const by = (event.key === "ArrowRight") === reversed ? -1 : 1;
    if (!this.#picked || !event.shiftKey) this.#walk(by);
    else this.#stretch(by, event.ctrlKey);
  }

  // To the next word, or to the first or last one.
  #walk(by) {
    const { words } = this.#text;
    const here = this.#picked;
    const isAhead = (word) => (by > 0 ? word.start >= here.end : word.end <= here.start);
    const ahead = here ? words.filter(isAhead) : words;
    const word = by > 0 ? ahead[0] : ahead.at(-1);
    if (!word) return;
    this.#backwards = false;
    this.#select(word);
  }

  // The end that moves is the one last moved; it may cross the other one.
  #stretch(by, fine) {
    const { start, end } = this.#picked;
    const single = this.#text.words.some((word) => word.start === start && word.end === end);
    if (single && !fine) this.#backwards = by < 0;
    const from = this.#backwards ? start : end;
    const to = this.#edge(from, by, fine);
    const moved = this.#backwards ? { start: to, end } : { start, end: to };
    if (moved.start < moved.end) this.#select(moved);
  }

  #edge(from, by, fine) {
    const { words, letters } = this.#text;
    const edges = (fine ? letters : words).map((one) => (this.#backwards ? one.start : one.end));
    const ahead = edges.filter((edge) => (by > 0 ? edge > from : edge < from));
    return (by > 0 ? ahead[0] : ahead.at(-1)) ?? from;
  }

  #select(span) {
    this.#text.select(span);
    this.#pick(span);
  }
}
