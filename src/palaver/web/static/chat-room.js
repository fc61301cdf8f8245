// <chat-room>: one live conversation. Joins the socket to what the page shows. Announces every
// change of its state with one bubbling "room-change" event: { over, count, fromPartner, acting,
// mayMove, closed, connected, elsewhere }.
// A game's own parts (see game-part.js) hear of each event by "room-event", of a move of theirs that was
// refused by "room-refused", and move by "room-move". A page may leave the messages and the composer out.
//
// Attributes: data-socket, data-seat, data-max, data-partner; data-thing where people would not call it a
// conversation; data-exactly or data-at-least;
// data-blind (no drafts); data-over and data-next once the conversation has ended. The path of
// data-socket must name the dialogue, because unsent messages are kept under it.

import { ChatComposer } from "./chat-composer.js";
import { ChatLog } from "./chat-log.js";
import { ChatProgress } from "./chat-progress.js";
import { ChatSocket } from "./chat-socket.js";
import { newId } from "./new-id.js";
import { Outbox } from "./outbox.js";
import { partsOf, say } from "./parts.js";
import { SilentComposer, SilentLog } from "./silent-parts.js";

const HOPELESS = 6; // attempts after which a reload is suggested
const JUDGE_FIRST = "Please judge the last message first.";
const ALREADY = "You can already type.";
const UNMENDABLE = new Set(["too_long", "empty", "null"]);
const OPEN = { shown: true, closed: "" };
// What the house records: nobody has spoken or moved by it.
const HOUSEKEEPING = new Set(["join", "leave", "end", "failure", "notice", "takeover", "erase"]);
const LATE = new Set(["idle", "message_timeout", "disconnected"]);
const ENDINGS = {
  complete: "This conversation is complete.",
  time_up: "The time for this conversation is over.",
  system_failed: "Your partner could not go on because of a technical problem. Your part counts.",
  idle: "Nothing was written for a while, so this conversation was closed.",
  message_timeout: "Nothing was written for a while, so this conversation was closed.",
  disconnected: "The connection was lost for too long, so this conversation was closed.",
  partner_left: "Your partner has left. This conversation is over, and your part of it counts.",
  withdrawn: "Your partner has left. This conversation is over, and your part of it counts.",
  abandoned: "This conversation was closed.",
};

class ChatRoom extends HTMLElement {
  #parts;
  #seat;
  #partner;
  #outbox;
  #socket;
  #log;
  #composer;
  #progress;
  #movers = [];
  #connected = false;
  #begun = false; // whether somebody has spoken or moved, as far as this seat sees
  #over = false;
  #elsewhere = false;
  #typingSeats = new Set();
  #typingSaid = false; // since the partner's last message
  #typingWords = "";
  #absent = false;
  #questions = null;
  #allowed = OPEN; // what the game lets this seat write with

