// Answers are kept as they are given: what changed goes to the server after a pause of typing, or at
// once where something was chosen; one save at a time. Nothing here sends the form.

import { TAB, forget, keep, recall } from "./browser-storage.js";
import { say } from "./parts.js";

const PAUSE = 600;
const FIRST_WAIT = 5;
const LONGEST_WAIT = 60;
const KEPT = "Your answers are kept.";
const OWN = ["csrf", "work", "screen", "nonce", "kept"];

export class KeptAnswers {
  #form;
  #url;
  #state;
  #folds;
  #changed = new Set();
  #under = null; // what the save under way brings
  #number = 0;
  #failures = 0;
  #timer = null;
  #over = false;
  #sent = false;

  constructor(form, { url, kept, refused, state }) {
    this.#form = form;
    this.#url = url;
    this.#state = state;
    if (!url) return;
    const known = kept ? JSON.parse(kept) : null;
    if (known) this.#tell(KEPT);
    this.#watchFolds(known?.opened);
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", ({ persisted }) => persisted && this.#comeBack());
    document.addEventListener("visibilitychange", () => document.hidden && this.#save());
    if (refused) this.#takeAll();
    else this.#takeGiven();
    if (this.#changed.size === 0 && !this.#under) this.#bringBack(known?.saves ?? {});
  }

  // A question has another answer than before.
  changed(question, { typing }) {
    if (!this.#url) return;
    this.#changed.add(question.id);
    this.#plan(typing ? PAUSE : 0);
  }

  // Whoever leaves a text that is kept already changes nothing.
  left(question) {
    if (this.#changed.has(question.id)) this.#plan(0);
  }

  // The form is being sent. A save that comes after it is refused, and nothing is lost if it fails.
  sent() {
    this.#save({ keepalive: true });
    this.#sent = true;
  }

  #plan(delay) {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (delay > 0) this.#timer = setTimeout(() => this.#save(), delay);
    else this.#save();
  }

  async #save({ keepalive = false } = {}) {
    if (this.#under || this.#over || this.#changed.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#under = this.#take();
    const outcome = await post(this.#url, this.#body(this.#under), keepalive);
    const under = this.#under;
    this.#under = null;
    this.#settle(outcome, under);
  }

  #settle({ kept, words, wait }, under) {
    if (kept) {
      this.#failures = 0;
      this.#tell(KEPT);
      if (this.#changed.size > 0 && this.#timer === null) this.#save();
      return;
    }
    for (const id of under) this.#changed.add(id);
    if (wait) {
      const seconds = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failures);
      this.#failures += 1;
      this.#tell(`Not kept yet. We try again in ${seconds} s.`, { failed: true });
      this.#plan(1000 * seconds);
    } else {
      this.#over = words.final;
      this.#tell(words.text, { failed: true });
    }
  }

  #take() {
    const taken = new Set(this.#changed);
    this.#changed.clear();
    return taken;
  }

  #takeAll() {
    for (const question of this.#form.querySelectorAll(".question")) this.#changed.add(question.id);
    this.#plan(0);
  }

  // What was answered before this script came, or put back by the browser.
  #takeGiven() {
    for (const question of this.#form.querySelectorAll(".question")) {
      if ([...question.querySelectorAll(GIVEN)].some(isGiven)) this.#changed.add(question.id);
    }
    if (this.#changed.size > 0) this.#plan(0);
  }

  #body(ids) {
    const given = new FormData(this.#form);
    const body = new URLSearchParams(OWN.map((name) => [name, given.get(name) ?? ""]));
    this.#number += 1;
    body.append("number", this.#number);
    for (const id of ids) if (id !== FOLDS) body.append("changed", id);
    for (const [name, value] of given) if (ids.has(name.split(":", 1)[0])) body.append(name, value);
    if (ids.has(FOLDS)) body.append("opened", "");
    if (ids.has(FOLDS)) for (const fold of this.#opened()) body.append("opened", fold);
    return body;
  }

  // The page goes while something is not kept yet: it is sent once more, and if the next page is
  // quicker than that, it finds in the tab's storage what it lacks.
  #leave() {
    if (this.#sent || this.#over || (this.#changed.size === 0 && !this.#under)) return;
    const ids = new Set([...this.#changed, ...(this.#under ?? [])]);
    const body = this.#body(ids);
    keep(TAB, this.#key, JSON.stringify({ page: body.get("nonce"), number: this.#number, body: `${body}` }));
    post(this.#url, body, true);
  }

  #comeBack() {
    this.#sent = false;
    this.#takeAll();
  }

  async #bringBack(saves) {
    const left = recall(TAB, this.#key);
    if (!left) return;
    forget(TAB, this.#key);
    const { page, number, body } = JSON.parse(left);
    if (number <= (saves[page] ?? 0)) return;
    const { kept } = await post(this.#url, new URLSearchParams(body), false);
    if (kept && this.#changed.size === 0 && !this.#under) location.reload();
  }

  get #key() {
    const { work, screen } = this.#form.elements;
    return `palaver:unsaved:${this.#url}:${work.value}:${screen.value}`;
  }

  // What is unfolded is kept as well; a browser tells of folds that it has just drawn.
  #watchFolds(opened) {
    const all = [...this.#form.querySelectorAll("details[id]")];
    if (opened) for (const fold of all) fold.open = opened.includes(fold.id);
    this.#folds = new Map(all.map((fold) => [fold, fold.open]));
    this.#form.addEventListener(
      "toggle",
      ({ target }) => {
        if (!this.#folds.has(target) || this.#folds.get(target) === target.open) return;
        this.#folds.set(target, target.open);
        this.#changed.add(FOLDS);
        this.#plan(PAUSE);
      },
      { capture: true },
    );
  }

  #opened() {
    return [...this.#folds].filter(([, open]) => open).map(([fold]) => fold.id);
  }

  #tell(words, { failed = false } = {}) {
    if (!this.#state) return;
    this.#state.classList.toggle("failed", failed);
    this.#state.hidden = false;
    say(this.#state.querySelector("[data-part=kept-words]"), words);
  }
}

// Stands for the folds among what changed; no question is called so.
const FOLDS = "";
const GIVEN = "input[name]:enabled:not([type=hidden]), textarea[name]";

function isGiven(control) {
  const isTick = control.type === "radio" || control.type === "checkbox";
  return isTick ? control.checked !== control.defaultChecked : control.value !== control.defaultValue;
}

async function post(url, body, keepalive) {
  try {
    const headers = { accept: "application/json" };
    const response = await fetch(url, { method: "POST", body, headers, keepalive: keepalive && short(body) });
    if (response.status >= 500 || response.status === 429) return { wait: true };
    const type = response.headers.get("content-type") ?? "";
    const { kept, error } = type.includes("json") ? await response.json() : {};
    if (kept) return { kept };
    const text = error ?? "Not kept: this browser is no longer signed in. Open the link you were sent again.";
    return { words: { text, final: response.status !== 422 } };
  } catch {
    return { wait: true }; // no connection
  }
}

// A browser lets no more than 64 KiB outlive a page.
function short(body) {
  return `${body}`.length < 60_000;
}
