// Counts how often something is pasted or dropped into the answer in one's own words, and how many
// characters. Only the two counts are sent with the answer: never what was pasted, nor when. A text
// that was there before this script came has no count: its fields stay empty.

const PASTED = new Set(["insertFromPaste", "insertFromPasteAsQuotation", "insertFromDrop"]);
const before = new WeakMap();

function countsOf(target) {
  if (!(target instanceof HTMLTextAreaElement) || !target.form) return null;
  const [times, characters] = ["pastes", "pasted"].map((part) => target.form.elements.namedItem(`${target.name}:${part}`));
  return times && characters ? { times, characters } : null;
}

function add(field, number) {
  field.value = String(Number(field.value) + number);
}

for (const text of document.querySelectorAll("textarea[name]")) {
  const counts = countsOf(text);
  if (counts && text.value.trim() === "" && counts.times.value === "") {
    counts.times.value = counts.characters.value = "0";
  }
}

document.addEventListener("beforeinput", ({ target, inputType }) => {
  if (PASTED.has(inputType) && countsOf(target)) {
    before.set(target, target.value.length - (target.selectionEnd - target.selectionStart));
  }
});

document.addEventListener("input", ({ target, inputType }) => {
  const counts = PASTED.has(inputType) ? countsOf(target) : null;
  if (!counts || counts.times.value === "" || !before.has(target)) return;
  add(counts.times, 1);
  add(counts.characters, Math.max(0, target.value.length - before.get(target)));
});
