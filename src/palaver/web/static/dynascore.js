// Dynascores, as analysis/dynascore.py computes them: what is undefined is NaN there and here.

// Neighbours nearer than this share of the best performance say nothing about a rate.
const NEAR = 1e-4;
// What rounding leaves of equal numbers, as a share of the largest.
const ROUNDING = 1e-12;

const known = (value) => Number.isFinite(value);
const largest = (values) => Math.max(0, ...values.filter(known).map(Math.abs));

// Scores of a table of models × metrics, the first of which is performance. `directions` are 1 or -1,
// `offsets` are added to what is good; the rates and the weights in use come back beside the scores.
export function dynascore(table, { weights, directions, offsets }) {
  const needed = weights.map((weight, metric) => metric === 0 || weight > 0);
  const scored = table.map((row) => row.every((value, metric) => !needed[metric] || known(value)));
  const values = table.map((row, model) => (scored[model] ? row : row.map(() => NaN)));
  const near = neighbours(values, directions[0], offsets[0]);
  const amrs = weights.map((_, metric) =>
    metric === 0 ? 1 : rate(values, metric, near, (value) => directions[metric] * value + offsets[metric]),
  );
  const shares = sharesInUse(amrs, weights);
  return {
    scores: values.map((row) => weigh(row, amrs, shares, directions, offsets)),
    amrs,
    shares,
    pairs: near.filter(({ counts }) => counts).length,
  };
}

// Pairs of models that follow each other in performance; equal ones stand as they came.
function neighbours(values, direction, offset) {
  const order = values.map((_, model) => model).filter((model) => known(values[model][0]));
  order.sort((one, other) => values[one][0] - values[other][0] || one - other);
  const most = largest(values.map((row) => direction * row[0] + offset));
  return order.slice(1).map((model, place) => {
    const before = order[place];
    const step = values[model][0] - values[before][0];
    return { before, model, step, counts: step > NEAR * most };
  });
}

// NaN without neighbours that count; 0 where all models lie within ε of the best.
function rate(values, metric, near, good) {
  const most = largest(values.map((row) => row[metric]));
  const rates = [];
  for (const { before, model, step, counts } of near) {
    const moved = Math.abs(values[model][metric] - values[before][metric]);
    if (counts && known(moved)) rates.push((moved <= ROUNDING * most ? 0 : moved) / step);
  }
  if (!rates.length) return NaN;
  const goods = values.map((row) => good(row[metric])).filter(known);
  const still = Math.max(...goods) - Math.min(...goods) <= NEAR * largest(goods);
  return still ? 0 : sum(rates) / rates.length;
}

function sharesInUse(amrs, weights) {
  const usable = weights.map((weight, metric) => (amrs[metric] > 0 ? weight : 0));
  const total = sum(usable);
  return usable.map((weight) => (total > 0 ? weight / total : 0));
}

function weigh(row, amrs, shares, directions, offsets) {
  if (!known(row[0]) || !shares.some((share) => share > 0)) return NaN;
  const parts = shares.map((share, metric) =>
    share > 0 ? (share * (directions[metric] * row[metric] + offsets[metric])) / amrs[metric] : 0,
  );
  return sum(parts);
}

// Cells of models × data sets × metrics averaged over the data sets: a metric that no model has on a
// data set is averaged over the others. `ranked` says who has everything that counts.
export function averages(cells, weights, datasetWeights) {
  const shares = datasetWeights.map((weight, set) =>
    weights.map((_, metric) => (cells.some((model) => known(model[set][metric])) ? weight : 0)),
  );
  const totals = weights.map((_, metric) => sum(shares.map((row) => row[metric])));
  for (const row of shares) {
    row.forEach((share, metric) => { row[metric] = totals[metric] > 0 ? share / totals[metric] : 0; });
  }
  const counts = (set, metric) => shares[set][metric] > 0 && (metric === 0 || weights[metric] > 0);
  const some = shares.some((row, set) => row.some((_, metric) => counts(set, metric)));
  return {
    shares,
    ranked: cells.map(
      (model) => some && model.every((row, set) => row.every((value, m) => !counts(set, m) || known(value))),
    ),
    values: cells.map((model) => weights.map((_, metric) => average(model, shares, metric, totals))),
  };
}

function average(model, shares, metric, totals) {
  if (!(totals[metric] > 0)) return NaN;
  const used = model.map((row, set) => [shares[set][metric], row[metric]]).filter(([share]) => share > 0);
  return used.every(([, value]) => known(value)) ? sum(used.map(([share, value]) => share * value)) : NaN;
}

// Equal scores share a rank.
export function ranks(scores) {
  const places = new Map();
  [...scores].sort((one, other) => other - one).forEach((score, at) => {
    if (!places.has(score)) places.set(score, at + 1);
  });
  return scores.map((score) => places.get(score));
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
