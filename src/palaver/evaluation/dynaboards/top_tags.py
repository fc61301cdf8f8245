"""Which model does best on the items of each tag, as clients of the dynaboard API read it."""

from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.evaluation.boards import BoardColumn, Entrant
from palaver.core.evaluation.runs import RunScore
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards.columns import columns_of
from palaver.evaluation.dynaboards.dynabench_format import NamedModel, named
from palaver.evaluation.dynaboards.entrants import read_entrants, read_sets
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs


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


def top_tags(
    connection: Connection,
    task_row: StoredTask,
    task: Task,
    *,
    tag: str | None = None,
    limit: int,
    offset: int,
) -> dict[str, TopTags]:
    """By scoring data set: each tag with its best model, tags with the best performance first.

    Tags on which the performance is undefined for a model say nothing of that model.
    """
    column = columns_of(task)[0]
    entrants = {each.version_id: each for each in read_entrants(connection, task_row.id)}
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
