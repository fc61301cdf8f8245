"""Finds a built-in question or training set by name.

A question here is written exactly as in a study file. Files are read when one of their entries is
asked for.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).parent
QUESTIONS = HERE / "questions"
TRAINING = HERE / "training"

_ENTRY = re.compile(r"^([A-Za-z][\w-]*):", re.MULTILINE)


def question_names() -> list[str]:
    return sorted(_files_by_question())


def questions_by_file() -> dict[str, list[str]]:
    """The names of the built-in questions, by the file they stand in, in its order."""
    found: dict[str, list[str]] = {}
    for name, file in _files_by_question().items():
        found.setdefault(file.stem, []).append(name)
    return found


def question_entry(name: str) -> dict[str, Any] | None:
    """A built-in question as it would stand in a study file, or None."""
    file = _files_by_question().get(name)
    return None if file is None else _entries(file)[name]


def training_names() -> list[str]:
    return sorted(file.stem for file in TRAINING.glob("*.yaml"))


def training_file(name: str) -> Path | None:
    """The file of a built-in training set, or None."""
    return TRAINING / f"{name}.yaml" if name in training_names() else None


def trained_question(name: str) -> str:
    """The question that a built-in training set teaches."""
    text = (TRAINING / f"{name}.yaml").read_text(encoding="utf-8")
    found = re.search(r"^question:\s*(\S+)", text, re.MULTILINE)
    return found[1] if found else name


@cache
def _files_by_question() -> dict[str, Path]:
    return {
        name: file
        for file in sorted(QUESTIONS.glob("*.yaml"))
        for name in _ENTRY.findall(file.read_text(encoding="utf-8"))
    }


@cache
def _entries(file: Path) -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    return entries
