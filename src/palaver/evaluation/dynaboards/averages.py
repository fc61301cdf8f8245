"""Cells averaged over data sets, in the scores as they are and in every bootstrap sample.

The weights of data sets are normalised. A metric that no model has on a data set (nobody perturbed
it, say) is averaged over the other data sets.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from palaver.analysis.dynascore import exchange_rates, neighbours
from palaver.core.numeric import Numbers, np
from palaver.core.words import listed
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Weights
from palaver.evaluation.dynaboards.draws import (
    NOT_DRAWN,
    ROUNDING,
    DrawnSpread,
    no_spread,
    spread_of,
)

FIXED = "it cannot be resampled item by item on every data set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Averages:
    """Models × columns; `drawn` is columns × samples × models, of the ranked models alone.

    `ranked` are the places of the models that have everything that counts. `shares` are data sets ×
    columns. `amrs` are the rates in each sample: samples × columns. `fixed` are the columns that do
    not vary over the samples, at least not on all data sets.
    """

    values: Numbers
    ranked: Numbers
    shares: Numbers
    drawn: Numbers
    spreads: tuple[DrawnSpread, ...]
    amrs: Numbers
    amrs_spread: DrawnSpread
    independent: int
    fixed: tuple[int, ...]

    @property
    def varies(self) -> bool:
        """Whether anything could be drawn."""
        return bool(self.drawn.size) and len(self.fixed) < len(self.drawn)


def average(cells: Cells, weights: Weights) -> Averages:
    """The averages of the models, and who can be ranked by them."""
    shares = _shares(cells, weights)
    needed = (shares > 0) & (
        (np.array(weights.metrics) > 0) | (np.arange(len(cells.columns)) == 0)
    )[None, :]
    there = np.isfinite(cells.values)
    complete = (there | ~needed[:, :, None]).all(axis=(0, 1)) & bool(needed.any())
    ranked = np.flatnonzero(complete)
    known = np.where(there, cells.values, 0.0)
    lacks = (~there & (shares > 0)[:, :, None]).any(axis=0)
    values = np.where(lacks | (shares.sum(axis=0) == 0)[:, None], np.nan, 0.0).T
    for column in range(len(cells.columns)):
        values[:, column] += shares[:, column] @ known[:, column]
    varying = [cells.ns[s, c, ranked].min() for s, c in cells.drawn if needed[s, c] and ranked.size]
    independent = int(min(varying, default=0))
    drawn, fixed = _drawn(cells, shares, ranked)
    amrs = _rates(cells, drawn)
    return Averages(
        values=values,
        ranked=ranked,
        shares=shares,
        drawn=drawn,
        spreads=tuple(_spreads(cells, shares, drawn, ranked, independent)),
        amrs=amrs,
        amrs_spread=spread_of(amrs, confidence=cells.confidence, independent=independent),
        independent=independent,
        fixed=fixed,
    )


def lacking(
    cells: Cells, weights: Weights, averages: Averages, model: int, *, public: bool
) -> list[str]:
    """Why a model is not ranked: a clause per reason why data sets are lacking, and per metric."""
    missing: dict[str, list[str]] = {}
    without: dict[str, list[str]] = {}
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
                place = one.name + (f" ({reason})" if reason else "")
                without.setdefault(column.title.lower(), []).append(place)
    said = [
        f"{names[0] if len(names) == 1 else f'each of {listed(names)}'} {words}"
        for words, names in missing.items()
    ]
    return said + [f"no {metric} on {listed(places)}" for metric, places in without.items()]


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


def _shares(cells: Cells, weights: Weights) -> Numbers:
    somebody = np.isfinite(cells.values).any(axis=2)
    given = np.where(somebody, np.array(weights.datasets, dtype=float)[:, None], 0.0)
    total = given.sum(axis=0, keepdims=True)
    shares: Numbers = np.divide(given, total, out=np.zeros_like(given), where=total > 0)
    return shares


def _drawn(cells: Cells, shares: Numbers, ranked: Numbers) -> tuple[Numbers, tuple[int, ...]]:
    width = len(cells.columns)
    drawn = np.zeros((width, cells.draws, len(ranked)), dtype=np.float32)
    fixed = []
    for c in range(width):
        varies = True
        for s in np.flatnonzero(shares[:, c]):
            share = np.float32(shares[s, c])
            block = cells.drawn.get((int(s), c))
            varies = varies and block is not None
            if block is None:
                drawn[c] += (share * cells.values[s, c, ranked]).astype(np.float32)
            else:
                drawn[c] += share * (block if len(ranked) == block.shape[1] else block[:, ranked])
        if not varies:
            fixed.append(c)
    return drawn, tuple(fixed)


def _rates(cells: Cells, drawn: Numbers) -> Numbers:
    """The rates of every sample, read off its own neighbours."""
    if not drawn.size:
        return np.full((0, len(cells.columns)), np.nan)
    tables = np.moveaxis(drawn, 0, -1)
    first = cells.columns[0]
    near = neighbours(tables[..., 0], direction=first.direction, offset=first.offset)
    return exchange_rates(
        tables,
        near,
        directions=[column.direction for column in cells.columns],
        offsets=[column.offset for column in cells.columns],
        rounding=ROUNDING,
    ).amrs


def _spreads(
    cells: Cells, shares: Numbers, drawn: Numbers, ranked: Numbers, independent: int
) -> Iterator[DrawnSpread]:
    """How far each column's averages vary; over one data set they are its scores."""
    for c in range(len(cells.columns)):
        sets = np.flatnonzero(shares[:, c])
        if len(sets) == 1:
            s = sets[0]
            yield DrawnSpread(
                cells.lows[s, c, ranked],
                cells.highs[s, c, ranked],
                cells.variances[s, c, ranked],
                [cells.reasons.get((int(s), c, int(model)), "") for model in ranked],
            )
        elif all((int(s), c) in cells.drawn for s in sets) and cells.draws:
            yield spread_of(drawn[c], confidence=cells.confidence, independent=independent)
        else:
            yield no_spread(len(ranked), FIXED if cells.draws else NOT_DRAWN)
