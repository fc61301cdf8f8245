"""The runs of a shared task: folders `TEAM/runN` with submission files in them.

A file belongs to a language if its name has the word: `nugget_english_test.json`, `dq-cn.json`. One
without a language stands on a board of its own. What is wrong with a file keeps that file off the
boards, and no other; of two files for one track neither is taken, because nobody can say which was
meant. What lies elsewhere in the folder is listed, so that no submission is lost silently.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.serial import key
from palaver.core.words import listed
from palaver.evaluation.dialeval.gold import CountedGold
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
# Endings of files that may well hold a submission.
_LIKE_SUBMISSIONS = frozenset(
    {".json", ".jsonl", ".zip", ".gz", ".tar", ".tgz", ".7z", ".bz2", ".xz"}
)
# What a folder of runs may hold beside teams.
_BESIDE_TEAMS = ("teams.yaml", "readme", "license")


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
    is_baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedFile:
    """A file with faults; `is_used` where what is right in it was scored all the same."""

    name: str = key("run")
    file: str
    faults: tuple[str, ...]
    is_used: bool = key("used", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrayPath:
    """A file or folder that belongs to no run; `is_suspect` where it may be a lost submission."""

    path: str
    reason: str
    is_suspect: bool = key("suspect", False)


def find_runs(folder: Path) -> list[RunFile]:
    """The files of all runs below `folder`, or below its `runs`; InputError if there is none."""
    root = _root(folder)
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


def find_strays(folder: Path, *, known: Collection[Path] = ()) -> list[StrayPath]:
    """What below `folder` is no file of a run, apart from what is `known` to lie beside the teams."""
    root = _root(folder)
    passed_over = {path.resolve() for path in known}
    found: list[StrayPath] = []
    for path in _visible(root):
        if path.resolve() in passed_over:
            continue
        if path.is_dir():
            found += _strays_of_team(path)
        elif not path.name.lower().startswith(_BESIDE_TEAMS):
            found.append(_stray_file(path, path.name, "lies beside the teams"))
    return found


def _strays_of_team(team: Path) -> list[StrayPath]:
    found: list[StrayPath] = []
    for path in _visible(team):
        place = f"{team.name}/{path.name}"
        if not path.is_dir():
            found.append(_stray_file(path, place, "lies beside the runs of its team"))
        elif _RUN.match(path.name):
            found += _strays_of_run(path, place)
        else:
            reason = "is not a run: its name should be run0, run1 …"
            found.append(StrayPath(path=place, reason=reason, is_suspect=True))
    if not any(path.is_dir() for path in _visible(team)):
        found.append(StrayPath(path=team.name, reason="is a team without a run", is_suspect=True))
    return found


def _strays_of_run(run: Path, place: str) -> list[StrayPath]:
    inside = _visible(run)
    if not any(path.is_file() and path.suffix == ".json" for path in inside):
        reason = "is a run without a JSON file"
        return [StrayPath(path=place, reason=reason, is_suspect=True)]
    return [
        StrayPath(path=f"{place}/{path.name}", reason="is a folder in a run", is_suspect=True)
        if path.is_dir()
        else _stray_file(path, f"{place}/{path.name}", "does not end in .json")
        for path in inside
        if path.is_dir() or path.suffix != ".json"
    ]


def _stray_file(path: Path, place: str, reason: str) -> StrayPath:
    is_suspect = path.suffix.lower() in _LIKE_SUBMISSIONS
    return StrayPath(path=place, reason=reason, is_suspect=is_suspect)


def read_runs(
    files: list[RunFile],
    gold: CountedGold,
    *,
    lenient: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[PredictedRun], list[RejectedFile]]:
    """What the files predict, and what is wrong with them; with `lenient` the rest is used."""
    entrants: list[PredictedRun] = []
    rejected: list[RejectedFile] = []
    read: list[tuple[RunFile, Predictions, str]] = []
    for number, file in enumerate(files):
        if progress:
            progress(number, len(files))
        try:
            language = language_of(file.path.stem)
            predictions = read_predictions(file.path.read_bytes(), gold, name=file.file)
        except InputError as error:
            rejected.append(RejectedFile(name=file.name, file=file.file, faults=(str(error),)))
            continue
        read.append((file, predictions, language))
    tracks = _tracks(read)
    for file, predictions, language in read:
        faults = tuple(str(fault) for fault in predictions.faults)
        twice = _said_twice(file, predictions, language, tracks)
        if faults or twice:
            is_used = lenient and not twice
            rejected.append(
                RejectedFile(
                    name=file.name, file=file.file, faults=(*twice, *faults), is_used=is_used
                )
            )
            if not is_used:
                continue
        entrants += [
            PredictedRun(file.team, file.name, task, language, replace(predictions, tasks=(task,)))
            for task in predictions.tasks
        ]
    order = {file.file: place for place, file in enumerate(files)}
    return entrants, sorted(rejected, key=lambda each: order[each.file])


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


def _tracks(
    read: Sequence[tuple[RunFile, Predictions, str]],
) -> dict[tuple[str, str, str], list[str]]:
    """The names of the files of each run for each task and language."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for file, predictions, language in read:
        for task in predictions.tasks:
            found.setdefault((file.name, task, language), []).append(file.path.name)
    return found


def _said_twice(
    file: RunFile,
    predictions: Predictions,
    language: str,
    tracks: dict[tuple[str, str, str], list[str]],
) -> tuple[str, ...]:
    found = []
    for task in predictions.tasks:
        others = [each for each in tracks[file.name, task, language] if each != file.path.name]
        if others:
            found.append(
                f"{listed(others)} of this run contains {task.upper()} for the same language, too, "
                f"so neither is scored: keep one."
            )
    return tuple(found)


def _root(folder: Path) -> Path:
    inner = folder / "runs"
    return inner if inner.is_dir() else folder


def _visible(folder: Path) -> list[Path]:
    """What lies in a folder, without what systems leave behind."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "__")))


def _folders(root: Path) -> Iterator[Path]:
    """The folders in a folder, run10 after run9."""
    found = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")]
    return iter(sorted(found, key=lambda path: (re.sub(r"\d+", "", path.name), _number(path))))


def _number(path: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", path.name)
    return int(digits.group()) if digits else -1, path.name
