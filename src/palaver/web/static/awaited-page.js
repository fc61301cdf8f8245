// <awaited-page>: says that what belongs here is not ready. Asks for this page again and again, and
// shows it once it no longer says so. Without scripts the page reloads itself.

const EVERY = 1500;
const LONGEST = 30_000;

class AwaitedPage extends HTMLElement {
  #timer = null;
  #failures = 0;

  connectedCallback() {
    this.#timer = setTimeout(() => this.#look(), EVERY);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  async #look() {
    if (!document.hidden && (await this.#isReady())) {
      location.reload();
      return;
    }
    this.#timer = setTimeout(() => this.#look(), Math.min(LONGEST, EVERY * 2 ** this.#failures));
  }

  async #isReady() {
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      const text = await answer.text();
      this.#failures = 0;
      return !text.includes(`<${this.localName}`);
    } catch {
      this.#failures += 1;
      return false;
    }
  }
}

customElements.define("awaited-page", AwaitedPage);
