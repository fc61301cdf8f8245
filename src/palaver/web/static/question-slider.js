// <question-slider>: a range beside the number that is sent. Until somebody touches it, the number
// is empty and the question unanswered: where the thumb happens to stand is no answer.

import { partsOf, say } from "./parts.js";

class QuestionSlider extends HTMLElement {
  #parts;

  connectedCallback() {
    this.#parts = partsOf(this);
    const { range, number } = this.#parts;
    range.hidden = false;
    range.addEventListener("input", () => this.#take());
    range.addEventListener("pointerup", () => this.#accept());
    range.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.#accept();
    });
    number.addEventListener("input", () => this.#show());
    addEventListener("pageshow", () => this.#show());
    this.#show();
  }

  // The thumb stands where it should be already, which no event of the range tells.
  #accept() {
    if (this.#parts.number.value !== "") return;
    this.#take();
    this.#parts.number.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #take() {
    this.#parts.number.value = this.#parts.range.value;
    this.#show();
  }

  #show() {
    const { range, number, state } = this.#parts;
    const touched = number.value !== "";
    this.toggleAttribute("data-touched", touched);
    if (touched) range.value = number.value;
    range.setAttribute("aria-valuetext", touched ? number.value : "Not answered yet");
    say(state, touched ? "" : "Not answered yet. Move the slider, or press it where it is.");
  }
}

customElements.define("question-slider", QuestionSlider);
