"""Boards in the JSON that clients of the dynaboard API read, with variances that are real.

Beside them, which model does best on the items of each tag.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import (
    Board,
    BoardColumn,
    BoardMetric,
    Entrant,
    Measured,
    RankedModel,
)
from palaver.core.evaluation.runs import RunScore
from palaver.core.evaluation.tasks import (
    OrderedDataset,
    OrderedMetric,
    StoredTask,
    TaskSheet,
    policy_of,
)
from palaver.core.registry import near
from palaver.core.serial import extended
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards.board_reader import read_entrants, read_sets
from palaver.evaluation.dynaboards.columns import DATASET_WEIGHT, columns_of
from palaver.evaluation.tasks import task_data
from palaver.evaluation.tasks.samples import sample_answer, sample_question, sample_record
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs

DIRECTIONS = ("asc", "desc")
LIMIT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DynaboardDataset:
    """A model's scores on a data set, in the order of the task's metrics."""

    id: int
    name: str
    scores: list[float | None]
    variances: list[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model as everybody may know it: an unpublished one has no name, an anonymous one no team."""

    model_id: int
    model_name: str | None
    uid: int | None
    username: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DynaboardModel(NamedModel):
    """A row of the dynaboard."""

    averaged_scores: list[float | None]
    averaged_variances: list[float | None]
    dynascore: float | None
    dynavariance: float | None
    datasets: list[DynaboardDataset]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynaboard:
    """How many models are ranked, and some of them."""

    count: int
    data: list[DynaboardModel]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopModel(NamedModel):
    """The best model on a tag."""

    perf: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TopTag:
    """A tag, how many items have it, and who does best on these."""

    tag: str
    n: int
    top_perf_info: TopModel


@dataclass(frozen=True, slots=True, kw_only=True)
class TopTags:
    """How many tags of a data set have a performance, and some of them, best first."""

    count: int
    data: list[TopTag]


def dynaboard(
    board: Board,
    *,
    limit: int = LIMIT,
    offset: int = 0,
    sort_by: str = "dynascore",
    sort_direction: str = "desc",
) -> Dynaboard:
    """The ranked models from row `offset` on; `sort_by` may name a metric's title or `model_name`.

    Names are null where a model is unpublished, its team also where it is anonymous.
    """
    if limit < 0 or offset < 0:
        raise InputError(f"limit and offset must be 0 or more; got {limit} and {offset}.")
    if board.ranking == "measure" and sort_by == "dynascore":
        # There is none: the board's own order, from its best model or from its worst.
        ordered = list(board.models if sort_direction == "desc" else reversed(board.models))
    else:
        ordered = _sorted(board, sort_by, sort_direction)
    return Dynaboard(
        count=len(ordered), data=[_model(board, each) for each in ordered[offset : offset + limit]]
    )


def named(entrant: Entrant) -> NamedModel:
    """What everybody may know of a model."""
    return NamedModel(
        model_id=entrant.id,
        model_name=entrant.name if entrant.published else None,
        uid=entrant.submitter_id if entrant.has_open_team else None,
        username=entrant.team if entrant.has_open_team else None,
    )


def task_sheet(board: Board, row: StoredTask, task: Task) -> TaskSheet:
    """A task as clients of the dynaboard API read it, with all that follows from its file."""
    return extended(
        row,
        TaskSheet,
        ordered_metrics=tuple(map(_metric, board.metrics)),
        ordered_scoring_datasets=tuple(
            OrderedDataset(id=dataset.id, name=dataset.name, default_weight=DATASET_WEIGHT)
            for dataset in board.datasets
        ),
        perf_metric_field_name=board.metrics[0].field_name,
        about=task.about,
        instructions=task.instructions,
        content_warning=task.content_warning,
        policy=policy_of(row),
        definition=task_data(task),
        asked=tuple(each.name for each in task.asked),
        targets=tuple(target.name for target in task.targets),
        example_record=sample_record(task),
        example_question=sample_question(task),
        example_answer=sample_answer(task),
    )


