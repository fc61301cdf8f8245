// What an address says of a board: weights, or the metric that ranks, and the round.

// Before the name of a metric beyond the usual ones.
const MORE = "m.";
const NAMES = ["metric", "m", "d", "round"];

const isOurs = (name) => NAMES.includes(name) || name.startsWith(MORE);

// `fields` are those of metrics: usual ones, called m, say their weights by their places, others by name
// where they have any. `kept` are parameters that stay.
export function boardQuery(fields, [m, d], kept) {
  const query = new URLSearchParams(Object.entries(kept).filter(([, value]) => value));
  const usual = fields.filter(({ number }) => number.name === "m").length;
  if (usual) query.set("m", m.slice(0, usual).join("|"));
  query.set("d", d.join("|"));
  fields.slice(usual).forEach(({ number }, place) => {
    if (m[usual + place] > 0) query.set(number.name, m[usual + place]);
  });
  return query;
}

// An address with this query in place of what it said before.
export function withQuery(address, query) {
  for (const name of [...address.searchParams.keys()]) if (isOurs(name)) address.searchParams.delete(name);
  for (const [name, value] of query) address.searchParams.set(name, value);
  return address;
}

// The same for the form that saves the board.
export function fillForm(form, query) {
  for (const input of form.querySelectorAll("input[type=hidden]")) if (isOurs(input.name)) input.remove();
  for (const [name, value] of query) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
}
