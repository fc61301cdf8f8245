// A text on the page whose places are those of the text as it was sent, counted in code points as the
// server counts them, and not in UTF-16 units as the browser does. With a tree the text is shown with
// its Markdown: it is then drawn in pieces, each of which knows the place of what it shows.

import { richNodes } from "./rich-text.js";

export class MarkedText {
  #node;
  #points;
  #pieces = [];
  words;
  letters;

  constructor(node, text, tree = null) {
    this.#node = node;
    this.#points = [...text];
    if (tree) {
      node.replaceChildren(...richNodes(tree, (shown, start, end) => this.#hold(shown, start, end)));
    } else {
      this.#pieces = [new Piece(node, this.#points, 0, this.length)];
    }
    this.words = this.#pieces.flatMap((piece) => piece.words);
    this.letters = this.#pieces.flatMap((piece) => piece.letters);
    this.show([]);
  }

  get length() {
    return this.#points.length;
  }

  slice({ start, end }) {
    return this.#points.slice(start, end).join("");
  }

  // The words of a stretch as they are shown.
  said(span) {
    const pieces = this.#pieces.filter((piece) => piece.start < span.end && piece.end > span.start);
    return pieces
      .map((piece, n) => {
        const gap = n === 0 ? "" : this.slice({ start: pieces[n - 1].end, end: piece.start });
        return (gap.includes("\n") ? " " : "") + piece.said(span);
      })
      .join("");
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
    const covered = this.#pieces.map((piece) => piece.covered(range)).filter((part) => part);
    if (covered.length === 0) return null;
    const start = Math.min(...covered.map((part) => part.start));
    return this.trimmed({ start, end: Math.max(...covered.map((part) => part.end)) });
  }

  select({ start, end }) {
    const first = this.#pieces.find((piece) => piece.end > start) ?? this.#pieces[0];
    const last = this.#pieces.findLast((piece) => piece.start < end) ?? first;
    getSelection().setBaseAndExtent(...first.place(start), ...last.place(end));
  }

  // `marks` are { start, end, style, letter }; where they overlap, the first one gives the colour.
  show(marks) {
    for (const piece of this.#pieces) piece.show(marks);
  }

  #hold(shown, start, end) {
    const node = document.createElement("span");
    this.#pieces.push(new Piece(node, [...shown], start, end));
    return node;
  }
}

// A piece shows each character of its place, or stands for all of it as one thing.
class Piece {
  #node;
  #points;
  #whole;

  constructor(node, points, start, end) {
    this.#node = node;
    this.#points = points;
    this.#whole = end - start !== points.length;
    this.start = start;
    this.end = end;
  }

  get words() {
    if (this.#whole) return [{ start: this.start, end: this.end }];
    return wordsOf(this.#points.join(""), this.start);
  }

  get letters() {
    if (this.#whole) return this.words;
    return this.#points
      .map((letter, n) => ({ letter, start: this.start + n, end: this.start + n + 1 }))
      .filter(({ letter }) => letter.trim() !== "");
  }

  said({ start, end }) {
    if (this.#whole) return this.#points.join("");
    return this.#points.slice(Math.max(0, start - this.start), end - this.start).join("");
  }

  // The places of what a range of the page takes in of this piece; null if that is nothing.
  covered(range) {
    const own = document.createRange();
    own.selectNodeContents(this.#node);
    if (range.compareBoundaryPoints(Range.START_TO_START, own) > 0) {
      own.setStart(range.startContainer, range.startOffset);
    }
    if (range.compareBoundaryPoints(Range.END_TO_END, own) < 0) {
      own.setEnd(range.endContainer, range.endOffset);
    }
    const count = [...own.toString()].length;
    if (count === 0 || !range.intersectsNode(this.#node)) return null;
    if (this.#whole) return { start: this.start, end: this.end };
    const before = document.createRange();
    before.setStart(this.#node, 0);
    before.setEnd(own.startContainer, own.startOffset);
    const start = this.start + [...before.toString()].length;
    return { start, end: start + count };
  }

  // Where on the page a place of this piece is.
  place(offset) {
    const walker = document.createTreeWalker(this.#node, NodeFilter.SHOW_TEXT);
    const count = Math.max(0, offset - this.start);
    const shown = this.#whole && count > 0 ? this.#points.length : count;
    let left = this.#points.slice(0, shown).join("").length;
    let node = walker.nextNode();
    while (node && left > node.data.length) {
      left -= node.data.length;
      node = walker.nextNode();
    }
    return node ? [node, left] : [this.#node, 0];
  }

  show(marks) {
    const inside = marks.flatMap(({ start, end }) => [start, end]).filter((at) => this.#cuts(at));
    const cuts = [...new Set([this.start, ...inside, this.end])].sort((one, other) => one - other);
    const parts = cuts.slice(1).map((end, n) => this.#part({ start: cuts[n], end }, marks));
    this.#node.replaceChildren(...parts);
  }

  #cuts(at) {
    return !this.#whole && at > this.start && at < this.end;
  }

  #part(part, marks) {
    const over = marks.filter(({ start, end }) => start < part.end && end > part.start);
    const from = part.start - this.start;
    const text = this.#whole ? this.#points : this.#points.slice(from, part.end - this.start);
    if (over.length === 0) return document.createTextNode(text.join(""));
    const mark = document.createElement("mark");
    mark.className = `span-mark ${over[0].style}`;
    mark.textContent = text.join("");
    mark.dataset.letters = over
      .filter(({ end }) => end <= part.end)
      .map(({ letter }) => letter)
      .join("");
    return mark;
  }
}

function wordsOf(text, from) {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  const words = [];
  let start = from;
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const end = start + [...segment].length;
    if (isWordLike) words.push({ start, end });
    start = end;
  }
  return words;
}
