"""What is in a data set: its versions, its labels and tags with their counts, and a few items."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.tasks import Example, Task
from palaver.evaluation.datasets.reading import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.datasets import (
    DatasetVersion,
    StoredDataset,
    find_dataset,
    list_datasets,
    list_versions,
)
from palaver.storage.evaluation.tasks import StoredTask

SAMPLE = 3
# A gold field with more values than this holds texts, not labels.
MOST_LABELS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSheet:
    """A data set, described."""

    task: str
    dataset: StoredDataset
    parent: str | None
    versions: tuple[DatasetVersion, ...]
    labels: dict[str, dict[str, int]]
    tags: dict[str, int]
    sample: tuple[Example, ...]

    def as_json(self) -> dict[str, Any]:
        """The description as plain data."""
        dataset = self.dataset
        return {
            "task": self.task,
            "dataset": dataset.name,
            "access": dataset.access,
            "about": dataset.about,
            "source": dataset.source,
            "parent": self.parent,
            "kind": dataset.kind,
            "function": dataset.function,
            "items": dataset.version.items,
            "versions": [
                {
                    "version": each.number,
                    "digest": each.digest,
                    "items": each.items,
                    "bytes": each.size,
                    "path": each.path,
                    "created": each.created,
                }
                for each in self.versions
            ],
            "labels": self.labels,
            "tags": self.tags,
            "sample": [{"uid": each.uid, **each.values, "tags": each.tags} for each in self.sample],
        }


def describe_dataset(
    home: EvaluationHome, task_row: StoredTask, task: Task, name: str
) -> DatasetSheet:
    """The data set called `name` and what its newest version holds."""
    dataset = home.store.read_now(lambda c: find_dataset(c, task_row.id, name))
    versions = home.store.read_now(lambda c: list_versions(c, dataset.id))
    every = home.store.read_now(lambda c: list_datasets(c, task_row.id))
    examples = read_examples(home, task, dataset.version)
    tags = Counter(tag for each in examples for tag in each.tags)
    return DatasetSheet(
        task=task_row.name,
        dataset=dataset,
        parent=next((each.name for each in every if each.id == dataset.parent_id), None),
        versions=tuple(versions),
        labels=_labels(task, examples),
        tags=dict(sorted(tags.items(), key=lambda pair: (-pair[1], pair[0]))),
        sample=tuple(examples[:SAMPLE]),
    )


def _labels(task: Task, examples: Sequence[Example]) -> dict[str, dict[str, int]]:
    """How often each label of each gold field stands there; several right ones count as one."""
    counts: dict[str, dict[str, int]] = {}
    for output in task.outputs:
        if output.name not in task.gold or not getattr(output, "labels", ()):
            continue
        golds = (each.values[task.gold[output.name]] for each in examples)
        found = Counter(_label(gold) for gold in golds if not isinstance(gold, dict))
        if 0 < len(found) <= MOST_LABELS:
            counts[output.name] = dict(found.most_common())
    return counts


def _label(gold: Any) -> str:
    return " or ".join(map(str, gold)) if isinstance(gold, list) else str(gold)
