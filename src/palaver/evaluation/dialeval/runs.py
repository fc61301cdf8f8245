"""The runs of a shared task: folders `TEAM/runN` with submission files in them.

A file belongs to a language if its name has the word: `nugget_english_test.json`, `dq-cn.json`. One
without a language stands on a board of its own. What is wrong with a file keeps that file off the
boards, and no other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.serial import key
from palaver.evaluation.dialeval.gold import Gold
from palaver.evaluation.dialeval.predictions import Predictions, read_predictions
from palaver.formats.submissions import Task

LANGUAGES = {
    "en": "english",
    "english": "english",
    "cn": "chinese",
    "zh": "chinese",
    "chinese": "chinese",
}
_RUN = re.compile(r"run\d+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RunFile:
    """One file of a run; `name` is the run's, `file` the path below the folder of all runs."""

    team: str
    name: str
    file: str
    path: Path


@dataclass(frozen=True, slots=True)
class PredictedRun:
    """What one run predicts for one task in one language."""

    team: str
    name: str
    task: Task
    language: str
    predictions: Predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedFile:
    """A file with faults; `is_used` where what is right in it was scored all the same."""

    name: str = key("run")
    file: str
    faults: tuple[str, ...]
    is_used: bool = key("used", False)


def find_runs(folder: Path) -> list[RunFile]:
    """The files of all runs below `folder`, or below its `runs`; InputError if there is none."""
    inner = folder / "runs"
    root = inner if inner.is_dir() else folder
    if not root.is_dir():
        raise InputError(f"There is no folder {folder}.")
    found = [
        RunFile(team.name, f"{team.name}-{run.name}", f"{team.name}/{run.name}/{path.name}", path)
        for team in _folders(root)
        for run in _folders(team)
        if _RUN.match(run.name)
        for path in sorted(run.glob("*.json"))
    ]
    if not found:
        raise InputError(
            f"{root} contains no runs; they are expected as TEAM/run0/*.json, TEAM/run1/*.json …"
        )
    return found


def read_runs(
    files: list[RunFile], gold: Gold, *, lenient: bool = False
) -> tuple[list[PredictedRun], list[RejectedFile]]:
    """What the files predict, and what is wrong with them; with `lenient` the rest is used."""
    entrants: list[PredictedRun] = []
    rejected: list[RejectedFile] = []
    taken: set[tuple[str, str, str]] = set()
    for file in files:
        try:
            language = language_of(file.path.stem)
            predictions = read_predictions(file.path.read_bytes(), gold, name=file.file)
            _only_once(file, predictions, language, taken)
        except InputError as error:
            rejected.append(RejectedFile(name=file.name, file=file.file, faults=(str(error),)))
            continue
        if predictions.faults:
            faults = tuple(str(fault) for fault in predictions.faults)
            rejected.append(
                RejectedFile(name=file.name, file=file.file, faults=faults, is_used=lenient)
            )
            if not lenient:
                continue
        entrants += [
            PredictedRun(file.team, file.name, task, language, replace(predictions, tasks=(task,)))
            for task in predictions.tasks
        ]
    return entrants, rejected


def language_of(stem: str) -> str:
    """The language that a file's name says; empty if it says none, InputError if it says two.

    >>> language_of("nugget_en_test_submission"), language_of("dialogue-sentences")
    ('english', '')
    """
    words = re.split(r"[^a-z]+", stem.lower())
    found = {LANGUAGES[word] for word in words if word in LANGUAGES}
    if len(found) > 1:
        raise InputError(f"The name '{stem}' says both {' and '.join(sorted(found))}; keep one.")
    return found.pop() if found else ""


def _only_once(
    file: RunFile, predictions: Predictions, language: str, taken: set[tuple[str, str, str]]
) -> None:
    held = {(file.name, task, language) for task in predictions.tasks}
    if held & taken:
        tasks = ", ".join(task.upper() for _, task, _ in sorted(held & taken))
        raise InputError(
            f"Another file of this run already contains {tasks} for the same language."
        )
    taken |= held


def _folders(root: Path) -> Iterator[Path]:
    """The folders in a folder, run10 after run9."""
    found = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")]
    return iter(sorted(found, key=lambda path: (re.sub(r"\d+", "", path.name), _number(path))))


def _number(path: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", path.name)
    return int(digits.group()) if digits else -1, path.name
