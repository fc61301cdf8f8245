// <local-time>: the time inside it, in the reader's zone and language; the server knows neither.

import { showMoment } from "./moments.js";

class LocalTime extends HTMLElement {
  connectedCallback() {
    const time = this.querySelector("time");
    if (time?.dateTime) showMoment(time);
  }
}

customElements.define("local-time", LocalTime);
