// <local-time>: the time inside it, in the reader's zone and language; the server knows neither. With
// `whole` the day stands there also when it is today.

import { showMoment } from "./moments.js";

class LocalTime extends HTMLElement {
  connectedCallback() {
    const time = this.querySelector("time");
    if (time?.dateTime) showMoment(time, this.hasAttribute("whole"));
  }
}

customElements.define("local-time", LocalTime);
