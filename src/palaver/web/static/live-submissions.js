// <live-submissions data-url>: keeps the state of a team's runs up to date. The server has drawn the
// rows; only what differs is touched.

import { partsOf, say } from "./parts.js";
import { Polling } from "./polling.js";

const EVERY = 2000;

class LiveSubmissions extends HTMLElement {
  #parts;
  #polling;

  connectedCallback() {
    this.#parts = partsOf(this);
    this.#polling = new Polling({
      url: () => this.dataset.url,
      every: EVERY,
      heard: (body) => this.#show(body),
      failed: () => say(this.#parts.connection, "The page could not be refreshed; trying again."),
    });
    this.#polling.start();
  }

  disconnectedCallback() {
    this.#polling.stop();
  }

  #show({ submissions }) {
    say(this.#parts.connection, "");
    for (const run of submissions.flatMap((each) => each.runs)) this.#run(run);
  }

  #run({ key, state, words, done, items, reason }) {
    const row = [...this.querySelectorAll("[data-run]")].find((one) => one.dataset.run === key);
    if (!row) return;
    say(row.querySelector("[data-field=words]"), words);
    say(row.querySelector("[data-field=reason]"), reason);
    const bar = row.querySelector("progress");
    bar.max = items;
    bar.value = done;
    bar.hidden = state !== "answering";
  }
}

customElements.define("live-submissions", LiveSubmissions);
