// <write-try data-room data-asked>: one text to write about. Sends tries, shows what the model says to
// each, and keeps the one that the writer stands by. What was sent is the room's to deliver.

import { BROWSER, keep, recall } from "../../browser-storage.js";
import { GamePart } from "../../game-part.js";
import { partsOf, say } from "../../parts.js";
import { AnswerWords } from "./answer-words.js";
import { Tries } from "./tries.js";
import { TryForm } from "./try-form.js";
import { VerdictCard } from "./verdict-card.js";

const KEYS = "palaver:number-keys"; // as on the pages on which people judge
const WRITING = "textarea, select, input:not([type=radio], [type=checkbox])";
const LEAVING = new Set(["keep", "skip", "stop"]);

class WriteTry extends GamePart {
  #parts;
  #form;
  #tries;
  #words;
  #card;
  #chosen = null; // an earlier try that is looked at again
  #asking = ""; // what this page has sent, a try or a judgement, while it waits for what comes of it
  #leaving = false;
  #state = { over: false, acting: false, mayMove: false, connected: false, elsewhere: false };

  connectedCallback() {
    super.connectedCallback();
    const asked = JSON.parse(this.dataset.asked);
    const parts = partsOf(this);
    this.#parts = parts;
    this.#tries = new Tries(asked.tries);
    this.#words = new AnswerWords(asked);
    this.#card = new VerdictCard(parts, this.#words);
    this.#form = new TryForm(parts.form, {
      most: asked.most,
      key: new URL(this.room.dataset.socket, location.href).pathname,
      others: [parts.keeping, parts.judging],
    });
    this.#listen(parts);
    parts.ask.disabled = false; // before this the browser would have sent the form itself
    this.#show();
  }

  #listen(parts) {
    const sends = (form, act) =>
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        act();
      });
    sends(parts.form, () => this.#ask());
    sends(parts.keeping, () => this.#keep());
    sends(parts.judging, () => this.#judge());
    parts["ask-again"].addEventListener("click", () => this.#ask());
    parts.again.addEventListener("click", () => this.#form.focusText());
    parts.change.addEventListener("click", () => this.#form.focusText());
    parts.skip?.addEventListener("click", () => this.#leave("skip"));
    parts.stop.addEventListener("click", () => this.#leave("stop"));
    parts.judging.addEventListener("change", () => this.#showRight());
    parts.keys.checked = recall(BROWSER, KEYS) !== "off";
    parts.keys.addEventListener("change", () => keep(BROWSER, KEYS, parts.keys.checked ? "on" : "off"));
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  happened(event) {
    const waited = this.#tries.last?.waits;
    this.#tries.take(event);
    if (event.action === "try" && this.#asking === "try") {
      this.#chosen = null;
      this.#form.forgetBeside();
    }
    if (event.action === "answer" && !this.#form.isKept) this.#form.fill(this.#tries.last.values);
    this.#show();
    if (waited && !this.#tries.last.waits) this.#arrived();
    if (event.action === "judge" && this.#asking === "judge") this.#arrived();
    if (event.action === "end" && this.#leaving) location.assign(this.room.dataset.next);
  }

  changed(state) {
    this.#state = state;
    this.#show();
  }

  refused({ action, message }) {
    this.#leaving = false;
    this.#asking = "";
    this.#say(this.#parts[action === "judge" ? "judging-problem" : "problem"], message);
    this.#show();
  }

  // Whoever asked is led to the answer; whoever does something else by now only hears of it.
  #arrived() {
    const { last } = this.#tries;
    const head = this.#parts[last.answer ? "verdict-head" : "silence-title"];
    const here = document.activeElement === document.body || this.contains(document.activeElement);
    if (this.#asking && here) head.focus();
    else if (this.#asking) say(this.#parts.heard, last.answer ? this.#card.said(last) : last.silence);
    this.#asking = "";
  }

  #ask() {
    const { missing } = this.#form;
    this.#say(this.#parts.problem, missing?.words ?? this.#obstacle());
    if (missing) return missing.node?.focus();
    if (this.#parts.problem.textContent) return;
    this.#asking = "try";
    this.move("try", { values: this.#form.values });
    say(this.#parts.heard, "The model is reading.");
  }

  // Why nothing can be sent now; empty where it can.
  #obstacle() {
    const { over, elsewhere, acting } = this.#state;
    if (over) return "This text is done.";
    if (elsewhere) return "You are writing in another tab.";
    if (acting || this.#tries.last?.waits) return "The model has not answered yet.";
    if (this.#mustJudge) return "Say first whether the model was wrong.";
    return this.#tries.left === 0 ? "You have used all your tries for this text." : "";
  }

  get #mustJudge() {
    const { last } = this.#tries;
    return last !== null && last.answer !== null && last.wrong === null;
  }

  #judge() {
    const chosen = this.#parts.judging.querySelector("[name=wrong]:checked")?.value;
    const right = this.#parts.judging.elements.label.value.trim();
    const asks = chosen === "yes" && !this.#hasGold;
    const problem = chosen ? (asks && !right ? "Write what would be right first." : "") : "Choose one of the two first.";
    this.#say(this.#parts["judging-problem"], problem);
    if (problem) return;
    this.#asking = "judge";
    this.move("judge", { wrong: chosen === "yes", label: asks ? right : "" });
  }

  #showRight() {
    const chosen = this.#parts.judging.querySelector("[name=wrong]:checked")?.value;
    this.#parts["right-answer"].hidden = chosen !== "yes" || this.#hasGold;
  }

  get #hasGold() {
    return JSON.parse(this.dataset.asked).gold.length > 0;
  }

  #keep() {
    const { why, why_model: whyModel } = this.#parts.keeping.elements;
    this.#leave("keep", { number: this.#shown.number, why: why.value.trim(), why_model: whyModel.value.trim() });
  }

  #leave(action, data = {}) {
    if (this.#state.over || this.#state.acting) return;
    this.#leaving = LEAVING.has(action);
    this.move(action, data);
  }

  // The try whose verdict is on the page.
  get #shown() {
    return this.#chosen ?? this.#tries.last;
  }

  #show() {
    const { over, acting, connected } = this.#state;
    const { last, left } = this.#tries;
    const waits = !over && (last?.waits || (acting && this.#asking === "try"));
    const one = waits ? null : this.#shown;
    this.#parts.waiting.hidden = !waits;
    const words = connected ? "Its answer comes here. What you wrote is kept." : "It is asked as soon as you are back. What you wrote is kept.";
    say(this.#parts["waiting-words"], words);
    this.#parts.silence.hidden = !one?.silence || over;
    say(this.#parts["silence-words"], one?.silence ?? "");
    if (one?.answer) this.#card.show(one, { left, over, canKeep: this.#tries.wrong !== null });
    else this.#card.hide();
    this.#showRight();
    this.#showButtons(Boolean(waits));
    this.#showHistory();
    this.#showLeft();
  }

  #showButtons(waits) {
    const { ask, skip, stop } = this.#parts;
    const { over, acting } = this.#state;
    const tried = this.#tries.answered.length > 0;
    ask.setAttribute("aria-disabled", String(waits || over || acting || this.#tries.left === 0 || this.#mustJudge));
    if (skip) skip.hidden = tried || waits || over;
    stop.hidden = over || waits || !tried;
    this.#parts["ask-again"].setAttribute("aria-disabled", String(acting));
  }

  #showHistory() {
    const told = this.#tries.all.filter((one) => one.answer && one.wrong !== null);
    this.#parts.tries.hidden = told.length === 0;
    this.#parts.history.replaceChildren(...told.toReversed().map((one) => this.#entry(one)));
  }

  #entry(one) {
    const item = this.#parts.entry.content.firstElementChild.cloneNode(true);
    const parts = partsOf(item);
    parts["mark-of"].classList.toggle("good", one.wrong);
    item.classList.toggle("soft", !one.wrong);
    say(parts["said-of"], this.#words.brief(one));
    say(parts["text-of"], this.#words.text(one) || this.#words.own(one));
    parts.look.hidden = !one.wrong || one === this.#shown || this.#state.over;
    parts.look.addEventListener("click", () => this.#lookAgain(one));
    return item;
  }

  #lookAgain(one) {
    this.#chosen = one;
    this.#show();
    this.#parts["verdict-head"].focus();
  }

  // In the head of the page, as beads and in words.
  #showLeft() {
    const { left, most } = this.#tries;
    const head = partsOf(document.querySelector(`[data-tries="${this.room.id}"]`));
    say(head.left, `${left} ${left === 1 ? "try" : "tries"} left`);
    [...(head.beads?.children ?? [])].forEach((bead, n) => bead.classList.toggle("done", n < most - left));
  }

  #pressed(event) {
    if (event.isComposing || event.altKey) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return this.#sendBy(event);
    const free = this.#parts.keys.checked && !event.ctrlKey && !event.metaKey && !event.repeat;
    const isHere = event.target === document.body || this.#parts.form.contains(event.target);
    if (!free || !isHere || event.target.matches(WRITING) || !/^[1-9]$/.test(event.key)) return;
    if (this.#form.choose(Number(event.key))) event.preventDefault();
  }

  #sendBy(event) {
    const form = event.target.closest?.("form");
    if (form && !this.contains(form)) return;
    event.preventDefault();
    (form ?? this.#parts.form).requestSubmit();
  }

  #say(node, words) {
    say(node, words);
    node.hidden = words === "";
  }
}

customElements.define("write-try", WriteTry);
