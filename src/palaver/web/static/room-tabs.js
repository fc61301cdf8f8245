// <room-tabs>: what is shown where there is room for one thing only. The style sheet shows and hides;
// this marks the tab of a conversation in which the partner wrote while something else is shown.

class RoomTabs extends HTMLElement {
  connectedCallback() {
    document.addEventListener("room-change", ({ target, detail }) => {
      const tab = this.querySelector(`input[value="${target.id}"]`);
      if (detail.fromPartner && tab && !tab.checked) this.#mark(tab, true);
    });
    this.addEventListener("change", ({ target }) => this.#mark(target, false));
  }

  #mark(tab, isNew) {
    const mark = tab.closest("label").querySelector(".tag");
    if (mark) mark.hidden = !isNew;
  }
}

customElements.define("room-tabs", RoomTabs);
