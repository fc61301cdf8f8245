"""Cells averaged over data sets, in the scores as they are and in every bootstrap sample.

The weights of data sets are normalised. A metric that no model has on a data set (nobody perturbed
it, say) is averaged over the other data sets. An average has an interval that follows from those of
its cells, so it is the same whatever it is weighed with and whoever else is on the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palaver.analysis.dynascore import exchange_rates, neighbours
from palaver.analysis.weighted_means import combined_ends
from palaver.core.evaluation.boards import Measured
from palaver.core.numeric import Numbers, np
from palaver.core.words import listed
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Weights
from palaver.evaluation.dynaboards.draws import ROUNDING, DrawnSpread, no_spread, spread_of
from palaver.evaluation.scoring.rescore import named_metric

FIXED = "it cannot be resampled item by item on every data set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Averages:
    """Models × columns; `spreads` are by column.

    `ranked` are the places of the models that have everything that counts. `shares` are data sets ×
    columns. `used` are the columns that count towards the order; of them `drawn` is columns × samples
    × ranked models, and `amrs` are the rates in each sample: samples × all columns, NaN for others.
    `independent` says on how many items each ranked model rests. `fixed` are columns in use that do
    not vary over the samples, at least not on all data sets.
    """

    values: Numbers
    ranked: Numbers
    shares: Numbers
    used: tuple[int, ...]
    drawn: Numbers
    spreads: tuple[DrawnSpread, ...]
    amrs: Numbers
    amrs_spread: DrawnSpread
    independent: Numbers
    fixed: tuple[int, ...]

    @property
    def varies(self) -> bool:
        """Whether anything could be drawn."""
        return bool(self.drawn.size) and len(self.fixed) < len(self.used)

    def of_model(self, cells: Cells, model: int) -> dict[str, Measured]:
        """Every average of a model, by metric."""
        return {
            column.key: replace(
                self.spreads[c].around(self.values[model, c], model),
                warning=_few_words(cells, self, c, model),
            )
            for c, column in enumerate(cells.columns)
        }


def average(cells: Cells, weights: Weights) -> Averages:
    """The averages of the models, and who can be ranked by them."""
    shares = _shares(cells, weights)
    counts = (np.array(weights.metrics) > 0) | (np.arange(len(cells.columns)) == 0)
    needed = (shares > 0) & counts[None, :]
    there = np.isfinite(cells.values)
    complete = (there | ~needed[:, :, None]).all(axis=(0, 1)) & bool(needed.any())
    ranked = np.flatnonzero(complete)
    values = _values(cells, shares, there)
    used = tuple(np.flatnonzero(counts).tolist())
    varying = [
        cells.ns[s, c, ranked]
        for s, c in zip(*np.nonzero(needed), strict=True)
        if (int(s), int(c)) in cells.drawn
    ]
    independent = np.min(varying, axis=0) if varying else np.zeros(len(ranked), dtype=np.int64)
    drawn, fixed = _drawn(cells, shares, ranked, used)
    amrs = _rates(cells, drawn, used)
    fewest = int(independent.min()) if ranked.size else 0
    return Averages(
        values=values,
        ranked=ranked,
        shares=shares,
        used=used,
        drawn=drawn,
        spreads=tuple(_spread(cells, shares, values, c) for c in range(len(cells.columns))),
        amrs=amrs,
        amrs_spread=spread_of(amrs, confidence=cells.confidence, independent=fewest),
        independent=independent,
        fixed=fixed,
    )


def lacking(
    cells: Cells, weights: Weights, averages: Averages, model: int, *, public: bool
) -> list[str]:
    """Why a model is not ranked: a clause per reason why data sets are lacking, and per metric."""
    missing: dict[str, list[str]] = {}
    without: dict[tuple[str, str], list[str]] = {}
    for s, one in enumerate(cells.sets):
        if not averages.shares[s].any():
            continue
        why = cells.absent.get((s, model))
        if why is not None and np.isnan(cells.values[s, 0, model]):
            missing.setdefault(why.words(public=public), []).append(one.name)
            continue
        for c, column in enumerate(cells.columns):
            counts = averages.shares[s, c] > 0 and (c == 0 or weights.metrics[c] > 0)
            if counts and np.isnan(cells.values[s, c, model]):
                reason = cells.reasons.get((s, c, model), "")
                without.setdefault((column.title.lower(), reason), []).append(one.name)
    said = [
        f"{names[0] if len(names) == 1 else f'each of {listed(names)}'} {words}"
        for words, names in missing.items()
    ]
    return said + [
        f"no {metric} on {listed(places)}" + (f" ({reason})" if reason else "")
        for (metric, reason), places in without.items()
    ]


def _few_words(cells: Cells, averages: Averages, column: int, place: int) -> str | None:
    """Which parts of an average rest on few variants."""
    counting = np.flatnonzero(averages.shares[:, column]).tolist()
    said = {
        cells.sets[s].name: cells.warnings[s, column, place]
        for s in counting
        if (s, column, place) in cells.warnings
    }
    if len(counting) == 1:
        return next(iter(said.values()), None)
    return "; ".join(f"{name}: {warning}" for name, warning in said.items()) or None


def left_out_words(cells: Cells, averages: Averages, weights: Weights) -> list[str]:
    """Which data sets do not count towards a metric because no model has it there."""
    told = []
    for c, column in enumerate(cells.columns):
        names = [
            one.name
            for s, one in enumerate(cells.sets)
            if weights.datasets[s] > 0 and not np.isfinite(cells.values[s, c]).any()
        ]
        if names and len(names) < len(cells.sets):
            told.append(
                f"No model has {column.title.lower()} on {listed(names)}: "
                f"its average is over the other data sets."
            )
    return told


def models_with(averages: Averages, column: int) -> int:
    """How many models have a metric on every data set that counts."""
    return int(np.isfinite(averages.values[:, column]).sum())


def partial_words(cells: Cells, averages: Averages, task: str) -> list[str]:
    """Which models lack a metric beyond the usual ones, though they have their performance."""
    told = []
    has = np.isfinite(averages.values)
    for c, column in enumerate(cells.columns):
        lacks = np.flatnonzero(has[:, 0] & ~has[:, c])
        if column.is_usual or not len(lacks):
            continue
        names = [cells.entrants[model].name for model in lacks]
        name, how = named_metric(column.key)
        mend = "" if how else f": palaver rescore {task} --metric {name}"
        told.append(
            f"{column.title} has not been computed for every data set of {listed(names, most=6)}{mend}."
        )
    return told


def _shares(cells: Cells, weights: Weights) -> Numbers:
    somebody = np.isfinite(cells.values).any(axis=2)
    given = np.where(somebody, np.array(weights.datasets, dtype=float)[:, None], 0.0)
    total = given.sum(axis=0, keepdims=True)
    shares: Numbers = np.divide(given, total, out=np.zeros_like(given), where=total > 0)
    return shares


def _values(cells: Cells, shares: Numbers, there: Numbers) -> Numbers:
    """The averages, models × columns; NaN where a model lacks a data set that counts."""
    known = np.where(there, cells.values, 0.0)
    lacks = (~there & (shares > 0)[:, :, None]).any(axis=0)
    values: Numbers = np.where(lacks | (shares.sum(axis=0) == 0)[:, None], np.nan, 0.0).T
    for column in range(len(cells.columns)):
        values[:, column] += shares[:, column] @ known[:, column]
    return values


def _drawn(
    cells: Cells, shares: Numbers, ranked: Numbers, used: Sequence[int]
) -> tuple[Numbers, tuple[int, ...]]:
    drawn = np.zeros((len(used), cells.draws, len(ranked)), dtype=np.float32)
    fixed = []
    for at, c in enumerate(used):
        varies = True
        for s in np.flatnonzero(shares[:, c]):
            share = np.float32(shares[s, c])
            block = cells.drawn.get((int(s), c))
            varies = varies and block is not None
            if block is None:
                drawn[at] += (share * cells.values[s, c, ranked]).astype(np.float32)
            else:
                drawn[at] += share * (block if len(ranked) == block.shape[1] else block[:, ranked])
        if not varies:
            fixed.append(c)
    return drawn, tuple(fixed)


def _rates(cells: Cells, drawn: Numbers, used: Sequence[int]) -> Numbers:
    """The rates of every sample, read off its own neighbours."""
    samples = cells.draws if drawn.size else 0
    found = np.full((samples, len(cells.columns)), np.nan)
    if drawn.size:
        tables = np.moveaxis(drawn, 0, -1)
        columns = [cells.columns[c] for c in used]
        first = columns[0]
        near = neighbours(tables[..., 0], direction=first.direction, offset=first.offset)
        found[:, list(used)] = exchange_rates(
            tables,
            near,
            directions=[column.direction for column in columns],
            offsets=[column.offset for column in columns],
            rounding=ROUNDING,
        ).amrs
    return found


def _spread(cells: Cells, shares: Numbers, values: Numbers, column: int) -> DrawnSpread:
    """How sure the averages of a column are: over one data set they are its scores."""
    weights = shares[:, column]
    parts = cells.values[:, column], cells.lows[:, column], cells.highs[:, column]
    if not weights.any():
        return no_spread(len(values), "")
    low, high = combined_ends(*parts, weights)
    counts = (weights > 0)[:, None]
    variances = weights[:, None] ** 2 * np.where(counts, cells.variances[:, column], 0.0)
    why = [_why(cells, weights, column, model, low[model]) for model in range(len(values))]
    return DrawnSpread(low, high, variances.sum(axis=0), why)


def _why(cells: Cells, weights: Numbers, column: int, model: int, low: float) -> str:
    """Why an average, or its interval, is missing: the first of its scores without one says so."""
    if not np.isnan(low):
        return ""
    counting = np.flatnonzero(weights)
    lacks = [s for s in counting if np.isnan(cells.values[s, column, model])]
    s = int(next(s for s in lacks or counting if np.isnan(cells.lows[s, column, model])))
    why = cells.reasons.get((s, column, model), "")
    if lacks or len(counting) == 1:
        return why
    return f"on {cells.sets[s].name} {why or 'its score has none'}"
