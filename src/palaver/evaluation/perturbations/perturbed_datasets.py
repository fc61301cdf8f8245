"""A stored data set perturbed, and variants registered beside what they were made from."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.evaluation.dataset_names import checked_name
from palaver.core.evaluation.datasets import AddedDataset, Dataset, Kind, Perturbed
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset, find_dataset, read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.perturbations.layout import layout_of
from palaver.evaluation.perturbations.perturbed_files import SIZE, Tell, perturb_records
from palaver.evaluation.perturbations.registry import chosen_perturbations


def perturb_dataset(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    name: str,
    *,
    kind: Kind,
    seed: int,
    only: Sequence[str] = (),
    fields: Sequence[str] = (),
    samples: int = 0,
    size: int = SIZE,
    tell: Tell = lambda done, of: None,
    now: float,
) -> Perturbed:
    """Perturb a stored data set and register the variants beside it, if there are any."""
    layout, name = layout_of(task, fields), checked_name(name)
    names = [found for found, _ in chosen_perturbations(kind, only)]
    records = stored_records(home, task_row, task, name)
    with tempfile.TemporaryDirectory(prefix="palaver-perturb-") as folder:
        output = Path(folder) / f"{kind}-{name}.jsonl"
        done = perturb_records(
            records,
            layout,
            names,
            output,
            kind=kind,
            seed=seed,
            samples=samples,
            size=size,
            tell=tell,
        )
        added = (
            register_variants(home, task_row, task, done, parent=name, now=now)
            if done.variants
            else None
        )
    return replace(done, output="", registered=added)


def stored_records(
    home: EvaluationHome, task_row: StoredTask, task: Task, name: str
) -> list[dict[str, Any]]:
    """The records of a stored data set; InputError if it is itself a perturbed one."""
    dataset = home.store.read_now(lambda c: find_dataset(c, task_row.id, name))
    check_original(dataset)
    return [example.record for example in read_examples(home, task, dataset)]


def check_original(dataset: Dataset) -> None:
    """Raise InputError where a data set is itself a perturbed one."""
    if dataset.parent is not None:
        raise InputError(
            f"'{dataset.name}' is itself a perturbed set; name the one it was made from."
        )


def register_variants(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    done: Perturbed,
    *,
    parent: str,
    now: float,
) -> AddedDataset:
    """Register variants as `KIND-PARENT`, and plan what must be computed now."""
    return add_dataset(
        home,
        task_row,
        task,
        name=f"{done.kind}-{parent}",
        source=done.output,
        reader="palaver",
        parent=parent,
        kind=done.kind,
        now=now,
    )
