// What questions on a page have in common, whatever their kind. A question is a ".question"; the
// choices that a number key reaches stand in a "[data-group]".

const CONTROLS = "input:not([type=hidden]), textarea, select, button, [data-part=text][tabindex]";
const UNANSWERED = "Please answer this question.";

export function isShown(node) {
  return node.getClientRects().length > 0;
}

export function choicesIn(group) {
  const all = group.querySelectorAll(".pick input, button[data-label]");
  return [...all].filter((choice) => choice.closest("[data-group]") === group && !choice.disabled);
}

// What is wrong with a question, in words; empty when nothing is.
export function faultOf(question) {
  const wrong = [...question.querySelectorAll("input, textarea, select")].find(
    (control) => control.willValidate && !control.checkValidity(),
  );
  if (wrong) return wrong.validity.valueMissing ? UNANSWERED : wrong.validationMessage;
  if (question.querySelector("[data-unanswered]")) return UNANSWERED;
  const groups = [...question.querySelectorAll("[data-least], [data-most]")];
  return groups.map(countFault).find(Boolean) ?? "";
}

export function isComplete(question) {
  return faultOf(question) === "";
}

export function needsAnswer(question) {
  return !question.disabled && question.querySelector("[required], [data-least], [data-needed]") !== null;
}

// What was answered, in a few words for each thing that was chosen, written, put in order or marked.
export function answersIn(question) {
  const chosen = [...question.querySelectorAll(".pick input:checked:enabled")].map((input) => {
    const entry = input.closest("[data-entry]")?.dataset.entry;
    const words = input.closest(".pick").querySelector("[data-part=words]").textContent.trim();
    return entry ? `${entry}: ${words}` : words;
  });
  const written = [...question.querySelectorAll("textarea, input[type=number]")].map((one) => one.value);
  const listed = [...question.querySelectorAll("[data-answered] [data-entry], .span-list li")].map(
    (item, place) => item.dataset.entry ? `${place + 1}. ${item.dataset.entry}` : item.dataset.said,
  );
  return [...chosen, ...written.filter(Boolean), ...listed];
}

// Where the focus goes: to what was chosen, else to the first control.
export function firstControl(root) {
  const shown = [...root.querySelectorAll(CONTROLS)].filter((node) => !node.disabled && isShown(node));
  return shown.find((node) => node.checked) ?? shown[0];
}

function countFault(group) {
  const { least = 0, most = Infinity } = group.dataset;
  const choices = choicesIn(group);
  const count = choices.filter((choice) => choice.checked).length;
  if (choices.length === 0) return "";
  if (count === 0 && group.querySelector("[data-none]") && least > 0) return UNANSWERED;
  if (count < Number(least)) return `Please choose ${least === "1" ? "one" : least} or more.`;
  return count > Number(most) ? `Please choose ${most} at most.` : "";
}
