// What a room without a conversation on its page tells instead of its messages and its composer: nobody.

export class SilentLog {
  busy = false;
  add() {}
  addPending() {}
  sending() {}
  fail() {}
  remove() {}
  note() {}
  draft() {}
  typing() {}
}

export class SilentComposer extends EventTarget {
  allow() {}
  refuse() {}
  show() {}
  fill() {}
  focus() {}
  close() {}
}
