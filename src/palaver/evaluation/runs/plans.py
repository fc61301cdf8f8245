"""Which runs there must be: called in the transaction that registers a model or a data set.

A new model is evaluated on every scoring data set and on the perturbed sets made from these; a new
data set, or a new version of one, evaluates every model. A pair of versions has one run for ever:
planning finds it and leaves it as it is, whatever came of it. Only what still waits for a version that
was replaced is cancelled, unless somebody asked for it by hand or has begun it, and waits again if that
version comes back. Endpoints of challenge teams are asked their own data alone (`entry_plans`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import UPLOADED, Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.runs.entry_plans import asked_entries, is_entry_endpoint
from palaver.evaluation.tasks.stored import stored_task
from palaver.storage.evaluation.datasets import find_dataset, list_datasets
from palaver.storage.evaluation.jobs import enqueue
from palaver.storage.evaluation.models import find_model, list_models
from palaver.storage.evaluation.runs import (
    add_run,
    ask_by_hand,
    bring_back,
    cancel_unbegun,
    find_run_by_id,
    hold_task,
    list_runs,
    replaced_runs,
    runs_of_versions,
)
from palaver.storage.evaluation.tasks import find_task, list_tasks


def plan_for_dataset(
    connection: Connection, task_row: StoredTask, dataset: Dataset, *, now: float
) -> list[Run]:
    """Plan the runs of every model on a data set; those that are due now."""
    hold_task(connection, task_row.id)
    return _plan(connection, task_row, _current(connection, task_row), [dataset], now)


def plan_for_model(
    connection: Connection, task_row: StoredTask, model: Model, *, now: float
) -> list[Run]:
    """Plan the runs of a model on what counts for the task; those that are due now."""
    hold_task(connection, task_row.id)
    if model.retired is not None:
        return []
    return _plan(connection, task_row, [model], _counting(connection, task_row), now)


def plan_entries(
    connection: Connection, task_row: StoredTask, models: Sequence[Model], *, now: float
) -> list[Run]:
    """Plan the runs of endpoints of challenge teams, if their data are there; those due now."""
    hold_task(connection, task_row.id)
    return _plan(connection, task_row, models, list_datasets(connection, task_row.id), now)


def plan_all(connection: Connection, task_row: StoredTask, *, now: float) -> list[Run]:
    """Plan every run that the task's models and data sets ask for; those that are due now."""
    hold_task(connection, task_row.id)
    found = _counting(connection, task_row)
    return _plan(connection, task_row, _current(connection, task_row), found, now)


def plan_pairs(
    connection: Connection,
    task_row: StoredTask,
    models: Sequence[Model] | None = None,
    datasets: Sequence[Dataset] | None = None,
    *,
    now: float,
) -> list[Run]:
    """Plan the runs of these models on these data sets; every run of them, old and new.

    Without models it is all that are not retired, without data sets all that count for the task.
    Runs of what is named are asked for by hand: a newer version does not cancel them.
    """
    hold_task(connection, task_row.id)
    is_named = models is not None or datasets is not None
    models = _current(connection, task_row) if models is None else models
    datasets = _counting(connection, task_row) if datasets is None else datasets
    _plan(connection, task_row, models, datasets, now)
    found = runs_of_versions(
        connection,
        [model.version_id for model in models],
        [dataset.version_id for dataset in datasets],
    )
    if is_named:
        ask_by_hand(connection, [run.id for run in found])
    return found


def plan_named(
    connection: Connection,
    task_row: StoredTask,
    *,
    model: str | None = None,
    dataset: str | None = None,
    now: float,
) -> list[Run]:
    """Plan what is due of a task, or of one model or data set of it; every run, old and new."""
    models = [find_model(connection, task_row.id, model)] if model else None
    datasets = [find_dataset(connection, task_row.id, dataset)] if dataset else None
    return plan_pairs(connection, task_row, models, datasets, now=now)


def plan_evaluation(
    connection: Connection,
    *,
    task: str | None = None,
    model: str | None = None,
    dataset: str | None = None,
    now: float,
) -> list[Run]:
    """Plan what is due of a task or of all; their runs as far as named, earlier versions' too."""
    rows = list_tasks(connection) if task is None else [find_task(connection, task)]
    for row in rows:
        plan_named(connection, row, model=model, dataset=dataset, now=now)
    return [
        run
        for row in rows
        for run in list_runs(connection, task_id=row.id)
        if model in (None, run.model) and dataset in (None, run.dataset)
    ]


def answer_key(run_id: int) -> str:
    """The name of the job that asks the model of a run."""
    return f"answer:{run_id}"


def score_key(run_id: int, variant_run_id: int | None = None) -> str:
    """The name of the job that scores a run, or measures it against a run on variants."""
    return f"score:{run_id}" if variant_run_id is None else f"score:{run_id}:{variant_run_id}"


@dataclass(frozen=True, slots=True)
class _Pair:
    """A model and a data set, each in its newest version; it is asked at once, or from `due` on."""

    model: Model
    dataset: Dataset
    due: float | None = None


