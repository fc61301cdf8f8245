// Tabs that do not fit are scrolled so that the current one is seen.

for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  tab.scrollIntoView({ inline: "center", block: "nearest", behavior: "instant" });
}
