"""Versions that were replaced: what still waits for them is cancelled before a model is asked.

A newer version of a model or of a data set makes the runs of the older one pointless, unless somebody
asked for them by hand or has begun them. A version that comes back gets its runs back.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import (
    bring_back,
    cancel_unbegun,
    find_run_by_id,
    list_runs,
    replaced_runs,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A model and a data set, each in its newest version."""

    model: Model
    dataset: Dataset


class Newest:
    """The models and data sets of a task in their newest versions."""

    def __init__(self, models: Sequence[Model], datasets: Sequence[Dataset]) -> None:
        self._models = {each.id: each for each in models}
        self._datasets = {each.id: each for each in datasets}

    def pair(self, listed: Run) -> Pair:
        """What a run would be a run of now."""
        return Pair(self._models[listed.model_id], self._datasets[listed.dataset_id])

    def replacement(self, listed: Run) -> str:
        """Which version replaced one that this is a run of; empty if none did."""
        now = self.pair(listed)
        if listed.model_version_id != now.model.version_id:
            return f"Version {now.model.version} of the model replaced this version"
        if listed.dataset_version_id != now.dataset.version_id:
            return f"Version {now.dataset.version} of the data set replaced this version"
        parent = self._newer_parent(now.dataset)
        if parent is not None:
            return (
                f"Version {parent.version} of '{parent.name}' replaced the version that "
                "this data set was made from"
            )
        return ""

    def counts(self, pair: Pair) -> bool:
        """Whether a run of the pair is of use to anybody."""
        return pair.model.retired is None and self._newer_parent(pair.dataset) is None

    def _newer_parent(self, dataset: Dataset) -> Dataset | None:
        """The set that a perturbed one was made from, if it has a newer version than that one."""
        if dataset.parent_id is None or dataset.parent_version_id is None:
            return None
        parent = self._datasets[dataset.parent_id]
        return None if parent.version_id == dataset.parent_version_id else parent


def read_newest(connection: Connection, task_row: StoredTask) -> Newest:
    """What of a task counts now."""
    return Newest(list_models(connection, task_row.id), list_datasets(connection, task_row.id))


def cancel_replaced(
    connection: Connection, task_row: StoredTask, newest: Newest, *, now: float
) -> list[Pair]:
    """Cancel what nobody has begun of replaced versions; the pairs that take its place."""
    pairs = []
    for listed in list_runs(connection, task_id=task_row.id, states=["waiting"]):
        why = newest.replacement(listed)
        reason = f"{why} before the run began."
        if why and cancel_unbegun(connection, listed.id, reason=reason, now=now):
            pairs.append(newest.pair(listed))
    return [pair for pair in pairs if newest.counts(pair)]


def restore_newest(connection: Connection, task_row: StoredTask, newest: Newest) -> list[Run]:
    """Bring back the runs of versions that were replaced and are the newest again."""
    cancelled = list_runs(connection, task_id=task_row.id, states=["cancelled"])
    again = [
        each.id
        for each in cancelled
        if not newest.replacement(each) and newest.counts(newest.pair(each))
    ]
    found = sorted(replaced_runs(connection, again)) if again else []
    for run_id in found:
        bring_back(connection, run_id)
    return [find_run_by_id(connection, run_id) for run_id in found]
