// Asks an address again and again, less often while it fails, not at all while nobody looks.
// `every` is a time in milliseconds, or a function that gives one; `read` makes what is heard of an
// answer (JSON, unless it is told otherwise).

const LONGEST = 30_000;

export const asText = { accept: "text/html", read: (answer) => answer.text() };
const asJson = { accept: "application/json", read: (answer) => answer.json() };

export class Polling {
  #url;
  #every;
  #heard;
  #failed;
  #form;
  #timer = null;
  #failures = 0;
  #seen = () => document.hidden || this.#ask();

  constructor({ url, every, heard, failed = () => {}, form = asJson }) {
    this.#url = url;
    this.#every = typeof every === "function" ? every : () => every;
    this.#heard = heard;
    this.#failed = failed;
    this.#form = form;
  }

  start({ now = false } = {}) {
    document.addEventListener("visibilitychange", this.#seen);
    this.#timer = setTimeout(() => this.#ask(), now ? 0 : this.#every());
  }

  stop() {
    document.removeEventListener("visibilitychange", this.#seen);
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #ask() {
    clearTimeout(this.#timer);
    if (!document.hidden) {
      try {
        const answer = await fetch(this.#url(), { headers: { accept: this.#form.accept } });
        if (!answer.ok) throw new Error(String(answer.status));
        const body = await this.#form.read(answer);
        this.#failures = 0;
        if (this.#timer !== null) this.#heard(body);
      } catch (error) {
        this.#failures += 1;
        this.#failed(error.message === "401");
      }
    }
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    const pause = Math.min(LONGEST, this.#every() * 2 ** this.#failures);
    this.#timer = setTimeout(() => this.#ask(), pause);
  }
}