def top_tags(
    connection: Connection,
    task_row: StoredTask,
    task: Task,
    *,
    tag: str | None = None,
    limit: int,
    offset: int,
) -> dict[str, TopTags]:
    """By scoring data set: each tag with its best published model, the best performance first.

    Tags on which the performance is undefined for a model say nothing of that model.
    """
    column = columns_of(task)[0]
    entrants = {
        entrant.version_id: entrant.for_strangers()
        for entrant in read_entrants(connection, task_row.id)
        if entrant.published
    }
    sets = read_sets(connection, task_row.id)
    runs = runs_of_versions(connection, list(entrants), [each.version_id for each in sets])
    scores = _performances(connection, [run.id for run in runs if run.state == "done"], column.key)
    found: dict[str, TopTags] = {}
    for one in sets:
        best: dict[str, TopTag] = {}
        for run in runs:
            if run.dataset_version_id == one.version_id and run.id in scores:
                for each in _tags(scores[run.id], entrants[run.model_version_id], column):
                    if tag in (None, each.tag):
                        best[each.tag] = _better(best.get(each.tag), each, column)
        tags = sorted(best.values(), key=lambda each: -column.direction * each.top_perf_info.perf)
        found[one.name] = TopTags(count=len(tags), data=tags[offset : offset + limit])
    return found


def _metric(metric: BoardMetric) -> OrderedMetric:
    return OrderedMetric(
        name=metric.key,
        field_name=metric.field_name,
        default_weight=metric.usual_weight,
        unit=metric.unit,
        pretty_name=metric.title,
        utility_direction=metric.direction,
        offset=metric.offset,
    )


def _sorted(board: Board, sort_by: str, direction: str) -> list[RankedModel]:
    if direction not in DIRECTIONS:
        raise InputError(f"sort_direction must be asc or desc; got '{direction}'.")
    keys: dict[str, Callable[[RankedModel], Any]] = {
        "dynascore": lambda each: each.dynascore.value,
        # The order of hidden names would give them away.
        "model_name": lambda each: each.name.casefold() if each.published else None,
    }
    for metric in board.metrics:
        keys[metric.title] = lambda each, key=metric.key: each.averages[key].value  # type: ignore[misc]
    if sort_by not in keys:
        raise InputError(
            f"A board has no column '{sort_by}' to sort by.{near(sort_by, keys)} "
            f"It has: {', '.join(keys)}."
        )
    key = keys[sort_by]
    known = [model for model in board.models if key(model) is not None]
    # What cannot be sorted by stands last in both directions.
    rest = [model for model in board.models if key(model) is None]
    return [*sorted(known, key=key, reverse=direction == "desc"), *rest]


def _model(board: Board, each: RankedModel) -> DynaboardModel:
    return extended(
        named(each),
        DynaboardModel,
        averaged_scores=_values(each.averages.values()),
        averaged_variances=_variances(each.averages.values()),
        dynascore=each.dynascore.value,
        dynavariance=each.dynascore.variance,
        datasets=[
            DynaboardDataset(
                id=one.id,
                name=one.name,
                scores=_values(each.scores[one.name].values()),
                variances=_variances(each.scores[one.name].values()),
            )
            for one in board.datasets
        ],
    )


def _values(measured: Iterable[Measured]) -> list[float | None]:
    return [each.value for each in measured]


def _variances(measured: Iterable[Measured]) -> list[float | None]:
    return [each.variance for each in measured]


def _performances(connection: Connection, run_ids: list[int], metric: str) -> dict[int, RunScore]:
    """The performance of each run, under the newest version of the metric."""
    stored = scores_of_runs(connection, run_ids)
    return {each.run_id: each for each in stored if each.metric == metric and not each.variant_id}


def _tags(score: RunScore, entrant: Entrant, column: BoardColumn) -> list[TopTag]:
    return [
        TopTag(
            tag=each["tag"],
            n=each["n"],
            top_perf_info=extended(named(entrant), TopModel, perf=column.scale * each["value"]),
        )
        for each in score.parts.get("perf_by_tag", ())
        if each.get("value") is not None
    ]


def _better(known: TopTag | None, new: TopTag, column: BoardColumn) -> TopTag:
    way = column.direction
    if known is None or way * new.top_perf_info.perf > way * known.top_perf_info.perf:
        return new
    return known
