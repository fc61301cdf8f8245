// <fold-on-phone>: what stands beside a task where there is room starts folded above it on a phone.

class FoldOnPhone extends HTMLElement {
  connectedCallback() {
    if (matchMedia("(max-width: 959px)").matches) this.querySelector("details").open = false;
  }
}

customElements.define("fold-on-phone", FoldOnPhone);
