"""Boards that rank by one measure: the mean of the first metric, and what is sure of the order.

No metrics are weighed: the models stand in the order of the first one, averaged over the data sets. For
a task that ranks so the sentence above them is that of `standings`, as a shared task and its report say
it. Where a reader of another board chose the metric, samples of items tell models apart, as they do on
that board.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

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
    BoardColumn,
    BoardDataset,
    BoardMetric,
    Entrant,
    Measured,
    MeasureVerdict,
    RankedModel,
)
from palaver.core.evaluation.runs import RunScore
from palaver.core.numeric import Numbers, np
from palaver.core.serial import extended
from palaver.core.words import listed
from palaver.evaluation.dynaboards.averages import (
    Averages,
    left_out_words,
    models_with,
    partial_words,
)
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Weights
from palaver.evaluation.dynaboards.ranking import not_ranked
from palaver.evaluation.dynaboards.verdicts import Found, MeasureTable, SetTable, table_bytes
from palaver.metrics.sums import unpack_rows
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs

PENDING = "Which models differ is being computed"
NOBODY = "No model is ranked yet"
METHOD = (
    "Ranked by the mean over items; 95 % intervals over items; differences by the randomised "
    "Tukey HSD test over the items that all models have"
)


@dataclass(frozen=True, slots=True)
class _ByDraws:
    """Which differences samples of items make sure, and the sets that they leave together."""

    comparison: SimultaneousComparison
    sets: tuple[tuple[str, ...], ...]


def standing_tables(
    connection: Connection,
    cells: Cells,
    averages: Averages,
    seen: Sequence[Entrant],
    columns: Sequence[BoardColumn],
) -> list[SetTable]:
    """What each ranked model scored on each item, by data set and column.

    Data sets that count for nobody are left out.
    """
    ranked = [(int(place), cells.entrants[place]) for place in averages.ranked]
    tables = []
    for s, one in enumerate(cells.sets):
        if not averages.shares[s, 0] or not ranked:
            continue
        known = runs_of_versions(
            connection, [entrant.version_id for _, entrant in ranked], [one.version_id]
        )
        runs = {run.model_version_id: run.id for run in known}
        keys = [column.key for column in columns]
        scores = scores_of_runs(connection, list(runs.values()), metrics=keys, rows=True)
        newest = {(each.run_id, each.metric): each for each in scores if not each.variant_id}
        measures = []
        for column in columns:
            mine = [newest.get((runs.get(e.version_id, 0), column.key)) for _, e in ranked]
            values = [_per_item(score, one.items) for score in mine]
            known_values = [each for each in values if each is not None]
            if len(known_values) == len(ranked):
                measures.append(
                    MeasureTable(
                        name=column.key,
                        title=column.title,
                        direction="lower" if column.direction < 0 else "higher",
                        values=table_bytes(known_values),
                    )
                )
        if measures:
            names = [seen[place] for place, _ in ranked]
            tables.append(
                SetTable(
                    dataset=one.name,
                    items=one.items,
                    models=[each.name for each in names],
                    teams=[each.team or "" for each in names],
                    measures=measures,
                )
            )
    return tables


def rank_by_measure(
    cells: Cells,
    averages: Averages,
    weights: Weights,
    found: Found | None,
    *,
    task: str,
    title: str,
    public: bool,
    unpublished: int,
    metric: str = "",
) -> Board:
    """The board in the order of its first metric, which is the `metric` that a reader chose.

    `found` is None while it is being computed, and empty where samples of items decide.
    """
    seen = [entrant.seen(public=public) for entrant in cells.entrants]
    datasets = [one.for_strangers() if public else one for one in cells.sets]
    column = cells.columns[0]
    verdicts = found.verdicts if found else ()
    mine = [each for each in verdicts if each.measure == column.key]
    # Of the ranks of an average over several sets nothing is said by verdicts on each.
    only = mine[0] if len(mine) == 1 and _counting(averages) == 1 else None
    drawn = _by_draws(cells, averages, seen) if found and not mine else None
    models = tuple(_models(cells, averages, seen, only, drawn))
    return Board(
        task=task,
        title=title,
        answer=_answer(models, mine, found, drawn, column),
        metrics=tuple(
            extended(
                each,
                BoardMetric,
                weight=weight,
                share=float(c == 0),
                amrs=None,
                set_aside=None,
                models=models_with(averages, c),
            )
            for c, (each, weight) in enumerate(zip(cells.columns, weights.metrics, strict=True))
        ),
        datasets=tuple(
            extended(one, BoardDataset, weight=weight, share=float(averages.shares[s, 0]))
            for s, (one, weight) in enumerate(zip(datasets, weights.datasets, strict=True))
        ),
        models=models,
        not_ranked=tuple(not_ranked(cells, weights, averages, seen, public=public)),
        tied_sets=only.tied_sets if only else drawn.sets if drawn else (),
        pairs=0,
        draws=cells.draws,
        seed=cells.seed,
        confidence=cells.confidence,
        method=METHOD if found is None or found.verdicts else _method(cells, drawn),
        warnings=tuple(_warnings(cells, averages, weights, found, task, metric)),
        ranking="measure",
        metric=metric,
        verdicts=verdicts,
        pending=found is None and bool(models),
        unpublished=unpublished,
        round=cells.counting.round,
        rounds=cells.counting.rounds,
        public=public,
    )


def _per_item(score: RunScore | None, items: int) -> Numbers | None:
    """What a run scored on each item, NaN where nothing; None where the metric is no mean of those."""
    if score is None or not score.rows or score.parts.get("form") != "mean":
        return None
    rows = unpack_rows(score.rows)
    if len(rows) != items:
        return None
    values: Numbers = np.where(rows[:, 1] > 0, rows[:, 0], np.nan)
    return values


def _counting(averages: Averages) -> int:
    """How many data sets count towards the first metric."""
    return int((averages.shares[:, 0] > 0).sum())


def _models(
    cells: Cells,
    averages: Averages,
    seen: Sequence[Entrant],
    only: MeasureVerdict | None,
    drawn: _ByDraws | None,
) -> Iterator[RankedModel]:
    good = cells.columns[0].direction * averages.values[averages.ranked, 0]
    names = [seen[place].name for place in averages.ranked]
    by_name = dict(zip(names, good.tolist(), strict=True))
    for at in np.argsort(-good, kind="stable").tolist():
        place = int(averages.ranked[at])
        yield extended(
            seen[place],
            RankedModel,
            scores=cells.scores[place],
            rank=1 + int((good > good[at]).sum()),
            rank_interval=drawn.comparison.rank_interval(at)
            if drawn
            else _ranks(names[at], by_name, only),
            dynascore=Measured(value=None),
            averages=averages.of_model(cells, place),
        )


def _ranks(
    name: str, good: Mapping[str, float], only: MeasureVerdict | None
) -> tuple[int, int] | None:
    """From behind all that are surely better to before all that are surely worse."""
    if only is None or not only.tied_sets:
        return None
    others = [b if a == name else a for a, b in only.apart if name in (a, b)]
    better = sum(good[other] > good[name] for other in others if other in good)
    worse = sum(good[other] < good[name] for other in others if other in good)
    return 1 + better, len(good) - worse


def _by_draws(cells: Cells, averages: Averages, seen: Sequence[Entrant]) -> _ByDraws | None:
    """Which models samples of items tell apart; None where the metric cannot be drawn."""
    if len(averages.ranked) < 2 or not averages.varies or 0 in averages.fixed:
        return None
    way = cells.columns[0].direction
    values = way * averages.values[averages.ranked, 0]
    kept = averages.drawn[0][np.isfinite(averages.drawn[0]).all(axis=1)]
    if len(kept) < max(2, LEAST_DEFINED * cells.draws):
        return None
    found = compare_draws(values, way * kept, confidence=cells.confidence)
    order = np.argsort(-values, kind="stable").tolist()
    at = {seen[averages.ranked[place]].name: place for place in order}
    sets = tied_sets(list(at), lambda one, other: bool(found.better[at[one], at[other]]))
    return _ByDraws(found, tuple(tuple(each) for each in sets))


def _method(cells: Cells, drawn: _ByDraws | None) -> str:
    title = cells.columns[0].title
    if drawn is None:
        return f"Ranked by {title}, averaged over the data sets; the order was not tested"
    return (
        f"Ranked by {title}, averaged over the data sets; ranks by {cells.draws:,} bootstrap samples "
        "of items, the same items for all models, and simultaneous"
    )


def _answer(
    models: Sequence[RankedModel],
    mine: Sequence[MeasureVerdict],
    found: Found | None,
    drawn: _ByDraws | None,
    first: BoardColumn,
) -> str:
    if not models:
        return NOBODY
    if len(models) == 1:
        return f"{models[0].name} is the only model"
    if found is None:
        return PENDING
    if len(mine) == 1:
        return mine[0].answer
    if mine:
        return "; ".join(f"{each.dataset}: {each.answer}" for each in mine)
    names = [model.name for model in models]
    if drawn:
        return order_sentence(names, drawn.sets, final=True, noun="model")
    values = {model.name: model.averages[first.key].value or 0.0 for model in models}
    return open_sentence(
        values,
        "the order was not tested",
        what=first.title.lower(),
        noun="model",
        lowest=first.direction < 0,
    )


def _warnings(
    cells: Cells, averages: Averages, weights: Weights, found: Found | None, task: str, metric: str
) -> Iterator[str]:
    yield from cells.notes
    yield from left_out_words(cells, averages, weights)
    yield from partial_words(cells, averages, task)
    if not cells.columns[0].has_better_end:
        yield (
            f"Neither end of {cells.columns[0].title} is better: the models stand from the highest "
            "to the lowest."
        )
    if found and found.problem:
        yield found.problem
    if found:
        yield from found.warnings
    if _counting(averages) > 1 and not metric:
        names = [one.name for s, one in enumerate(cells.sets) if averages.shares[s, 0] > 0]
        yield f"Ranks are by the mean over {listed(names)}, each of which counts the same."
