// A question about each of the partner's messages, in a live conversation. One template is cloned
// for every message; its answer is saved as soon as it is complete, and again when it changes.

import { partsOf, say } from "./parts.js";
import { isComplete, needsAnswer } from "./question-parts.js";
import { hasPlaces } from "./rich-text.js";

const REFERRING = ["id", "for", "name", "aria-labelledby", "aria-describedby"];

export class MessageQuestions {
  #template;
  #room;
  #answers;
  #onChange;
  #last = null;

  constructor(template, { room, onChange }) {
    this.#template = template;
    this.#room = room;
    this.#answers = JSON.parse(template.dataset.answers);
    this.#onChange = onChange;
  }

  // Whether the last message must be judged before anything else is written.
  get pending() {
    return this.#template.hasAttribute("data-required") && this.#last !== null && !this.#last.saved;
  }

  attach(item, { seq, data, rich }) {
    // What a scripted opening says is not the partner's doing.
    if (data === null || data.seed || item.querySelector("form")) return;
    const { field } = this.#template.dataset;
    const form = this.#template.content.firstElementChild.cloneNode(true);
    number(form, field, seq, this.#room);
    partsOf(form).seq.value = seq;
    for (const marker of form.querySelectorAll("span-marker")) {
      marker.dataset.text = JSON.stringify(String(data.text ?? ""));
      if (rich && hasPlaces(rich)) marker.dataset.tree = JSON.stringify(rich);
    }
    const stored = this.#answers[seq];
    if (stored !== undefined && stored !== null) fill(form, `${field}-${seq}`, stored);
    item.append(form);
    this.#last = new MessageQuestion(form, stored !== undefined, this.#onChange);
  }
}

class MessageQuestion {
  #form;
  #parts;
  #onChange;
  #saving = false;
  #again = false;
  saved;

  constructor(form, saved, onChange) {
    this.#form = form;
    this.#parts = partsOf(form);
    this.#onChange = onChange;
    this.saved = saved;
    form.noValidate = true;
    form.addEventListener("change", () => this.#changed());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#changed();
    });
    // What needs no choice (nothing to tick, nothing to mark) still needs a word that it was seen.
    this.#offer(saved || needsAnswer(form) ? "" : "Save as it is");
    if (saved) say(this.#parts.saved, "Saved");
  }

  #changed() {
    this.saved = false;
    if (isComplete(this.#form)) this.#save();
    else this.#settle(false, "");
  }

  async #save() {
    this.#again = this.#saving;
    if (this.#saving) return;
    this.#saving = true;
    this.#settle(false, "Saving…");
    const outcome = await post(this.#form);
    this.#saving = false;
    if (this.#again) return this.#save();
    this.#settle(outcome.saved, outcome.words, outcome.retry);
  }

  #settle(saved, words, retry = "") {
    this.saved = saved;
    say(this.#parts.saved, words);
    this.#parts.saved.classList.toggle("failed", retry !== "");
    this.#offer(retry);
    this.#onChange();
  }

  #offer(words) {
    this.#parts.save.hidden = words === "";
    say(this.#parts.save, words);
  }
}

async function post(form) {
  try {
    const body = new URLSearchParams(new FormData(form));
    const headers = { accept: "application/json" };
    const response = await fetch(form.action, { method: "POST", body, headers });
    if (response.ok) return { saved: true, words: "Saved" };
    const { error } = response.status === 422 ? await response.json() : {};
    if (error) return { saved: false, words: error, retry: "Try again" };
  } catch {
    // no connection, or an answer that is none of ours: the same to the reader
  }
  return { saved: false, words: "Not saved. Your answer is kept here.", retry: "Try again" };
}

// The field's name gets the message's number, wherever it stands; ids get the room's name as well.
function number(form, field, seq, room) {
  for (const node of form.querySelectorAll("*")) {
    for (const attribute of REFERRING) {
      const value = node.getAttribute(attribute);
      if (!value?.trim().startsWith(field)) continue;
      const prefix = attribute === "name" ? "" : `${room}-`;
      const words = attribute === "name" ? [value] : value.trim().split(/\s+/);
      const numbered = words.map((word) => prefix + word.replace(field, `${field}-${seq}`));
      node.setAttribute(attribute, numbered.join(" "));
    }
  }
}

function fill(form, field, answer) {
  const named = (name) => [...form.elements].filter((control) => control.name === name);
  if (answer !== null && typeof answer === "object" && !Array.isArray(answer)) {
    for (const [part, value] of Object.entries(answer)) enter(named(`${field}:${part}`), value);
  } else if (named(field).length > 0) {
    enter(named(field), answer);
  } else if (Array.isArray(answer)) {
    answer.forEach((part, place) => enter(named(`${field}:${part}`), place + 1));
  }
}

function enter(controls, value) {
  const values = value?.length === 0 ? [""] : [value].flat().map(String); // none of the answers
  for (const control of controls) {
    if (control.type === "radio" || control.type === "checkbox") {
      control.checked = values.includes(control.value);
    } else if (control.dataset.part === "value") {
      control.value = JSON.stringify(value);
    } else if (control.type !== "hidden") {
      control.value = values[0];
    }
  }
}
