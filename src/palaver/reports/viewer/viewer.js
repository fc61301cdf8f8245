// The page: filters in the address, the list beside the dialogue, and the keyboard.

import { dialogueNodes } from "./viewer-dialogue.js";
import { element } from "./viewer-list.js";
import { AGENTS, GAME, ID, OUTCOME, Rows, SCENARIO, wordsOf } from "./viewer-rows.js";

const MOST_NAMED = 500;
const find = (id) => document.getElementById(id);
const index = JSON.parse(document.querySelector('script[data-part="index"]').textContent);
const rows = new Rows(index, [...document.querySelectorAll('script[data-part="chunk"]')]);
const places = new Map(rows.all.map((row, n) => [row[ID], n]));
const form = find("filters"), list = document.querySelector("dialogue-list"), opened = find("opened");
const narrow = matchMedia("(max-width: 859px)");
let numbers = [], open = -1, asking = 0;

const asked = () => Object.fromEntries(new FormData(form));
const counted = (count, noun) => `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;

const fill = (name, any, choices) => {
  const select = form.elements[name];
  select.append(...[["", any], ...choices].map(([value, label]) => element("option", { value, textContent: label })));
  for (const part of form.querySelectorAll(`[data-filter="${name}"]`)) part.hidden = choices.length === 0;
};

const withCounts = (pairs) => pairs.map(([value, count]) => [value, `${value.replaceAll("_", " ")} (${count.toLocaleString()})`]);

const fillFilters = () => {
  const games = rows.counted(GAME);
  fill("game", "Any", games.length > 1 ? withCounts(games) : []);
  fill("outcome", "Any", withCounts(rows.counted(OUTCOME)));
  fill("agent", "Anybody", withCounts(rows.counted(AGENTS)));
  fill("question", "Any", withCounts(rows.questions()));
  const orders = rows.orders();
  form.elements.sort.append(...orders.map(([value, label]) => element("option", { value, textContent: label })));
  find("scenarios").append(...rows.counted(SCENARIO).slice(0, MOST_NAMED).map(([value]) => element("option", { value })));
};

// --- The address: what is asked and what is open ---

const readAddress = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const field of form.elements) {
    if (!field.name) continue;
    field.value = given.get(field.name) ?? "";
    if (field.name === "sort" && !field.value) field.value = "file";
  }
  return places.get(given.get("d")) ?? -1;
};

const writeAddress = (push) => {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(asked())) if (value && !(name === "sort" && value === "file")) given.set(name, value);
  if (open >= 0) given.set("d", rows.all[open][ID]);
  const address = `#${given}`;
  if (push) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
};

// --- What is shown ---

const showCount = () => {
  const counts = new Map();
  for (const n of numbers) counts.set(rows.all[n][OUTCOME], (counts.get(rows.all[n][OUTCOME]) ?? 0) + 1);
  const parts = [...counts].filter(([name]) => name).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, count]) => `${count.toLocaleString()} ${name}`);
  const all = rows.all.length;
  const size = numbers.length === all ? counted(all, "dialogue") : `${numbers.length.toLocaleString()} of ${counted(all, "dialogue")}`;
  find("count").textContent = [size + (parts.length ? `: ${parts.join(", ")}` : ""), index.note].filter(Boolean).join(". ");
  const set = Object.entries(asked()).filter(([name, value]) => value && name !== "q" && !(name === "sort" && value === "file")).length;
  find("filters-set").hidden = set === 0;
  find("filters-set").textContent = `${set} set`;
};

const showNone = () => {
  const none = find("none");
  none.hidden = numbers.length > 0;
  list.hidden = numbers.length === 0;
  if (numbers.length) return;
  const words = rows.all.length ? "No dialogue fits." : "This file holds no dialogues.";
  const button = element("button", { type: "button", className: "compact", textContent: "Clear search and filters" });
  button.addEventListener("click", clear);
  none.replaceChildren(element("p", { textContent: words }), ...(rows.all.length ? [button] : []));
};

const showDialogue = () => {
  document.body.classList.toggle("reading-one", open >= 0 && narrow.matches);
  if (open < 0) {
    const hint = rows.all.length ? "Choose a dialogue to read it." : "There is nothing to read.";
    opened.replaceChildren(element("p", { className: "viewer-hint soft", textContent: hint }));
    return;
  }
  const back = element("button", { type: "button", className: "compact viewer-back", textContent: "All dialogues" });
  back.addEventListener("click", close);
  opened.replaceChildren(back, ...dialogueNodes(rows.all[open], rows.body(open), rows.knowledge(open), wordsOf(asked().q), narrow.matches));
  opened.scrollTop = 0;
};

const apply = async (seek) => {
  const turn = ++asking;
  const begun = performance.now();
  const fitting = await rows.fitting(asked(), () => turn === asking);
  if (fitting === null || turn !== asking) return;
  numbers = fitting;
  list.show(rows.all, numbers, open, seek);
  showCount();
  showNone();
  performance.measure("filter", { start: begun, end: performance.now() });
};

const choose = (n, read) => {
  const push = narrow.matches && open < 0;
  open = n;
  writeAddress(push);
  if (narrow.matches && !read) return;
  showDialogue();
  if (read) opened.focus({ preventScroll: true });
};

const close = () => {
  if (open >= 0 && narrow.matches) {
    open = -1;
    writeAddress(false);
    showDialogue();
  }
  list.focus();
};

function clear() {
  for (const field of form.elements) if (field.name) field.value = field.name === "sort" ? "file" : "";
  changed();
}

const changed = () => {
  writeAddress(false);
  return apply(false);
};

// --- Events ---

form.addEventListener("input", changed);
form.addEventListener("submit", (event) => event.preventDefault());
find("clear").addEventListener("click", clear);
list.addEventListener("choose", (event) => choose(event.detail.number, event.detail.read));
const follow = () => {
  open = readAddress();
  apply(true);
  showDialogue();
};
addEventListener("popstate", follow);
addEventListener("hashchange", follow);
narrow.addEventListener("change", showDialogue);
find("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape") {
    if (typing) typing.blur();
    close();
  } else if (!typing && event.key === "/") form.elements.q.focus();
  else if (!typing && event.key === "j") list.step(1);
  else if (!typing && event.key === "k") list.step(-1);
  else return;
  event.preventDefault();
});

fillFilters();
find("more").open = !narrow.matches;
find("more").hidden = rows.all.length === 0;
open = readAddress();
await apply(true);
if (open < 0 && numbers.length && !narrow.matches) {
  open = numbers[0];
  list.show(rows.all, numbers, open, false);
}
showDialogue();
performance.mark("ready");
document.body.dataset.ready = "";
// Searching reads every text once; it is done while nothing else is.
requestIdleCallback?.(() => rows.readAll());
