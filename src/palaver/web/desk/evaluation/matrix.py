"""Every model on every data set: what the cells say, drawn first and sent as JSON from then on."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import msgspec
from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.scores import RunScore
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.words import listed
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import runs_mark, runs_of_versions
from palaver.storage.evaluation.scores import bare_scores
from palaver.web.desk.evaluation.measures import Measures
from palaver.web.desk.evaluation.parts import RunCell
from palaver.web.desk.evaluation.states import run_cell, state_words

View = Literal["originals", "perturbed", "all"]
VIEWS: dict[View, str] = {
    "originals": "Data sets",
    "perturbed": "Perturbed sets",
    "all": "All of them",
}
# How many models with failed runs are told of in full, and how many data sets of each are named.
SHOWN_FAILURES = 8
NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A model or a data set at the side of the matrix."""

    name: str
    url: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A model and its cells, in the order of the data sets."""

    head: Head
    cells: tuple[RunCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
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
    failures: tuple[Failure, ...]
    more_failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Models by data sets."""

    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    live: LiveRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The models that are not retired and the data sets of a task, and how far they are.

    Runs and performances are those of the newest versions.
    """

    models: tuple[Model, ...]
    retired: tuple[Model, ...]
    datasets: tuple[Dataset, ...]
    runs: Mapping[tuple[int, int], Run]
    performances: Mapping[int, RunScore]
    mark: str

    @property
    def counts(self) -> Counter[str]:
        """How many runs are in each state."""
        return Counter(run.state for run in self.runs.values())


def read_mark(connection: Connection, row: StoredTask) -> str:
    """Names what `read_state` would find, for much less."""
    models = list_models(connection, row.id)
    current = [each for each in models if each.retired is None]
    return _mark(connection, current, list_datasets(connection, row.id))


def read_state(connection: Connection, row: StoredTask, metric: str) -> TaskState:
    """How far a task is."""
    models = list_models(connection, row.id)
    current = [each for each in models if each.retired is None]
    listed_sets = list_datasets(connection, row.id)
    # Before the runs: what changes in between is then asked for once more.
    mark = _mark(connection, current, listed_sets)
    datasets = family_order(listed_sets)
    found = runs_of_versions(
        connection, [each.version_id for each in current], [each.version_id for each in datasets]
    )
    done = [run.id for run in found if run.state == "done"]
    scores = bare_scores(connection, done, metric=metric)
    return TaskState(
        models=tuple(current),
        retired=tuple(each for each in models if each.retired is not None),
        datasets=tuple(datasets),
        runs={(run.model_version_id, run.dataset_version_id): run for run in found},
        # The newest version of the metric comes last.
        performances={score.run_id: score for score in scores},
        mark=mark,
    )


def _mark(connection: Connection, models: Sequence[Model], datasets: Sequence[Dataset]) -> str:
    of_models = [each.version_id for each in models]
    on_datasets = [each.version_id for each in datasets]
    return _digest(of_models, on_datasets, runs_mark(connection, of_models, on_datasets))


def family_order(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Data sets, each followed by those that were made from it."""
    children: dict[int | None, list[Dataset]] = {}
    known = {each.id for each in datasets}
    for each in datasets:
        children.setdefault(each.parent_id if each.parent_id in known else None, []).append(each)
    ordered: list[Dataset] = []
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        each = waiting.pop()
        ordered.append(each)
        waiting += reversed(children.pop(each.id, []))
    return ordered


def chosen_view(given: str | None, state: TaskState) -> View:
    """Which data sets the address asks for; without perturbed ones there is no choice."""
    perturbed = any(each.parent_id is not None for each in state.datasets)
    return next((view for view in VIEWS if view == given and perturbed), "originals")


def draw_matrix(state: TaskState, measures: Measures, *, view: View, address: str) -> Matrix:
    """The matrix of a task at `address`."""
    shown = [
        each
        for each in state.datasets
        if view == "all" or (each.parent_id is None) == (view == "originals")
    ]
    rows = tuple(
        Row(
            head=Head(
                name=model.name,
                url=f"{address}/models/{model.key}",
                note=f"{model.kind}, version {model.version}",
            ),
            cells=tuple(_cell(state, measures, model, each, address) for each in shown),
        )
        for model in state.models
    )
    heads = tuple(
        Head(
            name=each.name,
            url=dataset_url(address, each.name),
            note=each.kind or (each.access if each.access != "scoring" else ""),
        )
        for each in shown
    )
    return Matrix(heads=heads, rows=rows, live=_live(state, heads, rows, address))


def dataset_url(address: str, name: str) -> str:
    """The page of a data set of the task at `address`."""
    return f"{address}/data/{quote(name, safe='')}"


def _cell(
    state: TaskState, measures: Measures, model: Model, dataset: Dataset, address: str
) -> RunCell:
    cell = f"{model.key}/{dataset.id}"
    run = state.runs.get((model.version_id, dataset.version_id))
    if run is None:
        return RunCell(cell=cell, url="", state="", tone="", said="–")
    return run_cell(
        run,
        state.performances.get(run.id),
        measures.performance,
        cell=cell,
        url=f"{address}/runs/{run.key}",
    )


def _live(state: TaskState, heads: Sequence[Head], rows: Sequence[Row], address: str) -> LiveRuns:
    failures = _failures(state, address)
    return LiveRuns(
        state=state_words(state.counts),
        mark=state.mark,
        shape=_digest(heads, [row.head for row in rows]),
        cells=tuple(cell for row in rows for cell in row.cells),
        failures=tuple(failures[:SHOWN_FAILURES]),
        more_failures=max(0, len(failures) - SHOWN_FAILURES),
    )


def _failures(state: TaskState, address: str) -> list[Failure]:
    datasets = {each.version_id: each.name for each in state.datasets}
    failed: dict[int, list[Run]] = {}
    for run in state.runs.values():
        if run.state == "failed":
            failed.setdefault(run.model_version_id, []).append(run)
    return [
        _failure(model, failed[model.version_id], datasets, address)
        for model in state.models
        if model.version_id in failed
    ]


def _failure(
    model: Model, failed: Sequence[Run], datasets: Mapping[int, str], address: str
) -> Failure:
    last = max(failed, key=lambda run: (run.finished or 0.0, run.id))
    others = [datasets[run.dataset_version_id] for run in failed if run is not last]
    named = others if len(others) <= NAMED else [*others[:NAMED], f"{len(others) - NAMED} more"]
    return Failure(
        key=model.key,
        title=f"{model.name} × {datasets[last.dataset_version_id]}",
        url=f"{address}/runs/{last.key}",
        where=f"Also on {listed(named)}." if named else "",
        reason=last.reason,
    )


def _digest(*content: object) -> str:
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:16]
