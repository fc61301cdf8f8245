"""How far a task's evaluation is: every model on every data set, for pages and programs."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.storage.evaluation.datasets import StoredDataset, list_datasets
from palaver.storage.evaluation.models import StoredModel, list_models
from palaver.storage.evaluation.runs import RunState, StoredRun, runs_of_versions
from palaver.storage.evaluation.tasks import StoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """The newest version of a model on the newest version of a data set."""

    model: str
    dataset: str
    key: str
    state: RunState
    items: int
    answered: int
    refused: int
    reason: str
    created: float
    started: float | None
    finished: float | None

    @property
    def share(self) -> float:
        """How much of the data set has been asked, from 0 to 1."""
        return (self.answered + self.refused) / self.items if self.items else 1.0

    def as_json(self) -> dict[str, Any]:
        """The status as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatus:
    """The models and data sets of a task, and the runs there are of them."""

    task: str
    models: tuple[StoredModel, ...]
    datasets: tuple[StoredDataset, ...]
    runs: tuple[RunStatus, ...]

    def run(self, model: str, dataset: str) -> RunStatus | None:
        """The run of a model on a data set; None where none was planned."""
        wanted = (model, dataset)
        return next((each for each in self.runs if (each.model, each.dataset) == wanted), None)

    def counts(self) -> dict[str, int]:
        """How many runs there are in each state."""
        return dict(Counter(each.state for each in self.runs))

    def as_json(self) -> dict[str, Any]:
        """The status as plain data."""
        return {
            "task": self.task,
            "models": [each.name for each in self.models],
            "datasets": [each.name for each in self.datasets],
            "counts": self.counts(),
            "runs": [each.as_json() for each in self.runs],
        }


def task_status(connection: Connection, task_row: StoredTask) -> TaskStatus:
    """How far the newest versions of a task's models are on those of its data sets."""
    models = {each.version.id: each for each in list_models(connection, task_row.id)}
    datasets = {each.version.id: each for each in list_datasets(connection, task_row.id)}
    found = runs_of_versions(connection, list(models), list(datasets))
    return TaskStatus(
        task=task_row.name,
        models=tuple(models.values()),
        datasets=tuple(datasets.values()),
        runs=tuple(
            _status(run, models[run.model_version_id], datasets[run.dataset_version_id])
            for run in found
        ),
    )


def _status(run: StoredRun, model: StoredModel, dataset: StoredDataset) -> RunStatus:
    return RunStatus(
        model=model.name,
        dataset=dataset.name,
        key=run.key,
        state=run.state,
        items=run.items,
        answered=run.answered,
        refused=run.refused,
        reason=run.reason,
        created=run.created,
        started=run.started,
        finished=run.finished,
    )
