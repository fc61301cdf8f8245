"""What is in a data set: its examples, out of the object store; its labels and tags with their counts.

Readers of the public pages learn of what is not hidden, and never of gold.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import (
    Dataset,
    DatasetSheet,
    DatasetVersion,
    VariantCount,
)
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.core.tasks import Example, Task
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.datasets import (
    find_dataset,
    find_version,
    list_datasets,
    list_versions,
)

# What is kept at hand: a few data sets, because many models are run on each of them in turn.
KEPT_SETS = 4
KEPT_ITEMS = 200_000

SAMPLE = 3
# A gold field with more values than this holds texts, not labels.
MOST_LABELS = 50


class _Uid(msgspec.Struct):
    uid: str


class _InputId(msgspec.Struct):
    input_id: str | None = None


_decode = msgspec.json.Decoder(Example).decode
_decode_uid = msgspec.json.Decoder(_Uid).decode
_decode_input_id = msgspec.json.Decoder(_InputId).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDataset(Dataset):
    """A data set that readers may know of, its versions, newest first, and its open variants."""

    versions: tuple[DatasetVersion, ...]
    variants: tuple[Dataset, ...]

    @property
    def link(self) -> str:
        """The address that it came from, if it came from one."""
        return self.source if self.source.startswith(("https://", "http://")) else ""

    @property
    def origin(self) -> str:
        """Where it came from; empty where that is a path on this machine."""
        return "" if "/" in self.source and not self.link else self.source


def read_examples(home: EvaluationHome, task: Task, version: DatasetVersion) -> list[Example]:
    """Every example, in order; nobody may change the list.

    InputError if the file is damaged, or if the task has asked for other fields since.
    """
    key = (home.objects.url, version.path)
    found = _CACHE.get(key)
    if found is None:
        found = _read(home, version)
        _CACHE.put(key, found)
    found = _with_defaults(task, found)
    _check_fields(task, found, version)
    return found


def read_uids(home: EvaluationHome, version: DatasetVersion) -> set[str]:
    """The uids of a version, without the rest of it in memory."""
    return {_decode_uid(line).uid for line in home.objects.lines(version.path)}


def describe_dataset(
    home: EvaluationHome, task_row: StoredTask, task: Task, name: str
) -> DatasetSheet:
    """The data set called `name` and what its newest version holds."""
    dataset = home.store.read_now(lambda c: find_dataset(c, task_row.id, name))
    versions = home.store.read_now(lambda c: list_versions(c, dataset.id))
    examples = read_examples(home, task, dataset)
    covers = home.store.read_now(lambda c: count_variants(c, home, dataset))
    return extended(
        dataset,
        DatasetSheet,
        versions=tuple(versions),
        labels=_labels(task, examples),
        tags=_tags(examples),
        covers=covers,
        examples=tuple(examples[:SAMPLE]),
    )


def open_datasets(connection: Connection, task_id: int) -> tuple[OpenDataset, ...]:
    """The data sets of a task that readers may know of, oldest first."""
    known = [
        dataset for dataset in list_datasets(connection, task_id) if dataset.access != "hidden"
    ]
    return tuple(
        extended(
            each,
            OpenDataset,
            versions=tuple(reversed(list_versions(connection, each.id))),
            variants=tuple(other for other in known if other.parent_id == each.id),
        )
        for each in known
        if each.parent_id is None
    )


def count_tags(home: EvaluationHome, task: Task, version: DatasetVersion) -> dict[str, int]:
    """Tags with how many items have them, most frequent first; read once per content."""
    name = ("tags of a data set", version.digest, version.path)
    known: dict[str, int] | None = home.store.cache.get(name)
    if known is None:
        known = _tags(read_examples(home, task, version))
        home.store.cache.keep(name, known)
    return known


def count_variants(
    connection: Connection, home: EvaluationHome, dataset: Dataset
) -> VariantCount | None:
    """Of how many items a perturbed set has variants, None for any other; read once per content."""
    if dataset.parent_version_id is None:
        return None
    name = ("originals of a data set", dataset.digest, dataset.path)
    known: int | None = home.store.cache.get(name)
    if known is None:
        lines = home.objects.lines(dataset.path)
        known = len({_decode_input_id(line).input_id for line in lines} - {None})
        home.store.cache.keep(name, known)
    parent = find_version(connection, dataset.parent_version_id)
    return VariantCount(items=parent.items, with_variants=known)


def _read(home: EvaluationHome, version: DatasetVersion) -> list[Example]:
    try:
        found = [_decode(line) for line in home.objects.lines(version.path)]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(version, str(error)) from error
    if len(found) != version.items:
        raise _damaged(version, f"it has {len(found):,} items instead of {version.items:,}")
    return found


def _damaged(version: DatasetVersion, why: str) -> InputError:
    return InputError(f"The stored data set {version.path} is damaged ({why}). Add it again.")


def _with_defaults(task: Task, found: list[Example]) -> list[Example]:
    """The examples with the fields that the task got since and has a default for."""
    absent: dict[str, Any] = {}
    for field in task.asked if found else ():
        if field.name not in found[0].values:
            with suppress(ValueError):
                absent[field.name] = field.absent()
    if not absent:
        return found
    return [msgspec.structs.replace(each, values={**absent, **each.values}) for each in found]


def _check_fields(task: Task, found: list[Example], version: DatasetVersion) -> None:
    wanted = {each.name for each in task.asked} | set(task.gold.values())
    missing = sorted(wanted - found[0].values.keys()) if found else []
    if missing:
        raise InputError(
            f"Task '{task.name}' asks for {', '.join(missing)}, which the stored data set "
            f"{version.path} does not have. Add the data set again."
        )
    for target in task.targets if found else ():
        try:
            target.check_gold(found[0].values[task.gold[target.name]], found[0].values)
        except ValueError as error:
            raise InputError(
                f"The stored data set {version.path} holds '{target.name}' in a form that the task "
                f"'{task.name}' no longer has (item {found[0].uid}: {error}). Add the data set "
                "again from its file."
            ) from None


class _Cache:
    """The sets that were read last, under a lock because runs are scored on threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], list[Example]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str]) -> list[Example] | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: tuple[str, str], found: list[Example]) -> None:
        with self._lock:
            self._kept[key] = found
            while self._is_full():
                self._kept.popitem(last=False)

    def _is_full(self) -> bool:
        items = sum(map(len, self._kept.values()))
        return len(self._kept) > KEPT_SETS or items > KEPT_ITEMS


_CACHE = _Cache()


def _tags(examples: Sequence[Example]) -> dict[str, int]:
    counts = Counter(tag for example in examples for tag in example.tags)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _labels(task: Task, examples: Sequence[Example]) -> dict[str, dict[str, int]]:
    """How often each label of each gold field stands there; several right ones count as one."""
    counts: dict[str, dict[str, int]] = {}
    for output in task.outputs:
        if output.name not in task.gold or not getattr(output, "labels", ()):
            continue
        golds = (example.values[task.gold[output.name]] for example in examples)
        found = Counter(_label(gold) for gold in golds if not isinstance(gold, dict))
        if 0 < len(found) <= MOST_LABELS:
            counts[output.name] = dict(found.most_common())
    return counts


def _label(gold: Any) -> str:
    return " or ".join(map(str, gold)) if isinstance(gold, list) else str(gold)
