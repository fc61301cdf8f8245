// A text on the page in which places are counted in code points, as the server counts them, and not
// in UTF-16 units as the browser does.

export class MarkedText {
  #node;
  #points;
  words;
  letters;

  constructor(node, text) {
    this.#node = node;
    this.#points = [...text];
    this.words = wordsOf(text);
    this.letters = this.#points
      .map((letter, start) => ({ letter, start, end: start + 1 }))
      .filter(({ letter }) => letter.trim() !== "");
    this.show([]);
  }

  get length() {
    return this.#points.length;
  }

  slice({ start, end }) {
    return this.#points.slice(start, end).join("");
  }

  // A stretch without the space around it; null if nothing is left.
  trimmed({ start, end }) {
    while (start < end && this.#points[start].trim() === "") start += 1;
    while (end > start && this.#points[end - 1].trim() === "") end -= 1;
    return start < end ? { start, end } : null;
  }

  // What is selected on the page, as far as it is in this text; undefined if it is elsewhere.
  get selected() {
    const selection = getSelection();
    if (selection.rangeCount === 0) return undefined;
    const range = selection.getRangeAt(0);
    if (range.collapsed) return this.#node.contains(range.startContainer) ? null : undefined;
    if (!range.intersectsNode(this.#node)) return undefined;
    const start = this.#offset(range.startContainer, range.startOffset, 0);
    const end = this.#offset(range.endContainer, range.endOffset, this.length);
    return this.trimmed({ start, end });
  }

  select({ start, end }) {
    getSelection().setBaseAndExtent(...this.#place(start), ...this.#place(end));
  }

  // `marks` are { start, end, style, letter }; where they overlap, the first one gives the colour.
  show(marks) {
    const ends = new Set([0, this.length, ...marks.flatMap(({ start, end }) => [start, end])]);
    const cuts = [...ends].sort((one, other) => one - other);
    const pieces = cuts.slice(1).map((end, n) => this.#piece({ start: cuts[n], end }, marks));
    this.#node.replaceChildren(...pieces);
  }

  #piece(piece, marks) {
    const over = marks.filter(({ start, end }) => start <= piece.start && end >= piece.end);
    if (over.length === 0) return document.createTextNode(this.slice(piece));
    const mark = document.createElement("mark");
    mark.className = `span-mark ${over[0].style}`;
    mark.textContent = this.slice(piece);
    mark.dataset.letters = over
      .filter(({ end }) => end === piece.end)
      .map(({ letter }) => letter)
      .join("");
    return mark;
  }

  #offset(container, offset, outside) {
    if (!this.#node.contains(container)) return outside;
    const before = document.createRange();
    before.setStart(this.#node, 0);
    before.setEnd(container, offset);
    return [...before.toString()].length;
  }

  #place(offset) {
    const walker = document.createTreeWalker(this.#node, NodeFilter.SHOW_TEXT);
    let left = this.slice({ start: 0, end: offset }).length;
    let node = walker.nextNode();
    while (node && left > node.data.length) {
      left -= node.data.length;
      node = walker.nextNode();
    }
    return node ? [node, left] : [this.#node, 0];
  }
}

function wordsOf(text) {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  const words = [];
  let start = 0;
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const end = start + [...segment].length;
    if (isWordLike) words.push({ start, end });
    start = end;
  }
  return words;
}
