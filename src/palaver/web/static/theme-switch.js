// <theme-switch>: light or dark, kept in this browser; without a choice the system decides.

import { BROWSER, keep, recall } from "./browser-storage.js";

const KEY = "palaver:theme";
const root = document.documentElement;

function current() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return root.dataset.theme ?? (dark ? "dark" : "light");
}

const chosen = recall(BROWSER, KEY);
if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

class ThemeSwitch extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    button.hidden = false;
    const label = () => {
      const other = current() === "dark" ? "Light" : "Dark";
      button.querySelector("span").textContent = `${other} colours`;
    };
    button.addEventListener("click", () => {
      root.dataset.theme = current() === "dark" ? "light" : "dark";
      keep(BROWSER, KEY, root.dataset.theme);
      label();
    });
    label();
  }
}

customElements.define("theme-switch", ThemeSwitch);
