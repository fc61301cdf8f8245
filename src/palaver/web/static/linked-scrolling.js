// <linked-scrolling>: two conversations that scroll on their own, or together where one wishes.

import { partsOf } from "./parts.js";

class LinkedScrolling extends HTMLElement {
  connectedCallback() {
    const { linked } = partsOf(this);
    const logs = [...this.querySelectorAll(".talk")];
    if (logs.length !== 2) return;
    linked.closest("label").hidden = false;
    let echo = null; // the one that follows must not lead in turn
    logs.forEach((log, place) =>
      log.addEventListener("scroll", () => {
        if (!linked.checked || log === echo) return (echo = null);
        echo = logs[1 - place];
        const before = echo.scrollTop;
        echo.scrollTop = share(log) * (echo.scrollHeight - echo.clientHeight);
        if (echo.scrollTop === before) echo = null;
        return echo;
      }),
    );
  }
}

function share(log) {
  const room = log.scrollHeight - log.clientHeight;
  return room > 0 ? log.scrollTop / room : 0;
}

customElements.define("linked-scrolling", LinkedScrolling);
