// <tick-rows>: ticks all rows of the form that it stands in, and says how many are ticked.

import { partsOf, say } from "./parts.js";

class TickRows extends HTMLElement {
  connectedCallback() {
    const { all, count } = partsOf(this);
    const form = this.closest("form");
    const boxes = () => [...form.querySelectorAll('input[type="checkbox"][name="piece"]')];
    const tell = () => {
      const ticked = boxes().filter((box) => box.checked).length;
      say(count, ticked ? `${ticked} ticked` : "");
      all.checked = ticked > 0 && ticked === boxes().length;
    };
    all.addEventListener("change", () => {
      for (const box of boxes()) box.checked = all.checked;
      tell();
    });
    form.addEventListener("change", tell);
    tell();
  }
}

customElements.define("tick-rows", TickRows);
