// What was written and is not confirmed yet. Kept in the tab's storage, so that a reload resends it
// under the same id, which the server never stores twice.

import { TAB, keep, recall } from "./browser-storage.js";

export class Outbox {
  #key;
  #moves = [];

  constructor(name) {
    this.#key = `palaver:outbox:${name}`;
    this.#moves = JSON.parse(recall(TAB, this.#key) ?? "[]");
  }

  get moves() {
    return [...this.#moves];
  }

  get waiting() {
    return this.#moves.filter((move) => move.refusal === undefined);
  }

  find(id) {
    return this.#moves.find((move) => move.id === id);
  }

  add(move) {
    this.#moves.push(move);
    this.#keep();
  }

  remove(id) {
    this.#moves = this.#moves.filter((move) => move.id !== id);
    this.#keep();
  }

  refuse(id, refusal) {
    this.#moves = this.#moves.map((move) => (move.id === id ? { ...move, refusal } : move));
    this.#keep();
  }

  readmit(id) {
    this.#moves = this.#moves.map(({ refusal, ...move }) =>
      move.id === id || refusal === undefined ? move : { ...move, refusal },
    );
    this.#keep();
  }

  #keep() {
    keep(TAB, this.#key, JSON.stringify(this.#moves));
  }
}
