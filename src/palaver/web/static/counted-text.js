// <counted-text data-least data-most>: says how many characters are still needed, or left.

import { partsOf, say } from "./parts.js";

class CountedText extends HTMLElement {
  connectedCallback() {
    const { count } = partsOf(this);
    const field = this.querySelector("textarea");
    const { least, most } = this.dataset;
    const tell = () => {
      const length = [...field.value.trim()].length;
      const missing = Number(least ?? 0) - length;
      if (missing > 0) say(count, `${length} characters; ${missing} more ${missing === 1 ? "is" : "are"} needed`);
      else if (most) say(count, `${length} of ${Number(most).toLocaleString("en")} characters`);
      else say(count, `${length} characters, which is enough`);
    };
    field.addEventListener("input", tell);
    tell();
  }
}

customElements.define("counted-text", CountedText);
