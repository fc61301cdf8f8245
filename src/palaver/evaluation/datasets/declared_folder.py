"""The folder of data sets that a home declares: TASK/NAME.jsonl, looked through at every start.

What was looked at is remembered by size and time in `scanned.json`, so that a start costs a look at
each file and no more. Losing that file costs one reading; content decides what is a new version.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from pydantic import AliasChoices, Field, ValidationError

from palaver.core.errors import InputError, StudyError
from palaver.core.evaluation.dataset_names import normal_name, variants_named
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.datasets.normal_form import load_function
from palaver.evaluation.datasets.registration import RunPlanner, add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.plans import plan_for_dataset
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.formats.datasets.mapping import FieldMap, MappingEntry, field_map
from palaver.formats.key_problems import place_problems, pydantic_problems
from palaver.formats.marked_yaml import read_marked
from palaver.storage.evaluation.datasets import list_datasets

REMEMBERED = "scanned.json"
SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class ScanProblem:
    """A file that could not be added, and why."""

    file: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What became of the files; a bad one never stops the others."""

    added: tuple[AddedDataset, ...] = ()
    unchanged: tuple[Path, ...] = ()
    problems: tuple[ScanProblem, ...] = ()


class Sidecar(MappingEntry):
    """What a data set needs beside its file; everything has a default."""

    reader: Annotated[str | None, Field(description="the format, if it is not recognised")] = None
    convert: Annotated[str | None, Field(description="module:function beside the file")] = None
    access: Access | None = None
    about: str | None = None
    function: Annotated[
        str | None, Field(description="its own evaluation function, as module:function")
    ] = None
    # Under the names, too, that a round has in files of Dynabench.
    round: Annotated[
        int | None, Field(validation_alias=AliasChoices("round", "round_id", "rid"), strict=True)
    ] = None

    def options(self, folder: Path) -> dict[str, Any]:
        """The options of `add_dataset` that this file stands for."""
        mapping: FieldMap = field_map(self)
        return {
            "reader": self.reader,
            "mapping": mapping or None,
            "convert": None if self.convert is None else load_function(self.convert, folder=folder),
            "access": self.access,
            "about": self.about,
            "function": self.function,
            "round": self.round,
        }


def read_sidecar(file: Path) -> Sidecar:
    """The file's content, or the defaults where there is none; StudyError names line and column."""
    if not file.is_file():
        return Sidecar()
    marked = read_marked(file)
    try:
        return Sidecar.model_validate(marked.data)
    except ValidationError as error:
        raise StudyError(place_problems(marked, pydantic_problems(error, Sidecar))) from error