class _Newest:
    """The models and data sets of a task in their newest versions."""

    def __init__(self, models: Sequence[Model], datasets: Sequence[Dataset]) -> None:
        self._models = {model.id: model for model in models}
        self._datasets = {dataset.id: dataset for dataset in datasets}

    def pair(self, listed: Run) -> _Pair:
        """What a run would be a run of now."""
        return _Pair(self._models[listed.model_id], self._datasets[listed.dataset_id])

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

    def counts(self, pair: _Pair) -> bool:
        """Whether a run of the pair is of use to anybody."""
        return pair.model.retired is None and self._newer_parent(pair.dataset) is None

    def _newer_parent(self, dataset: Dataset) -> Dataset | None:
        """The set that a perturbed one was made from, if it has a newer version than that one."""
        if dataset.parent_id is None or dataset.parent_version_id is None:
            return None
        parent = self._datasets[dataset.parent_id]
        return None if parent.version_id == dataset.parent_version_id else parent


def _plan(
    connection: Connection,
    task_row: StoredTask,
    models: Sequence[Model],
    datasets: Sequence[Dataset],
    now: float,
) -> list[Run]:
    wanted = [_Pair(model, dataset) for dataset in datasets for model in models]
    waiting = list_runs(connection, task_id=task_row.id, states=["waiting", "cancelled"])
    due: list[Run] = []
    if waiting:
        newest = _read_newest(connection, task_row)
        wanted += _cancel_replaced(connection, waiting, newest, now=now)
        due = _restore_newest(connection, waiting, newest)
    for pair in _askable(connection, task_row, wanted):
        due += _plan_pair(connection, pair, now)
    return due


def _askable(
    connection: Connection, task_row: StoredTask, pairs: Sequence[_Pair]
) -> Iterator[_Pair]:
    """Those of the pairs that have a run: what a team registered for a challenge only on its data."""
    entries = asked_entries(connection, task_row, [pair.model for pair in pairs])
    for pair in pairs:
        if is_entry_endpoint(pair.model):
            asked = entries.get(pair.model.version_id)
            if asked is not None and asked.dataset == pair.dataset.name:
                yield replace(pair, due=asked.due)
        elif _can_answer(pair.model, pair.dataset):
            yield pair


def _plan_pair(connection: Connection, pair: _Pair, now: float) -> list[Run]:
    """The run of a pair if it is new and not for a later date."""
    run = add_run(
        connection,
        model_version_id=pair.model.version_id,
        dataset_version_id=pair.dataset.version_id,
        items=pair.dataset.items,
        now=now,
    )
    if run is None:
        return []
    enqueue(
        connection,
        key=answer_key(run.id),
        kind="answer",
        lane=f"model:{pair.model.id}",
        run_id=run.id,
        now=now,
        due=pair.due,
    )
    return [run] if pair.due is None or pair.due <= now else []


def _current(connection: Connection, task_row: StoredTask) -> list[Model]:
    return [model for model in list_models(connection, task_row.id) if model.retired is None]


def _counting(connection: Connection, task_row: StoredTask) -> list[Dataset]:
    """The scoring data sets, and the perturbed ones of the kinds that the task counts.

    A perturbed set that was made from an earlier version of its parent has nothing to be compared
    with and is left out.
    """
    deltas = stored_task(task_row).deltas
    known = list_datasets(connection, task_row.id)
    scoring = {
        each.id: each for each in known if each.parent_id is None and each.access == "scoring"
    }
    return [
        each
        for each in known
        if each.id in scoring
        or (
            each.parent_id in scoring
            and each.kind in deltas
            and each.parent_version_id in (None, scoring[each.parent_id].version_id)
        )
    ]


def _can_answer(model: Model, dataset: Dataset) -> bool:
    """Whether the model can be asked: one with uploaded predictions only where it has some."""
    return model.kind != UPLOADED or dataset.digest in model.options


def _read_newest(connection: Connection, task_row: StoredTask) -> _Newest:
    """What of a task counts now."""
    return _Newest(list_models(connection, task_row.id), list_datasets(connection, task_row.id))


def _cancel_replaced(
    connection: Connection, known: Sequence[Run], newest: _Newest, *, now: float
) -> list[_Pair]:
    """Cancel what nobody has begun of replaced versions; the pairs that take its place."""
    pairs = []
    for listed in (run for run in known if run.state == "waiting"):
        why = newest.replacement(listed)
        reason = f"{why} before the run began."
        if why and cancel_unbegun(connection, listed.id, reason=reason, now=now):
            pairs.append(newest.pair(listed))
    return [pair for pair in pairs if newest.counts(pair)]


def _restore_newest(connection: Connection, known: Sequence[Run], newest: _Newest) -> list[Run]:
    """Bring back the runs of versions that were replaced and are the newest again."""
    again = [
        each.id
        for each in known
        if each.state == "cancelled"
        and not newest.replacement(each)
        and newest.counts(newest.pair(each))
    ]
    found = sorted(replaced_runs(connection, again)) if again else []
    for run_id in found:
        bring_back(connection, run_id)
    return [find_run_by_id(connection, run_id) for run_id in found]
