// <branching-questions>: the steps of a flow. Those of an answer that is not chosen are hidden (by
// CSS), disabled and cleared here, so that they are neither needed nor sent.

import { partsOf, say } from "./parts.js";

class BranchingQuestions extends HTMLElement {
  connectedCallback() {
    this.addEventListener("change", () => this.#settle());
    addEventListener("pageshow", () => this.#settle({ quietly: true }));
    this.#settle({ quietly: true });
  }

  #settle({ quietly = false } = {}) {
    // In the order of the page: what is above decides over what is below.
    for (const branch of this.querySelectorAll(".branch-steps")) this.#open(branch, quietly);
    const needed = this.hasAttribute("data-required") || this.querySelector(":checked") !== null;
    for (const step of this.querySelectorAll(".step[data-must]")) require(step, needed);
  }

  #open(branch, quietly) {
    const parent = branch.parentElement.querySelector(":scope > .pick input");
    const open = parent.checked && !parent.disabled;
    const shut = branch.hasAttribute("data-open") && !open;
    const opened = open && !branch.hasAttribute("data-open");
    branch.toggleAttribute("data-open", open);
    if (open || shut || branch.querySelector("input:not(:disabled)")) set(branch, open);
    if (opened && !quietly) {
      say(partsOf(this).said, `One more question: ${branch.querySelector("legend").textContent}`);
    }
  }
}

function set(branch, open) {
  for (const input of branch.querySelectorAll("input")) {
    if (input.closest(".branch-steps") !== branch) continue;
    input.disabled = !open;
    if (!open) input.checked = false;
  }
}

function require(step, needed) {
  const inputs = [...step.querySelectorAll("input")].filter((one) => one.closest(".step") === step);
  const asked = needed && !inputs[0].disabled;
  if (inputs[0].type === "radio") for (const input of inputs) input.required = asked;
  else if (asked) step.dataset.least = "1";
  else delete step.dataset.least;
}

customElements.define("branching-questions", BranchingQuestions);
