"""Every model on every data set: what the cells say, drawn first and sent as JSON from then on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import msgspec

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.words import listed
from palaver.evaluation.runs.overview import TaskState
from palaver.web.desk.tasks.measures import Measures
from palaver.web.desk.tasks.runs import RunCell, run_cell, state_words

View = Literal["originals", "perturbed", "all"]
VIEWS: dict[View, str] = {
    "originals": "Data sets",
    "perturbed": "Perturbed",
    "all": "All",
}
# How many models with failed runs are told of in full, and how many data sets of each are named.
SHOWN_FAILURES = 8
NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A model and its cells, in the order of the data sets."""

    model: Model
    cells: tuple[RunCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedModel:
    """A model with runs that failed: the last of them, and where."""

    key: str
    title: str
    url: str
    where: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRuns:
    """What of a task's page changes while one looks.

    `mark` changes with anything that is stored of it, `shape` only when a model or a data set comes
    or goes.
    """

    state: str
    mark: str
    shape: str
    cells: tuple[RunCell, ...]
    failures: tuple[FailedModel, ...]
    more_failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Models by data sets."""

    datasets: tuple[Dataset, ...]
    rows: tuple[Row, ...]
    live: LiveRuns


def chosen_view(given: str | None, state: TaskState) -> View:
    """Which data sets the address asks for; without perturbed ones there is no choice."""
    perturbed = any(dataset.parent_id is not None for dataset in state.datasets)
    return next((view for view in VIEWS if view == given and perturbed), "originals")


def draw_matrix(state: TaskState, measures: Measures, *, view: View, address: str) -> Matrix:
    """The matrix of a task at `address`."""
    shown = tuple(
        dataset
        for dataset in state.datasets
        if view == "all" or (dataset.parent_id is None) == (view == "originals")
    )
    rows = tuple(
        Row(
            model=model,
            cells=tuple(_cell(state, measures, model, each, address) for each in shown),
        )
        for model in state.models
    )
    return Matrix(datasets=shown, rows=rows, live=_live(state, shown, rows, address))


def dataset_url(address: str, name: str) -> str:
    """The page of a data set of the task at `address`."""
    return f"{address}/data/{quote(name, safe='')}"


def _cell(
    state: TaskState, measures: Measures, model: Model, dataset: Dataset, address: str
) -> RunCell:
    cell = f"{model.key}/{dataset.id}"
    run = state.run(model, dataset)
    if run is None:
        return RunCell(cell=cell, url="", state="", tone="", said="–")
    here = f"{address}/runs/{run.key}"
    return run_cell(run, measures.performance, cell=cell, url=here)


def _live(
    state: TaskState, datasets: Sequence[Dataset], rows: Sequence[Row], address: str
) -> LiveRuns:
    models = [(row.model.name, row.model.kind, row.model.version) for row in rows]
    sides = (models, [(dataset.name, dataset.kind, dataset.access) for dataset in datasets])
    failures = _failures(state, address)
    return LiveRuns(
        state=state_words(state.counts),
        mark=state.mark,
        shape=hashlib.sha256(msgspec.json.encode(sides)).hexdigest()[:16],
        cells=tuple(cell for row in rows for cell in row.cells),
        failures=tuple(failures[:SHOWN_FAILURES]),
        more_failures=max(0, len(failures) - SHOWN_FAILURES),
    )


def _failures(state: TaskState, address: str) -> list[FailedModel]:
    failed: dict[int, list[Run]] = {}
    for run in state.runs.values():
        if run.state == "failed":
            failed.setdefault(run.model_id, []).append(run)
    return [
        _failure(model, failed[model.id], address) for model in state.models if model.id in failed
    ]


def _failure(model: Model, failed: Sequence[Run], address: str) -> FailedModel:
    last = max(failed, key=lambda run: (run.finished or 0.0, run.id))
    others = [run.dataset for run in failed if run is not last]
    named = others if len(others) <= NAMED else [*others[:NAMED], f"{len(others) - NAMED} more"]
    return FailedModel(
        key=model.key,
        title=last.title,
        url=f"{address}/runs/{last.key}",
        where=f"Also on {listed(named)}." if named else "",
        reason=last.reason,
    )
