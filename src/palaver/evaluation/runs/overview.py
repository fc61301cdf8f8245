"""A task at a glance: its models on its data sets, all in their newest versions."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import runs_mark, runs_of_versions
from palaver.storage.evaluation.scores import bare_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The models that are not retired and the data sets of a task, and the runs between them.

    Runs are found by the versions of their model and data set; `mark` changes with any of this.
    """

    models: tuple[Model, ...]
    retired: tuple[Model, ...]
    datasets: tuple[Dataset, ...]
    runs: Mapping[tuple[int, int], Run]
    mark: str

    @property
    def counts(self) -> Counter[str]:
        return Counter(run.state for run in self.runs.values())

    def run(self, model: Model, dataset: Dataset) -> Run | None:
        """The run of a model on a data set; None where none was planned."""
        return self.runs.get((model.version_id, dataset.version_id))


def read_mark(connection: Connection, row: StoredTask) -> str:
    """Names what `read_state` would find, for much less."""
    models = list_models(connection, row.id)
    current = [model for model in models if model.retired is None]
    return _mark(connection, current, list_datasets(connection, row.id))


def read_state(connection: Connection, row: StoredTask, metric: str) -> TaskState:
    """A task at a glance; runs that are done have their score under the metric."""
    models = list_models(connection, row.id)
    current = [model for model in models if model.retired is None]
    datasets = list_datasets(connection, row.id)
    # Before the runs: what changes in between is then asked for once more.
    mark = _mark(connection, current, datasets)
    found = runs_of_versions(
        connection,
        [each.version_id for each in current],
        [dataset.version_id for dataset in datasets],
    )
    done = [run.id for run in found if run.state == "done"]
    # The newest version of the metric comes last.
    scores = {score.run_id: score for score in bare_scores(connection, done, metric=metric)}
    return TaskState(
        models=tuple(current),
        retired=tuple(model for model in models if model.retired is not None),
        datasets=tuple(family_order(datasets)),
        runs={
            (run.model_version_id, run.dataset_version_id): replace(
                run, metric=metric, performance=scores.get(run.id)
            )
            for run in found
        },
        mark=mark,
    )


def family_order(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Data sets, each followed by those that were made from it."""
    children: dict[int | None, list[Dataset]] = {}
    known = {dataset.id for dataset in datasets}
    for dataset in datasets:
        children.setdefault(dataset.parent_id if dataset.parent_id in known else None, []).append(
            dataset
        )
    ordered: list[Dataset] = []
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        each = waiting.pop()
        ordered.append(each)
        waiting += reversed(children.pop(each.id, []))
    return ordered


def _mark(connection: Connection, models: Sequence[Model], datasets: Sequence[Dataset]) -> str:
    of_models = [model.version_id for model in models]
    on_datasets = [dataset.version_id for dataset in datasets]
    known = (of_models, on_datasets, runs_mark(connection, of_models, on_datasets))
    return hashlib.sha256(msgspec.json.encode(known)).hexdigest()[:16]