  connectedCallback() {
    const parts = partsOf(this);
    const name = new URL(this.dataset.socket, location.href).pathname;
    this.#parts = parts;
    this.#seat = Number(this.dataset.seat);
    this.#partner = this.dataset.partner;
    this.#outbox = new Outbox(name);
    this.#log = parts.log ? this.#newLog(parts) : new SilentLog();
    this.#composer = parts.composer
      ? new ChatComposer(parts, { limit: Number(this.dataset.max), name })
      : new SilentComposer();
    this.#progress = new ChatProgress(parts, {
      room: this.id,
      exactly: Number(this.dataset.exactly ?? 0),
      atLeast: Number(this.dataset.atLeast ?? 0),
      announce: (text) => say(parts.announcement, text),
    });
    this.#socket = new ChatSocket(this.dataset.socket, this.#outbox);
    this.#listen();
    for (const move of this.#outbox.moves) if (move.action === "message") this.#log.addPending(move);
    this.#refresh();
    if (parts["question-template"]) this.#ask();
    else this.#socket.open();
  }

  #newLog(parts) {
    return new ChatLog(parts, {
      seat: this.#seat,
      partner: this.#partner,
      onRetry: (id) => this.#socket.retry(id),
      onEdit: (id) => this.#edit(id),
      onPartner: (item, frame) => this.#questions?.attach(item, frame),
    });
  }

  // Rooms without a question about each message do not even load what asks it.
  async #ask() {
    try {
      const { MessageQuestions } = await import("./message-questions.js");
      this.#questions = new MessageQuestions(this.#parts["question-template"], {
        room: this.id,
        onChange: () => this.#refresh(),
      });
      this.#socket.open();
    } catch {
      this.#stopped(); // the script did not arrive
    }
  }

  disconnectedCallback() {
    this.#socket.close();
  }

  #listen() {
    const on = (type, act) => this.#socket.addEventListener(type, ({ detail }) => act(detail));
    on("event", (frame) => this.#happened(frame));
    on("ready", (frame) => this.#ready(frame));
    on("state", (frame) => this.#changed(frame));
    on("typing", ({ seat, on: typing }) => this.#typing(seat, typing));
    on("draft", ({ seat, text }) => this.#draft(seat, text));
    on("sending", ({ id }) => this.#log.sending(id));
    on("refused", ({ move, refusal }) => this.#refused(move, refusal));
    on("unconfirmed", ({ id }) => this.#unconfirmed(id));
    on("known", ({ id }) => this.#known(id));
    on("notice", ({ message }) => this.#log.note(message));
    on("next", ({ url }) => this.#end(url));
    on("replaced", () => this.#replaced());
    on("lost", (detail) => this.#lost(detail));
    on("stopped", () => this.#stopped());
    this.addEventListener("room-move", ({ detail }) => this.#act(detail.action, detail.data));
    this.#composer.addEventListener("send", ({ detail }) => this.#send(detail));
    this.#composer.addEventListener("typing", ({ detail }) => this.#socket.signalTyping(detail));
    const { finish, quit } = this.#parts;
    const dialog = this.#parts["quit-dialog"];
    finish?.addEventListener("click", () => this.#act("finish"));
    quit?.addEventListener("click", () => {
      dialog.returnValue = "";
      dialog.showModal();
    });
    dialog.addEventListener("close", () => dialog.returnValue === "quit" && this.#act("quit"));
  }

  #send(text) {
    const move = { id: newId(), action: "message", data: { text } };
    this.#log.addPending(move);
    this.#socket.post(move);
    if (!this.#connected) this.#log.sending(move.id, { kept: true });
    this.#refresh();
  }

  #act(action, data = {}) {
    if (this.#over) return;
    this.#socket.post({ id: newId(), action, data });
    this.#refresh();
    this.#announce(false);
  }

  #edit(id) {
    const move = this.#outbox.find(id);
    this.#outbox.remove(id);
    this.#log.remove(id);
    this.#composer.fill(move.data.text);
    this.#refresh();
  }

  #happened(frame) {
    const partners = frame.seat !== null && frame.seat !== this.#seat;
    this.#take(frame);
    if (!HOUSEKEEPING.has(frame.action)) this.#begun = true;
    if (frame.action === "message") {
      if (partners) this.#settle(frame.seat);
      this.#log.add(frame);
      this.#progress.step();
    } else if (frame.action === "end") {
      this.#ended(frame);
    } else if (frame.action === "notice" && frame.data?.text) {
      this.#log.note(frame.data.text);
    } else if (frame.action === "failure") {
      if (frame.seat !== null) this.#settle(frame.seat);
      this.#log.note(`${this.#partner} could not answer. You can send another message.`);
    } else if (partners && (frame.action === "join" || frame.action === "leave")) {
      this.#absent = frame.action === "leave";
    } else if (frame.words) {
      this.#log.note(frame.words);
    }
    this.dispatchEvent(new CustomEvent("room-event", { detail: frame }));
    this.#refresh();
    this.#announce(partners && frame.action === "message" && this.#connected);
  }

  #ready(frame) {
    const first = !this.#connected;
    this.#connected = true;
    this.#elsewhere = false;
    this.#typingSeats.clear();
    this.#take(frame);
    this.#progress.show();
    this.#progress.countDown(this.#over ? null : frame.remaining);
    this.#log.busy = false;
    this.#connection("");
    this.#refresh();
    this.#announce(false);
    const idle = document.activeElement === document.body;
    const alone = document.querySelectorAll("chat-room").length === 1;
    if (first && idle && alone && matchMedia("(pointer: fine)").matches) this.#composer.focus();
  }

  // Something happened that this seat does not see.
  #changed(frame) {
    this.#take(frame);
    this.#refresh();
    this.#announce(false);
  }

  #take({ movers, composer }) {
    this.#movers = movers ?? this.#movers;
    this.#allowed = composer ?? OPEN;
  }

  #typing(seat, on) {
    if (seat === this.#seat) return;
    if (on) this.#typingSeats.add(seat);
    else this.#typingSeats.delete(seat);
    this.#refresh();
  }

  #draft(seat, text) {
    if (seat === this.#seat || this.hasAttribute("data-blind")) return;
    this.#log.draft(text);
  }

  #settle(seat) {
    this.#typingSeats.delete(seat);
    this.#typingSaid = false;
    this.#log.draft("");
  }

  #refused(move, { code, message: words }) {
    const message = code === "judge_first" ? JUDGE_FIRST : words;
    if (move.action === "message") {
      this.#log.fail(move.id, message, {
        retry: !UNMENDABLE.has(code) && code !== "over",
        edit: code !== "over",
      });
    } else {
      this.#log.note(message);
      const detail = { action: move.action, data: move.data, code, message };
      this.dispatchEvent(new CustomEvent("room-refused", { detail }));
    }
    say(this.#parts.announcement, message);
    this.#refresh();
    this.#announce(false);
  }

  #unconfirmed(id) {
    this.#log.fail(id, "Not confirmed yet. It is kept here and can be sent again safely.", {
      edit: false,
    });
  }

  #known(id) {
    this.#log.remove(id);
    this.#refresh();
  }

  #ended(frame) {
    this.#over = true;
    const reason = frame.data?.reason ?? "";
    const cause = frame.data?.outcome?.seat;
    const partners = cause !== undefined && cause !== this.#seat;
    let text = ENDINGS[reason] ?? "This conversation has ended.";
    const missing = frame.data?.shortcomings?.[this.#seat];
    if (missing) {
      const over = frame.words || "This conversation is over.";
      text = `${over} But there is too little in it to count. ${missing}`;
    } else if (frame.words) text = frame.words;
    else if (partners && LATE.has(reason)) text = ENDINGS.partner_left;
    else if (reason === "quit" && cause === this.#seat) text = "You have ended this conversation.";
    else if (reason === "quit") text = `${this.#partner} has ended this conversation.`;
    say(this.#parts["end-text"], this.#named(text));
    this.#end(this.dataset.next);
  }

  #end(url) {
    this.#over = true;
    this.#typingSeats.clear();
    this.#log.draft("");
    this.#progress.stop();
    this.#composer.close();
    this.#parts.foot.hidden = true;
    if (this.#parts.moves) this.#parts.moves.hidden = true;
    this.#parts.end.hidden = false;
    const link = this.#parts.continue;
    if (url && link) {
      link.href = url;
      link.hidden = false;
    }
    for (const move of this.#outbox.moves) {
      const gone = "The conversation ended before this message arrived. It was not sent.";
      this.#log.fail(move.id, gone, { retry: false, edit: false });
      this.#outbox.remove(move.id);
    }
    this.#refresh();
    this.#announce(false);
  }

  #replaced() {
    this.#connected = false;
    this.#elsewhere = true;
    this.#refresh();
    this.#announce(false);
    const text = this.#named("This conversation is open in another tab. Nothing is lost.");
    this.#connection(text, "Continue here", () => this.#socket.open());
  }

  #named(text) {
    return text.replace("conversation", this.dataset.thing ?? "conversation");
  }

  #lost({ seconds, attempts }) {
    if (this.#connected) {
      for (const { id } of this.#outbox.waiting) this.#log.sending(id, { kept: true });
    }
    this.#connected = false;
    this.#refresh();
    this.#announce(false);
    const text = navigator.onLine
      ? `Connection lost. Your messages are kept; trying again in ${seconds} s.`
      : "You are offline. What you write is kept here and sent when you are back.";
    if (attempts < HOPELESS) this.#connection(text);
    else this.#connection(text, "Reload the page", () => location.reload());
  }

  #stopped() {
    this.#connected = false;
    this.#refresh();
    const text = "This page is out of date. Your messages are kept.";
    this.#connection(text, "Reload the page", () => location.reload());
  }

  #connection(text, label = "", act = null) {
    const line = this.#parts.connection;
    const button = this.#parts["connection-action"];
    // Said once to a screen reader, not with every second that is counted down.
    if (text && line.hidden) say(this.#parts.announcement, text);
    line.hidden = text === "";
    say(this.#parts["connection-text"], text);
    button.hidden = act === null;
    say(button, label);
    button.onclick = act;
  }

  #refresh() {
    const { finish, quit, empty } = this.#parts;
    const waiting = this.#outbox.waiting;
    const acting = waiting.some((move) => move.action !== "message");
    const idle = !this.#connected || this.#over || acting;
    if (finish) finish.disabled = idle || !this.#progress.mayFinish;
    if (quit) quit.disabled = idle;
    const reason = this.#obstacle(waiting, acting);
    this.#composer.show(this.#allowed.shown && !this.#over);
    if (reason) this.#composer.refuse(reason, { drafting: reason.endsWith(ALREADY) });
    else this.#composer.allow();
    this.#showPartner();
    if (!empty) return;
    const silent = !this.#begun && !this.#over && waiting.length === 0 && this.#allowed.shown;
    if (!silent) {
      empty.hidden = true;
    } else if (this.#connected) {
      const mine = this.#movers.includes(this.#seat);
      say(empty, mine ? "Write the first message to begin." : `${this.#partner} speaks first.`);
      empty.hidden = false;
    }
  }

  // Why nothing can be written now; empty when something can. Writing goes on without a connection.
  #obstacle(waiting, acting) {
    const partner = this.#partner.replace(/^Your /, "your ");
    const sole = this.#movers.length === 1;
    const moved = sole && waiting.some((move) => move.action === "message");
    if (this.#over) return "This conversation has ended.";
    if (this.#elsewhere) return "You are writing in another tab.";
    if (acting) return "One moment…";
    if (this.#connected && this.#allowed.closed) return this.#allowed.closed;
    if (this.#movers.length === 0) return this.#connected ? `Waiting for ${partner}.` : "Connecting…";
    if (!this.#movers.includes(this.#seat) || moved) {
      return `Waiting for ${partner} to answer. ${ALREADY}`;
    }
    if (this.#questions?.pending) return JUDGE_FIRST;
    return "";
  }

  #showPartner() {
    const typing = !this.#over && this.#typingSeats.size > 0;
    const absent = !this.#over && !typing && this.#absent;
    // Somebody who pauses and goes on is announced once for each message.
    if (!typing) this.#typingWords = "";
    else if (!this.#typingSaid) this.#typingWords = `${this.#partner} is typing.`;
    this.#typingSaid ||= typing;
    this.#log.typing(typing, absent ? `${this.#partner} is not connected right now.` : this.#typingWords);
  }

  #announce(fromPartner) {
    const acting = this.#outbox.waiting.some((move) => move.action !== "message");
    const mine = this.#connected && this.#movers.includes(this.#seat);
    const detail = {
      over: this.#over,
      count: this.#progress.count,
      fromPartner,
      acting,
      mayMove: mine && !acting && !this.#over,
      closed: this.#allowed.closed,
      connected: this.#connected,
      elsewhere: this.#elsewhere,
    };
    this.dispatchEvent(new CustomEvent("room-change", { bubbles: true, detail }));
  }
}

customElements.define("chat-room", ChatRoom);
