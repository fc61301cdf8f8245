"""The examples of a data set version, out of the object store."""

import threading
from collections import OrderedDict

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import DatasetVersion
from palaver.core.tasks import Example, Task
from palaver.evaluation.home import EvaluationHome

# What is kept at hand: a few data sets, because many models are run on each of them in turn.
KEPT_SETS = 4
KEPT_ITEMS = 200_000


class _Uid(msgspec.Struct):
    uid: str


_decode = msgspec.json.Decoder(Example).decode
_decode_uid = msgspec.json.Decoder(_Uid).decode


def read_examples(home: EvaluationHome, task: Task, version: DatasetVersion) -> list[Example]:
    """Every example, in order; nobody may change the list.

    InputError if the file is damaged, or if the task has asked for other fields since.
    """
    key = (home.objects.url, version.path)
    found = _CACHE.get(key)
    if found is None:
        found = _read(home, version)
        _CACHE.put(key, found)
    _check_fields(task, found, version)
    return found


def read_uids(home: EvaluationHome, version: DatasetVersion) -> set[str]:
    """The uids of a version, without the rest of it in memory."""
    return {_decode_uid(line).uid for line in home.objects.lines(version.path)}


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


def _check_fields(task: Task, found: list[Example], version: DatasetVersion) -> None:
    wanted = {each.name for each in task.asked} | set(task.gold.values())
    missing = sorted(wanted - found[0].values.keys()) if found else []
    if missing:
        raise InputError(
            f"Task '{task.name}' asks for {', '.join(missing)}, which the stored data set "
            f"{version.path} does not have. Add the data set again."
        )


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
