// Asks an address again and again, less often while it fails, not at all while nobody looks.

const LONGEST = 30_000;

export class Polling {
  #url;
  #every;
  #heard;
  #failed;
  #timer = null;
  #failures = 0;
  #seen = () => document.hidden || this.#ask();

  constructor({ url, every, heard, failed }) {
    this.#url = url;
    this.#every = every;
    this.#heard = heard;
    this.#failed = failed;
  }

  start() {
    document.addEventListener("visibilitychange", this.#seen);
    this.#timer = setTimeout(() => this.#ask(), this.#every);
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
        const answer = await fetch(this.#url(), { headers: { accept: "application/json" } });
        if (!answer.ok) throw new Error(String(answer.status));
        const body = await answer.json();
        this.#failures = 0;
        if (this.#timer !== null) this.#heard(body);
      } catch (error) {
        this.#failures += 1;
        this.#failed(error.message === "401");
      }
    }
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), Math.min(LONGEST, this.#every * 2 ** this.#failures));
  }
}
