// The rows of all dialogues: which of them fit the filters, and in which order.

export const ID = 0, TITLE = 1, GAME = 2, SCENARIO = 3, AGENTS = 4, OUTCOME = 5, TURNS = 6, CREATED = 7, SECONDS = 8, RATINGS = 9, OPENING = 10, KNOWLEDGE = 11;
const SLICE = 12;
const pause = () => new Promise((resolve) => setTimeout(resolve));

export const wordsOf = (text) =>
  [...text.toLowerCase().matchAll(/"([^"]+)"|\S+/gu)].map((found) => found[1] ?? found[0]);

const ORDERS = {
  file: { label: "As in the file", key: null },
  newest: { label: "Newest first", key: (row) => (row[CREATED] === null ? null : -row[CREATED]) },
  longest: { label: "Longest first", key: (row) => -row[TURNS] },
  shortest: { label: "Shortest first", key: (row) => row[TURNS] },
  slowest: { label: "Slowest first", key: (row) => (row[SECONDS] === null ? null : -row[SECONDS]) },
  outcome: { label: "By outcome", key: (row) => row[OUTCOME] || null },
  scenario: { label: "By scenario", key: (row) => row[SCENARIO] },
};

export class Rows {
  #index;
  #chunks;
  #parsed = new Map();
  #texts;
  #known;
  #read = 0;

  constructor(index, chunks) {
    this.#index = index;
    this.#chunks = chunks;
    this.#texts = new Array(index.rows.length);
    this.#known = new Array(index.knowledge.length);
  }

  get all() {
    return this.#index.rows;
  }

  // How often each value of a column occurs, the most frequent first.
  counted(column) {
    const counts = new Map();
    for (const row of this.all) {
      const values = Array.isArray(row[column]) ? new Set(row[column]) : [row[column]];
      for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  questions() {
    const counts = new Map();
    for (const row of this.all) for (const name of Object.keys(row[RATINGS])) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }

  orders() {
    const timed = this.all.some((row) => row[CREATED] !== null);
    const plain = Object.entries(ORDERS).filter(([name]) => timed || !["newest", "slowest"].includes(name));
    const rated = this.questions().flatMap(([name]) => [[`+${name}`, `${name}, lowest first`], [`-${name}`, `${name}, highest first`]]);
    return [...plain.map(([name, { label }]) => [name, label]), ...rated];
  }

  body(n) {
    return this.#chunk(Math.floor(n / this.#index.chunk)).bodies[n % this.#index.chunk];
  }

  knowledge(n) {
    const number = this.all[n][KNOWLEDGE];
    if (number === null) return [];
    const [chunk, place] = this.#index.knowledge[number];
    return this.#chunk(chunk).knowledge[place];
  }

  // The numbers of the rows that fit; null where a newer question came in between.
  async fitting(asked, stillAsked) {
    const words = wordsOf(asked.q);
    const scenario = asked.scenario.trim().toLowerCase();
    const least = asked.least === "" ? -Infinity : Number(asked.least);
    const most = asked.most === "" ? Infinity : Number(asked.most);
    let fitting = [];
    this.all.forEach((row, n) => {
      if (asked.game && row[GAME] !== asked.game) return;
      if (asked.outcome && row[OUTCOME] !== asked.outcome) return;
      if (asked.agent && !row[AGENTS].includes(asked.agent)) return;
      if (scenario && !row[SCENARIO].toLowerCase().includes(scenario)) return;
      if (asked.question) {
        const rating = row[RATINGS][asked.question];
        if (rating === undefined || rating < least || rating > most) return;
      }
      fitting.push(n);
    });
    if (words.length) {
      if (!(await this.readAll(stillAsked))) return null;
      fitting = fitting.filter((n) => this.#has(n, words));
    }
    return this.#ordered(fitting, asked.sort);
  }

  // Read every text that a search looks at, some milliseconds at a time.
  async readAll(stillAsked = () => true) {
    let until = performance.now() + SLICE;
    while (this.#read < this.all.length) {
      this.#readNext();
      if (performance.now() < until) continue;
      await pause();
      if (!stillAsked()) return false;
      until = performance.now() + SLICE;
    }
    return true;
  }

  #readNext() {
    const n = this.#read, row = this.all[n], body = this.body(n), number = row[KNOWLEDGE];
    const said = body.lines.map((line) => line[2] ?? "").join("\n");
    const answers = (body.answers ?? []).map((answer) => answer.join(" ")).join("\n");
    const facts = body.facts.map((fact) => fact[1]).join("\n");
    const personas = (body.personas ?? []).flat().join("\n");
    this.#texts[n] = [row[TITLE], row[SCENARIO], row[AGENTS].join(" "), body.sentence, said, answers, facts, personas].join("\n").toLowerCase();
    if (number !== null && this.#known[number] === undefined) {
      const cells = this.knowledge(n).flat().flatMap((table) => table.rows.flat());
      this.#known[number] = cells.join("\n").toLowerCase();
    }
    this.#read += 1;
    // Parsed bodies are large; only those that are opened again are kept.
    if (this.#read % this.#index.chunk === 0) this.#parsed.delete(Math.floor(n / this.#index.chunk));
  }

  #has(n, words) {
    const text = this.#texts[n], number = this.all[n][KNOWLEDGE];
    const known = number === null ? "" : this.#known[number];
    return words.every((word) => text.includes(word) || known.includes(word));
  }

  #ordered(numbers, sort) {
    const rated = /^[+-]/u.test(sort) && sort.slice(1);
    const sign = sort[0] === "-" ? -1 : 1;
    const key = rated ? (row) => (rated in row[RATINGS] ? sign * row[RATINGS][rated] : null) : ORDERS[sort]?.key;
    if (!key) return numbers;
    const keyed = numbers.map((n) => [n, key(this.all[n])]);
    // What has no value comes last, whichever way the others go.
    keyed.sort((a, b) => (a[1] === null) - (b[1] === null) || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : a[0] - b[0]));
    return keyed.map(([n]) => n);
  }

  #chunk(n) {
    if (!this.#parsed.has(n)) this.#parsed.set(n, JSON.parse(this.#chunks[n].textContent));
    return this.#parsed.get(n);
  }
}
