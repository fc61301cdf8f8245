"""What a team sees of its models: which runs there are, how far they are, and why one failed."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run, RunState
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.registry import near
from palaver.evaluation.runs.results import with_performance
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import StoredModel, list_models
from palaver.storage.evaluation.replacements import replaced_runs
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.submitters import Submitter

OPEN = frozenset({"waiting", "answering", "scoring"})
BAD = frozenset({"failed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedRun:
    """A run of a team's model on a data set that the team may know of."""

    key: str
    dataset: str
    state: RunState
    reason: str
    items: int
    answered: int
    refused: int
    metric: str
    value: float | None
    low: float | None
    high: float | None

    def as_json(self) -> dict[str, Any]:
        """The parts by name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedModel:
    """A team's model in its newest version, with its runs."""

    model: StoredModel
    runs: tuple[SubmittedRun, ...]

    @property
    def state(self) -> str:
        """What became of it: withdrawn, failed, running, done, or nothing to run yet."""
        states = {run.state for run in self.runs}
        if self.model.retired is not None:
            return "withdrawn"
        if states & BAD:
            return "failed"
        if states & OPEN:
            return "running"
        return "done" if states else "empty"

    def as_json(self) -> dict[str, Any]:
        """The parts by name."""
        model = self.model
        return {
            "key": model.key,
            "name": model.name,
            "version": model.version.number,
            "kind": model.version.kind,
            "about": model.about,
            "link": model.link,
            "tags": list(model.tags),
            "published": model.published,
            "anonymous": model.anonymous,
            "created": model.version.created,
            "state": self.state,
            "runs": [run.as_json() for run in self.runs],
        }


def answerable_sets(connection: Connection, task_row: StoredTask) -> list[Dataset]:
    """The data sets that submissions are evaluated on: scoring ones, and variants of these."""
    known = list_datasets(connection, task_row.id)
    scoring = {each.id for each in known if each.access == "scoring" and each.parent_id is None}
    return [each for each in known if each.id in scoring or each.parent_id in scoring]


def own_submissions(
    connection: Connection, submitter: Submitter, task_row: StoredTask
) -> list[SubmittedModel]:
    """The models of a team, newest first, with their runs on data sets it may know of.

    A run on a version of a data set that was replaced before the run began is left out.
    """
    names = {each.name for each in answerable_sets(connection, task_row)}
    models = [
        each for each in list_models(connection, task_row.id) if each.submitter_id == submitter.id
    ]
    versions = {each.version.id for each in models}
    listed = [
        each
        for each in list_runs(connection, task_id=task_row.id)
        if each.model_version_id in versions and each.dataset in names
    ]
    gone = replaced_runs(connection, [each.id for each in listed])
    results = with_performance(connection, [each for each in listed if each.id not in gone])
    return [
        SubmittedModel(
            model=model,
            runs=tuple(_run(each) for each in results if each.model_version_id == model.version.id),
        )
        for model in reversed(models)
    ]


def own_submission(
    connection: Connection, submitter: Submitter, task_row: StoredTask, name: str
) -> SubmittedModel:
    """A team's model by name or key; InputError if it has none such."""
    found = own_submissions(connection, submitter, task_row)
    for each in found:
        if name in (each.model.name, each.model.key):
            return each
    names = [each.model.name for each in found]
    raise InputError(f"Your team has no model '{name[:80]}' here.{near(name, names)}")


def _run(run: Run) -> SubmittedRun:
    score = run.performance
    return SubmittedRun(
        key=run.key,
        dataset=run.dataset,
        state=run.state,
        reason=run.reason,
        items=run.items,
        answered=run.answered,
        refused=run.refused,
        metric=run.metric,
        value=None if score is None else score.value,
        low=None if score is None else score.low,
        high=None if score is None else score.high,
    )
