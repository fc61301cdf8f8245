// <live-runs data-url>: keeps the matrix of a task up to date; <live-run data-url> does so for one
// run. The server has drawn both; only what differs is touched, so nothing flickers, and nothing is
// said to a screen reader that did not ask.

import { partsOf, say, saySignedOut } from "./parts.js";
import { Polling } from "./polling.js";

const EVERY = 2000;
const TONES = ["good", "warning", "error"];
const count = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

class Live extends HTMLElement {
  parts;
  #polling = null;

  connectedCallback() {
    this.parts = partsOf(this);
    if (!this.dataset.url) return;
    this.#polling = new Polling({
      url: () => this.address(),
      every: EVERY,
      heard: (news) => {
        this.show(news);
        say(this.parts.connection, `Updated ${clock.format(new Date())}`);
      },
      failed: (signedOut) =>
        signedOut
          ? saySignedOut(this.parts.connection)
          : say(this.parts.connection, "The state could not be refreshed; trying again."),
    });
    this.#polling.start();
  }

  disconnectedCallback() {
    this.stop();
  }

  stop() {
    this.#polling?.stop();
  }

  address() {
    return this.dataset.url;
  }
}

class LiveRuns extends Live {
  address() {
    const separator = this.dataset.url.includes("?") ? "&" : "?";
    return `${this.dataset.url}${separator}mark=${this.dataset.mark}`;
  }

  show({ mark, state, shape, cells, failures, more_failures: more }) {
    if (cells === undefined) return; // nothing has changed
    this.dataset.mark = mark;
    say(document.getElementById("task-state"), state);
    document.title = `${this.dataset.title}: ${state} · Palaver`;
    const places = new Map();
    for (const place of this.querySelectorAll("[data-cell]")) places.set(place.dataset.cell, place);
    for (const run of cells) {
      const place = places.get(run.cell);
      if (place) fill(place, run);
    }
    this.#failures(failures, more);
    if (shape !== this.dataset.shape) this.parts.changed.hidden = false;
  }

  #failures(failures, more) {
    const list = this.parts.failures;
    const known = new Map([...list.children].map((row) => [row.dataset.key, row]));
    failures.forEach((failure, place) => {
      const row = known.get(failure.key) ?? this.#failure(failure.key);
      known.delete(failure.key);
      if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
      const link = row.querySelector("a");
      if (link.getAttribute("href") !== failure.url) link.setAttribute("href", failure.url);
      say(link, failure.title);
      say(row.querySelector('[data-field="where"]'), failure.where);
      say(row.querySelector("p"), failure.reason);
    });
    for (const row of known.values()) row.remove();
    this.parts["failed-section"].hidden = failures.length === 0;
    this.parts["more-failures"].hidden = more === 0;
    say(this.parts["more-failures"], `and ${count.format(more)} more models`);
  }

  #failure(key) {
    const row = this.parts["failure-row"].content.firstElementChild.cloneNode(true);
    row.dataset.key = key;
    return row;
  }
}

function fill(place, { url, state, tone, said, note, done, of }) {
  const text = place.querySelector('[data-field="said"]');
  if (url && text.getAttribute("href") !== url) text.setAttribute("href", url);
  if (text.textContent !== said) {
    text.textContent = said;
    if (of === 0) flash(place);
  }
  say(place.querySelector('[data-field="note"]'), note);
  for (const each of TONES) place.classList.toggle(each, each === tone);
  place.classList.toggle("unplanned", state === "");
  measure(place, text, done, of);
}

// The bar of a cell stands there only while its model is being asked.
function measure(place, text, done, of) {
  let bar = place.querySelector('[data-field="bar"]');
  if (of === 0) {
    bar?.remove();
    return;
  }
  if (!bar) {
    bar = document.createElement("progress");
    bar.dataset.field = "bar";
    bar.setAttribute("aria-label", `${place.dataset.label}: answered`);
    text.after(bar);
  }
  bar.max = of;
  bar.value = done;
}

function flash(place) {
  place.classList.add("changed");
  place.addEventListener("animationend", () => place.classList.remove("changed"), { once: true });
}

class LiveRun extends Live {
  show({ state, words, reason, done, of, is_over: over }) {
    say(document.getElementById("run-words"), words);
    document.title = `${this.dataset.title}: ${words} · Palaver`;
    const { bar, reason: why, over: note } = this.parts;
    say(why, reason);
    why.hidden = reason === "";
    bar.hidden = of === 0;
    if (of > 0) {
      bar.max = of;
      bar.value = done;
    }
    note.hidden = state === this.dataset.state;
    if (over) this.stop();
  }
}

customElements.define("live-runs", LiveRuns);
customElements.define("live-run", LiveRun);
