"""From cells and weights to a board: averages, Dynascores, and ranks that the evidence supports."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.dynascore import ScoredTable, dynascore, shares_in_use, weigh
from palaver.analysis.rank_sets import (
    SimultaneousComparison,
    compare_draws,
    open_sentence,
    order_sentence,
    tied_sets,
)
from palaver.analysis.resampling import LEAST_DEFINED
from palaver.core.evaluation.boards import (
    Board,
    BoardDataset,
    BoardMetric,
    Entrant,
    RankedModel,
    UnrankedModel,
)
from palaver.core.numeric import Numbers, np
from palaver.core.serial import extended
from palaver.core.words import counted, listed
from palaver.evaluation.dynaboards.averages import (
    FIXED,
    Averages,
    lacking,
    left_out_words,
    models_with,
    partial_words,
)
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Weights
from palaver.evaluation.dynaboards.draws import NOT_DRAWN, DrawnSpread, known, no_spread, spread_of

# Sets of models that cannot be told apart are listed for boards of a readable size.
MOST_IN_SETS = 60
NOBODY = "no model is ranked"


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The ranked models' Dynascores, how far they vary, and which differences are sure.

    `scores` vary at the rates of the board: a rate jumps when two neighbours nearly tie, and an
    interval that takes part in the jumps holds no score in particular (docs/design). Differences
    are sure only if they are so at the rates of every sample.
    """

    found: ScoredTable
    scores: DrawnSpread
    comparison: SimultaneousComparison | None


def rank_board(
    cells: Cells,
    averages: Averages,
    weights: Weights,
    *,
    task: str,
    title: str,
    public: bool = False,
    unpublished: int = 0,
) -> Board:
    """The board under these weights; cheap, as nothing is read or drawn again."""
    seen = [entrant.seen(public=public) for entrant in cells.entrants]
    datasets = [one.for_strangers() if public else one for one in cells.sets]
    ranked = _rank(cells, weights, averages, seen) if len(averages.ranked) else None
    models = tuple(_models(cells, averages, ranked, seen)) if ranked else ()
    names = [model.name for model in models]
    sets = _tied(names, ranked)
    return Board(
        task=task,
        title=title,
        answer=_answer(models, sets, cells),
        metrics=tuple(_metrics(cells, weights, averages, ranked)),
        datasets=tuple(
            extended(one, BoardDataset, weight=weight, share=float(averages.shares[s, 0]))
            for s, (one, weight) in enumerate(zip(datasets, weights.datasets, strict=True))
        ),
        models=models,
        not_ranked=tuple(not_ranked(cells, weights, averages, seen, public=public)),
        tied_sets=sets,
        pairs=ranked.found.pairs if ranked else 0,
        draws=cells.draws,
        seed=cells.seed,
        confidence=cells.confidence,
        method=_method(cells),
        warnings=tuple(_warnings(cells, weights, averages, ranked, task)),
        unpublished=unpublished,
        round=cells.counting.round,
        rounds=cells.counting.rounds,
        public=public,
    )


def _rank(cells: Cells, weights: Weights, averages: Averages, seen: Sequence[Entrant]) -> _Ranked:
    directions = [column.direction for column in cells.columns]
    offsets = [column.offset for column in cells.columns]
    found = dynascore(
        averages.values[averages.ranked],
        weights=weights.metrics,
        directions=directions,
        offsets=offsets,
        models=[seen[place].name for place in averages.ranked],
        metrics=[column.title for column in cells.columns],
    )
    if not averages.varies:
        spread = no_spread(len(averages.ranked), FIXED if cells.draws else NOT_DRAWN)
        return _Ranked(found, _of_one_metric(cells, averages, found) or spread, None)
    # Samples × models × columns in use, each column contiguous.
    tables = np.moveaxis(averages.drawn, 0, -1)
    used = list(averages.used)
    ways: dict[str, Any] = {
        "directions": [directions[c] for c in used],
        "offsets": [offsets[c] for c in used],
    }
    anew = shares_in_use(averages.amrs, weights.metrics)[:, used]
    held = weigh(tables, found.amrs[used], found.shares[used], **ways)
    moved = weigh(tables, averages.amrs[:, used], anew, **ways)
    spread = spread_of(held, confidence=cells.confidence, independent=averages.independent)
    return _Ranked(
        found,
        _of_one_metric(cells, averages, found) or spread,
        _compare(found.scores, moved, cells.confidence),
    )


def _of_one_metric(cells: Cells, averages: Averages, found: ScoredTable) -> DrawnSpread | None:
    """How sure scores are that are one metric in other units: as sure as its averages."""
    counting = np.flatnonzero(found.shares)
    if len(counting) != 1:
        return None
    (only,) = counting
    column, own = cells.columns[only], averages.spreads[only]
    rate = column.direction / found.amrs[only]
    shift = column.offset / found.amrs[only]
    ends = [rate * each[averages.ranked] + shift for each in (own.low, own.high)]
    low, high = ends if rate > 0 else reversed(ends)
    why = [own.why[model] for model in averages.ranked]
    return DrawnSpread(low, high, rate**2 * own.variance[averages.ranked], why)


def _compare(values: Numbers, draws: Numbers, confidence: float) -> SimultaneousComparison | None:
    """Which differences are sure; None where too many samples have no scores."""
    kept = draws[np.isfinite(draws).all(axis=1)]
    if len(kept) < max(2, LEAST_DEFINED * len(draws)) or not np.isfinite(values).all():
        return None
    return compare_draws(values, kept, confidence=confidence)


