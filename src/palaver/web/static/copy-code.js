// <copy-code>: a button that copies the code; without scripting there is only the code to select.

import { partsOf, say } from "./parts.js";

class CopyCode extends HTMLElement {
  connectedCallback() {
    const { code, copy, copied } = partsOf(this);
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        say(copied, "Copied");
      } catch {
        getSelection().selectAllChildren(code); // no permission, or not a secure page
        say(copied, "Selected. Copy it with Ctrl+C or a long press.");
      }
    });
  }
}

customElements.define("copy-code", CopyCode);
