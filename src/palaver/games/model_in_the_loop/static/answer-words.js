// What a model said, in words: the writer's answer, the model's, and how sure it is.

const SURE = [
  [0.9, "is very sure"],
  [0.7, "is quite sure"],
  [0.5, "is fairly sure"],
  [0, "is not sure"],
];
const whole = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

export class AnswerWords {
  #asked;

  constructor(asked) {
    this.#asked = asked;
  }

  // What the writer says is right; empty where they were not asked before.
  own({ values, right }) {
    return right || this.#asked.gold.map((name) => shown(values[name])).filter(Boolean).join("; ");
  }

  // The one label that the writer says it has; empty where that is not all they say.
  label({ values }) {
    const { gold, labelled } = this.#asked;
    return gold.length === 1 && gold[0] === labelled ? shown(values[labelled]) : "";
  }

  model({ answer }) {
    return this.#asked.answers.map((name) => shown(answer[name])).filter(Boolean).join("; ") || "nothing";
  }

  text({ values }) {
    return this.#asked.texts.map((name) => values[name]).filter(Boolean).join(" · ");
  }

  // [label, share from 0 to 1], in the order of the labels; none where the model gave no numbers.
  shares({ answer }) {
    const found = Object.entries(answer[this.#asked.shares] ?? {}).map(([label, n]) => [label, Number(n)]);
    const sum = found.reduce((so, [, n]) => so + n, 0);
    return sum > 0 ? found.map(([label, n]) => [label, n / sum]) : [];
  }

  // How sure the model is of what it says; null where it does not tell.
  confidence(one) {
    const shares = this.shares(one);
    if (shares.length > 0) return Math.max(...shares.map(([, share]) => share));
    const said = one.answer[this.#asked.confidence];
    return typeof said === "number" ? said : null;
  }

  sure(one) {
    const confidence = this.confidence(one);
    if (confidence === null) return "";
    const words = SURE.find(([least]) => confidence >= least)?.[1] ?? SURE.at(-1)[1];
    return this.shares(one).length > 0 ? words : `${words} (${percent(confidence)})`;
  }

  // The sentence of a verdict: strings, and in brackets what is said with weight.
  verdict(one) {
    const [own, model, sure] = [this.own(one), this.model(one), this.sure(one)];
    const how = sure ? ` and ${sure}` : "";
    if (one.wrong === null) return ["The model says ", [model], `${how}.`];
    if (!own) return ["The model says ", [model], `${how}. You say that this is ${one.wrong ? "wrong" : "right"}.`];
    if (own === model) return ["You say ", [own], `, and so does the model.`];
    if (!one.wrong) return ["You say ", [own], ". The model says ", [model], `${how}: near enough to be right.`];
    return ["You say ", [own], ". The model says ", [model], `${how}.`];
  }

  brief(one) {
    const confidence = this.confidence(one);
    const how = confidence === null ? "" : `, ${percent(confidence)}`;
    return one.wrong ? `wrong${how}` : `right${how}`;
  }
}

export function percent(share) {
  return whole.format(share);
}

export function tell(node, parts) {
  node.replaceChildren(...parts.map((part) => (Array.isArray(part) ? strong(part[0]) : part)));
}

export function plainly(parts) {
  return parts.flat().join("");
}

function strong(text) {
  const node = document.createElement("bdi");
  node.className = "said";
  node.textContent = text;
  return node;
}

function shown(value) {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none of them";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
