"""Which model does best on the items of each tag, as clients of the dynaboard API read it."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.scores import RunScore
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards.columns import Column, columns_of
from palaver.evaluation.dynaboards.entrants import Entrant, read_entrants, read_sets
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs
from palaver.storage.evaluation.tasks import StoredTask


@dataclass(frozen=True, slots=True)
class TopTag:
    """A tag, how many items have it, and the best model on these with its performance."""

    tag: str
    n: int
    entrant: Entrant
    value: float

    def as_json(self) -> dict[str, Any]:
        """The parts by name; an unpublished model has no name, an anonymous one no team."""
        entrant = self.entrant
        known = entrant.published and not entrant.anonymous
        return {
            "tag": self.tag,
            "n": self.n,
            "top_perf_info": {
                "model_id": entrant.model_id,
                "model_name": entrant.name if entrant.published else None,
                "uid": entrant.submitter_id if known else None,
                "username": (entrant.team or None) if known else None,
                "perf": self.value,
            },
        }


def top_tags(
    connection: Connection, task_row: StoredTask, task: Task, *, tag: str | None = None
) -> dict[str, list[TopTag]]:
    """By scoring data set: each tag with its best model, tags with the best performance first.

    Tags on which the performance is undefined for a model say nothing of that model.
    """
    column = columns_of(task)[0]
    entrants = {each.version_id: each for each in read_entrants(connection, task_row.id)}
    sets = read_sets(connection, task_row.id)
    runs = runs_of_versions(connection, list(entrants), [each.version_id for each in sets])
    scores = _performances(connection, [run.id for run in runs if run.state == "done"], column.key)
    found: dict[str, list[TopTag]] = {}
    for one in sets:
        best: dict[str, TopTag] = {}
        for run in runs:
            if run.dataset_version_id == one.version_id and run.id in scores:
                for each in _tags(scores[run.id], entrants[run.model_version_id], column):
                    if tag in (None, each.tag):
                        best[each.tag] = _better(best.get(each.tag), each, column)
        found[one.name] = sorted(best.values(), key=lambda each: -column.direction * each.value)
    return found


def _performances(connection: Connection, run_ids: list[int], metric: str) -> dict[int, RunScore]:
    """The performance of each run, under the newest version of the metric."""
    stored = scores_of_runs(connection, run_ids)
    return {each.run_id: each for each in stored if each.metric == metric and not each.variant_id}


def _tags(score: RunScore, entrant: Entrant, column: Column) -> list[TopTag]:
    return [
        TopTag(each["tag"], each["n"], entrant, column.scale * each["value"])
        for each in score.parts.get("perf_by_tag", ())
        if each.get("value") is not None
    ]


def _better(known: TopTag | None, new: TopTag, column: Column) -> TopTag:
    if known is None or column.direction * new.value > column.direction * known.value:
        return new
    return known