class _Seen(msgspec.Struct, frozen=True):
    """A file as it was when it was added, and the version it became."""

    stamp: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file of the folder; `parent` and `kind` where its name says that it is a variant.

    `stem` is the file's own name, `name` what a data set is called after it.
    """

    file: Path
    stem: str
    name: str
    kind: str | None = None
    parent: str | None = None

    @property
    def sidecar(self) -> Path:
        return self.file.parent / f"{self.stem}.yaml"


def scan_datasets(
    home: EvaluationHome, *, now: float, plan: RunPlanner = plan_for_dataset
) -> ScanReport:
    """Add what is new or changed in the folder that the settings name."""
    if home.settings.datasets is None:
        return ScanReport()
    folder = (home.folder / home.settings.datasets).resolve()
    if not folder.is_dir():
        return ScanReport(problems=(ScanProblem(folder, "There is no such folder."),))
    scan = _Scan(home, now, plan)
    for inside in sorted(path for path in folder.iterdir() if _is_shown(path)):
        if inside.is_dir():
            scan.look_through(inside)
        elif inside.name.removesuffix(".gz").endswith(SUFFIXES):
            scan.problems.append(
                ScanProblem(inside, "Data sets belong in a folder named after their task.")
            )
    scan.remember()
    return ScanReport(tuple(scan.added), tuple(scan.unchanged), tuple(scan.problems))


class _Scan:
    """One look through the folder."""

    def __init__(self, home: EvaluationHome, now: float, plan: RunPlanner) -> None:
        self.home = home
        self._plan = plan
        self.now = now
        self.added: list[AddedDataset] = []
        self.unchanged: list[Path] = []
        self.problems: list[ScanProblem] = []
        self._file = home.folder / REMEMBERED
        self._seen = _remembered(self._file)
        self._now_seen: dict[str, _Seen] = {}

    def look_through(self, folder: Path) -> None:
        """Add the data sets of one task, originals before variants."""
        try:
            row = self.home.store.write_now(lambda c: ensure_task(c, folder.name, now=self.now))
            task = stored_task(row)
            stored = _stored(self.home, row)
        except InputError as error:
            self.problems.append(ScanProblem(folder, str(error)))
            return
        taken: dict[str, Path] = {}
        for candidate in _candidates(folder, task, set(stored)):
            other = taken.setdefault(candidate.name, candidate.file)
            try:
                if other is not candidate.file:
                    raise InputError(
                        f"It would be the data set '{candidate.name}', as {other.name} is. Rename one."
                    )
                self._look_at(candidate, row, task)
            except InputError as error:
                self.problems.append(ScanProblem(candidate.file, str(error)))

    def remember(self) -> None:
        """Keep what was seen for the next start."""
        draft = self._file.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(self._now_seen))
        draft.replace(self._file)

    def _look_at(self, candidate: _Candidate, row: StoredTask, task: Task) -> None:
        key = f"{row.name}/{candidate.file.name}"
        stored = _stored(self.home, row)
        stamp = _stamp(candidate, row, stored)
        seen, known = self._seen.get(key), stored.get(candidate.name)
        if seen and known and seen.stamp == stamp and seen.digest == known.digest:
            self._now_seen[key] = seen
            self.unchanged.append(candidate.file)
            return
        added = add_dataset(
            self.home,
            row,
            task,
            name=candidate.stem,
            source=str(candidate.file),
            parent=candidate.parent,
            kind=candidate.kind,
            now=self.now,
            plan=self._plan,
            **read_sidecar(candidate.sidecar).options(candidate.file.parent),
        )
        self._now_seen[key] = _Seen(stamp, added.digest)
        if added.is_new:
            self.added.append(added)
        else:
            self.unchanged.append(candidate.file)


def _stored(home: EvaluationHome, row: StoredTask) -> dict[str, Dataset]:
    datasets = home.store.read_now(lambda c: list_datasets(c, row.id))
    return {each.name: each for each in datasets}


def _candidates(folder: Path, task: Task, stored: set[str]) -> Iterator[_Candidate]:
    """The data sets in the folder: those that stand for themselves, then variants of them."""
    plain = [
        _candidate(path)
        for path in sorted(folder.iterdir())
        if _is_shown(path) and _is_dataset(path)
    ]
    names = {each.name for each in plain} | stored
    variants: list[_Candidate] = []
    for each in plain:
        found = variants_named(each.name, names, kinds=task.deltas)
        if found is None:
            yield each
        else:
            variants.append(replace(each, kind=found[0], parent=found[1]))
    yield from variants


def _candidate(path: Path) -> _Candidate:
    stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return _Candidate(path, stem, normal_name(stem))


def _is_shown(path: Path) -> bool:
    return not path.name.startswith((".", "_"))


def _is_dataset(path: Path) -> bool:
    return path.is_dir() or path.name.removesuffix(".gz").endswith(SUFFIXES)


def _stamp(candidate: _Candidate, row: StoredTask, stored: dict[str, Dataset]) -> str:
    """What must be the same for the file to need no second look."""
    files = sorted(candidate.file.iterdir()) if candidate.file.is_dir() else [candidate.file]
    parts = [f"{file.name}:{_size_and_time(file)}" for file in (*files, candidate.sidecar)]
    if candidate.parent in stored:
        parts.append(stored[candidate.parent].digest)
    return " ".join([row.digest, *parts])


def _size_and_time(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return "none"
    return f"{status.st_size}:{status.st_mtime_ns}"


def _remembered(file: Path) -> dict[str, _Seen]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, _Seen])
    except (OSError, msgspec.DecodeError):
        return {}
