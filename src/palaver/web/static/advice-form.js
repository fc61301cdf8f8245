// <advice-form>: asks the model without leaving the page, says whatever goes wrong, and keeps what is
// written in the page's address. Without scripting the form is sent, and the server answers with a page.

import { partsOf, say } from "./parts.js";

const FIELDS = ["subreddit", "title", "selftext"];
// Longer addresses are cut or refused on their way.
const LONGEST_ADDRESS = 8000;

class AdviceForm extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.parts = partsOf(this);
    this.linkNote = this.parts.link.textContent;
    this.form.addEventListener("input", () => this.mirror());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.parts.generate.disabled) this.ask();
    });
  }

  mirror() {
    const query = new URLSearchParams(new FormData(this.form));
    let address = `${location.pathname}?${query}`;
    const isLong = address.length > LONGEST_ADDRESS;
    if (isLong) {
      query.delete("selftext");
      address = `${location.pathname}?${query}`.slice(0, LONGEST_ADDRESS);
    }
    history.replaceState(null, "", address);
    const left = "The details are too long for an address: pass them on in another way.";
    say(this.parts.link, isLong ? left : this.linkNote);
  }

  async ask() {
    const { advice, problem, state, generate } = this.parts;
    const given = new FormData(this.form);
    const instance = Object.fromEntries(FIELDS.map((name) => [name, given.get(name)]));
    instance.subreddit ||= "Advice";
    const began = Date.now();
    const tick = () => say(state, `The model is writing (${Math.round((Date.now() - began) / 1000)} s).`);
    const ticking = setInterval(tick, 1000);
    say(state, "The model is writing.");
    say(advice, "");
    problem.hidden = true;
    generate.disabled = true;
    advice.parentElement.scrollIntoView({ block: "nearest" });
    try {
      const text = await answer(this.form.action, { ...instance, target: "advice" });
      say(advice, text);
      say(state, text.trim() ? "" : "The model answered with an empty text.");
    } catch (error) {
      say(state, "");
      say(problem, error.message);
      problem.hidden = false;
    } finally {
      clearInterval(ticking);
      generate.disabled = false;
    }
  }
}

async function answer(base, instance) {
  let response;
  try {
    response = await fetch(new URL("api/ask", base), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(instance),
    });
  } catch {
    throw new Error("The server cannot be reached. What you wrote is kept here; try again in a moment.");
  }
  let content = null;
  try {
    content = await response.json();
  } catch {
    throw new Error(`The server answered ${response.status}, and not in JSON.`);
  }
  if (!response.ok) throw new Error(content?.error ?? `The server answered ${response.status}.`);
  if (typeof content?.gen !== "string") throw new Error("The server's answer has no text in it.");
  return content.gen;
}

customElements.define("advice-form", AdviceForm);
