// <question-multiselect>: some answers of several, or none of them: whoever says "None of these"
// has chosen nothing else, and the other way round.

class QuestionMultiselect extends HTMLElement {
  connectedCallback() {
    this.addEventListener("change", ({ target }) => {
      if (!target.checked || target.closest("question-multiselect") !== this) return;
      for (const input of this.querySelectorAll("input:checked")) {
        const isSibling = input.name === target.name && input !== target;
        const excludes = input.matches("[data-none]") || target.matches("[data-none]");
        if (isSibling && excludes) input.checked = false;
      }
    });
  }
}

customElements.define("question-multiselect", QuestionMultiselect);
