// One dialogue as it is read: what each side knew, what was said and done, what was answered of it.

import { element } from "./viewer-list.js";
import { CREATED, SECONDS, TITLE } from "./viewer-rows.js";

const DONE = 1, NOTED = 2;
const KINDS = ["said", "done", "noted"];

const clock = (seconds) => {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

// The text with what was searched for marked.
const marked = (text, words) => {
  const wanted = words.filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  if (!wanted.length) return [text];
  return text.split(new RegExp(`(${wanted.join("|")})`, "giu")).map((part, n) => (n % 2 ? element("mark", { textContent: part }) : part));
};

const knownTable = (table, words) => {
  const node = element("table", { className: table.columns ? "known-table" : "known-table pairs" });
  if (table.caption) node.append(element("caption", { textContent: table.caption }));
  if (table.columns) {
    const heads = table.columns.map((name) => element("th", { scope: "col", textContent: name }));
    node.append(element("thead", {}, element("tr", {}, ...heads)));
  }
  const rows = table.rows.map((row, n) => {
    const match = (table.matches ?? []).includes(n);
    const cells = row.map((cell, place) => element(place ? "td" : "th", place ? { dir: "auto" } : { scope: "row", dir: "auto" }, ...marked(cell, words)));
    if (match) cells[0].append(" ", element("span", { className: "tag good", textContent: "both know" }));
    return element("tr", { className: match ? "match" : "" }, ...cells);
  });
  node.append(element("tbody", {}, ...rows));
  return node;
};

const knownSides = (sides, names, words, phone) => {
  const inside = sides.map((tables, seat) => {
    const name = element("h3", { className: "known-name", textContent: names[seat] ?? `Side ${seat + 1}`, dir: "auto" });
    return element("div", { className: "known-side" }, name, ...tables.map((table) => knownTable(table, words)));
  });
  const node = element("details", { className: "viewer-known", open: !phone }, element("summary", { textContent: "What only one side knew" }));
  node.append(element("div", { className: "known-sides" }, ...inside));
  return node;
};

const personaOf = (lines, name) =>
  element("div", { className: "known-side" }, element("h3", { className: "known-name", textContent: `Persona of ${name}` }), element("ul", {}, ...lines.map((line) => element("li", { textContent: line, dir: "auto" }))));

const line = ([kind, seat, text, at, hidden, labels], names, words) => {
  const who = seat === null || kind === NOTED ? "" : (names[seat] ?? `Side ${seat + 1}`);
  const head = element("p", { className: "viewer-who" }, element("bdi", { textContent: who }), " ", at === null || at === undefined ? "" : clock(at));
  const said = element("p", { className: "viewer-said", dir: "auto" });
  said.append(...(text === null ? ["erased"] : marked(kind === DONE ? `${text}` : text, words)));
  said.classList.toggle("soft", text === null);
  const node = element("li", { className: `viewer-line ${KINDS[kind]} seat-${seat ?? "none"}` }, head, said);
  if (hidden) node.append(element("span", { className: "tag", textContent: hidden }));
  for (const [question, , answer] of labels ?? []) node.append(element("span", { className: "tag", textContent: `${question}: ${answer}`, dir: "auto" }));
  return node;
};

const facts = (row, body) => {
  const all = [...body.facts];
  if (row[CREATED] !== null) all.unshift(["Held", new Date(row[CREATED] * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })]);
  if (row[SECONDS] !== null) all.unshift(["Took", `${clock(row[SECONDS])} minutes`]);
  const entries = all.map(([name, value]) => element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value, dir: "auto" })));
  return element("dl", { className: "viewer-facts" }, ...entries);
};

const answersTable = (answers, words) => {
  const head = ["Question", "Who", "Answer"].map((name) => element("th", { scope: "col", textContent: name }));
  const rows = answers.map(([question, who, answer]) =>
    element("tr", {}, element("th", { scope: "row", textContent: question, dir: "auto" }), element("td", { textContent: who, dir: "auto" }), element("td", { dir: "auto" }, ...marked(answer, words))));
  return element("table", { className: "viewer-answers" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
};

export const dialogueNodes = (row, body, sides, words, phone) => {
  const title = element("h2", { textContent: row[TITLE], dir: "auto" });
  const personas = (body.personas ?? []).map((lines, seat) => [lines, body.names[seat] ?? `Side ${seat + 1}`]).filter(([lines]) => lines.length);
  const lines = element("ol", { className: "viewer-lines" }, ...body.lines.map((each) => line(each, body.names, words)));
  const nothing = element("p", { className: "faint", textContent: "Nothing was said or done." });
  return [
    element("header", { className: "viewer-top" }, title, ...(body.sentence ? [element("p", { className: "viewer-outcome", textContent: body.sentence, dir: "auto" })] : []), facts(row, body)),
    ...(sides.length ? [knownSides(sides, body.names, words, phone)] : []),
    ...(personas.length ? [element("div", { className: "known-sides" }, ...personas.map(([lines_, name]) => personaOf(lines_, name)))] : []),
    body.lines.length ? lines : nothing,
    ...((body.answers ?? []).length ? [element("h3", { textContent: "What was answered about it" }), answersTable(body.answers, words)] : []),
  ];
};
