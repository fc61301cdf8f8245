"""Boards that rank by one measure: the mean of the performance metric, and what is sure of the order.

Nothing is weighed: the models stand in the order of the first metric, averaged over the data sets, and
the sentence above them is that of `standings`, as a shared task and its report say it.
"""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection

from palaver.analysis.rank_sets import compare_draws, open_sentence, order_sentence, tied_sets
from palaver.core.evaluation.boards import (
    Board,
    BoardDataset,
    BoardMetric,
    Entrant,
    Measured,
    MeasureVerdict,
    RankedModel,
    UnrankedModel,
)
from palaver.core.evaluation.runs import RunScore
from palaver.core.numeric import Numbers, np
from palaver.core.serial import extended
from palaver.core.words import listed
from palaver.evaluation.dynaboards.averages import Averages, lacking, left_out_words
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Weights
from palaver.evaluation.dynaboards.verdicts import Found, MeasureTable, SetTable, table_bytes
from palaver.metrics.sums import unpack_rows
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs

PENDING = "Which models differ is being computed"
NOBODY = "No model is ranked yet"
METHOD = (
    "Ranked by the mean over items; 95 % percentile bootstrap of items; differences by the randomised "
    "Tukey HSD test over the items that all models have"
)


def standing_tables(
    connection: Connection, cells: Cells, averages: Averages, seen: Sequence[Entrant]
) -> list[SetTable]:
    """What each ranked model scored on each item, by data set; sets that count for nobody left out."""
    ranked = [(int(place), cells.entrants[place]) for place in averages.ranked]
    tables = []
    for s, one in enumerate(cells.sets):
        if not averages.shares[s, 0] or not ranked:
            continue
        known = runs_of_versions(
            connection, [entrant.version_id for _, entrant in ranked], [one.version_id]
        )
        runs = {run.model_version_id: run.id for run in known}
        scores = scores_of_runs(connection, list(runs.values()), rows=True)
        newest = {(each.run_id, each.metric): each for each in scores if not each.variant_id}
        measures = []
        for column in cells.columns:
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
) -> Board:
    """The board in the order of its first metric; `found` is None while it is being computed."""
    seen = [entrant.seen(public=public) for entrant in cells.entrants]
    datasets = [one.for_strangers() if public else one for one in cells.sets]
    column = cells.columns[0]
    verdicts = found.verdicts if found else ()
    mine = [each for each in verdicts if each.measure == column.key]
    # Of the ranks of an average over several sets nothing is said by verdicts on each.
    only = mine[0] if len(mine) == 1 and _counting(averages) == 1 else None
    models = tuple(_models(cells, averages, seen, only))
    drawn = _by_draws(cells, averages, models) if found and not mine and models else None
    return Board(
        task=task,
        title=title,
        answer=_answer(models, mine, found, drawn),
        metrics=tuple(
            extended(
                each, BoardMetric, weight=weight, share=float(c == 0), amrs=None, set_aside=None
            )
            for c, (each, weight) in enumerate(zip(cells.columns, weights.metrics, strict=True))
        ),
        datasets=tuple(
            extended(one, BoardDataset, weight=weight, share=float(averages.shares[s, 0]))
            for s, (one, weight) in enumerate(zip(datasets, weights.datasets, strict=True))
        ),
        models=models,
        not_ranked=tuple(
            extended(
                entrant,
                UnrankedModel,
                scores=cells.scores[place],
                reasons=tuple(lacking(cells, weights, averages, place, public=public))
                or ("no model has been scored yet",),
            )
            for place, entrant in enumerate(seen)
            if place not in averages.ranked
        ),
        tied_sets=only.tied_sets if only else (drawn or ()),
        pairs=0,
        draws=cells.draws,
        seed=cells.seed,
        confidence=cells.confidence,
        method=METHOD,
        warnings=tuple(_warnings(cells, averages, weights, found)),
        ranking="measure",
        verdicts=verdicts,
        pending=found is None and bool(models),
        unpublished=unpublished,
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
    cells: Cells, averages: Averages, seen: Sequence[Entrant], only: MeasureVerdict | None
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
            rank_interval=_ranks(names[at], by_name, only),
            dynascore=Measured(value=None),
            averages={
                column.key: averages.spreads[c].around(averages.values[place, c], at)
                for c, column in enumerate(cells.columns)
            },
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


def _by_draws(
    cells: Cells, averages: Averages, models: Sequence[RankedModel]
) -> tuple[tuple[str, ...], ...] | None:
    """Models that cannot be told apart by samples of items, for a metric without values per item."""
    if not averages.varies or 0 in averages.fixed:
        return None
    way = cells.columns[0].direction
    values = way * averages.values[averages.ranked, 0]
    order = np.argsort(-values, kind="stable").tolist()
    found = compare_draws(values, way * averages.drawn[0], confidence=cells.confidence)
    at = {model.name: place for model, place in zip(models, order, strict=True)}
    sets = tied_sets(list(at), lambda one, other: bool(found.better[at[one], at[other]]))
    return tuple(tuple(each) for each in sets)


def _answer(
    models: Sequence[RankedModel],
    mine: Sequence[MeasureVerdict],
    found: Found | None,
    drawn: tuple[tuple[str, ...], ...] | None,
) -> str:
    if not models:
        return NOBODY
    if len(models) == 1:
        return f"{models[0].name} is the only system"
    if found is None:
        return PENDING
    if len(mine) == 1:
        return mine[0].answer
    if mine:
        return "; ".join(f"{each.dataset}: {each.answer}" for each in mine)
    names = [model.name for model in models]
    if drawn:
        return order_sentence(names, drawn, final=True)
    values = {model.name: next(iter(model.averages.values())).value or 0.0 for model in models}
    return open_sentence(values, "the order was not tested", what="value", noun="model")


def _warnings(
    cells: Cells, averages: Averages, weights: Weights, found: Found | None
) -> Iterator[str]:
    yield from cells.notes
    yield from left_out_words(cells, averages, weights)
    if found and found.problem:
        yield found.problem
    if found:
        yield from found.warnings
    if _counting(averages) > 1:
        names = [one.name for s, one in enumerate(cells.sets) if averages.shares[s, 0] > 0]
        yield f"Ranks are by the mean over {listed(names)}, each of which counts the same."