def _models(
    cells: Cells, averages: Averages, ranked: _Ranked, seen: Sequence[Entrant]
) -> Iterator[RankedModel]:
    scores = ranked.found.scores
    for at in np.argsort(-scores, kind="stable").tolist():
        place = int(averages.ranked[at])
        yield extended(
            seen[place],
            RankedModel,
            scores=cells.scores[place],
            rank=1 + int((scores > scores[at]).sum()),
            rank_interval=ranked.comparison.rank_interval(at) if ranked.comparison else None,
            dynascore=ranked.scores.around(scores[at], at),
            averages=averages.of_model(cells, place),
        )


def _metrics(
    cells: Cells, weights: Weights, averages: Averages, ranked: _Ranked | None
) -> Iterator[BoardMetric]:
    for c, (column, weight) in enumerate(zip(cells.columns, weights.metrics, strict=True)):
        models = models_with(averages, c)
        if ranked is None:
            yield extended(
                column,
                BoardMetric,
                weight=weight,
                share=0.0,
                amrs=None,
                set_aside=NOBODY,
                models=models,
            )
        else:
            yield extended(
                column,
                BoardMetric,
                weight=weight,
                share=float(ranked.found.shares[c]),
                amrs=known(ranked.found.amrs[c]),
                amrs_interval=averages.amrs_spread.interval(c) if c else None,
                set_aside=ranked.found.set_aside.get(column.title),
                models=models,
            )


def not_ranked(
    cells: Cells, weights: Weights, averages: Averages, seen: Sequence[Entrant], *, public: bool
) -> Iterator[UnrankedModel]:
    """The models that lack something that counts, with what they have and what that is."""
    for place, entrant in enumerate(seen):
        if place not in averages.ranked:
            reasons = lacking(cells, weights, averages, place, public=public)
            yield extended(
                entrant,
                UnrankedModel,
                scores=cells.scores[place],
                averages=averages.of_model(cells, place),
                reasons=tuple(reasons) or ("no model has been scored yet",),
            )


def _tied(names: Sequence[str], ranked: _Ranked | None) -> tuple[tuple[str, ...], ...]:
    if ranked is None or ranked.comparison is None or len(names) > MOST_IN_SETS:
        return ()
    better = ranked.comparison.better
    at = {model: n for n, model in enumerate(ranked.found.models)}
    found = tied_sets(names, lambda one, other: bool(better[at[one], at[other]]))
    return tuple(tuple(each) for each in found)


def _answer(models: Sequence[RankedModel], sets: Sequence[Sequence[str]], cells: Cells) -> str:
    if not models:
        return "No model is ranked yet"
    names = [model.name for model in models]
    if sets:
        return order_sentence(names, sets, final=True, noun="model")
    ranks = models[0].rank_interval
    if ranks is not None and len(models) > 1:
        # Too many for sets: the simultaneous ranks tell whether the first is surely before all.
        if ranks == (1, 1):
            return f"{names[0]} leads; {len(models) - 1} models follow"
        open_ = sum(
            each.rank_interval is not None and each.rank_interval[0] == 1 for each in models
        )
        return f"No model leads; {open_} of {len(models)} models may be the first"
    why = (
        "the order was not tested"
        if cells.drawn
        else "how certain the order is cannot be estimated"
    )
    values = {model.name: model.dynascore.value or 0.0 for model in models}
    return open_sentence(values, why, what="Dynascore", noun="model")


def _method(cells: Cells) -> str:
    if not cells.draws or not cells.drawn:
        return (
            "Dynascore (Ma et al. 2021); Dynascores and ranks without intervals, as no samples were "
            "drawn"
        )
    return (
        f"Dynascore (Ma et al. 2021); {cells.confidence * 100:g} % intervals: averages by those of "
        f"their scores, Dynascores by {cells.draws:,} bootstrap samples of items, the same items for "
        "all models, at the rates above; ranks with the rates computed again in each sample, and "
        "simultaneous"
    )


def _warnings(
    cells: Cells, weights: Weights, averages: Averages, ranked: _Ranked | None, task: str
) -> Iterator[str]:
    yield from cells.notes
    yield from left_out_words(cells, averages, weights)
    yield from partial_words(cells, averages, task)
    fixed = [
        cells.columns[c].title
        for c in averages.fixed
        if weights.metrics[c] > 0 and averages.shares[:, c].any()
    ]
    if fixed and cells.draws and len(averages.ranked):
        yield (
            f"{listed(fixed)} cannot be resampled item by item: no interval of a Dynascore or rank "
            f"includes {'its' if len(fixed) == 1 else 'their'} uncertainty."
        )
    for c, column in enumerate(cells.columns):
        good = column.direction * averages.values[averages.ranked, c] + column.offset
        if column.offset and weights.metrics[c] > 0 and (good < 0).any():
            yield (
                f"{counted(int((good < 0).sum()), 'model')} with more {column.title.lower()} than "
                f"{column.offset:g} {column.unit}: what is left is negative and lowers the score."
            )
    if ranked is not None:
        yield from ranked.found.warnings
        if ranked.comparison is None and averages.varies:
            yield "Ranks have no intervals, because too many samples have no scores."
