"""Submissions to the DialEval tasks: for each dialogue, what share of the annotators says what.

A file is a JSON array of `{"id", "nugget": [{type: probability} per turn], "quality": {"A": {"2":
probability, …}, "S": …, "E": …}}`; either task may be missing. A label that is left out has the
probability 0, and probabilities need not sum to 1: whoever scores them divides by their sum.

Here a file becomes entries. Whether they fit the dialogues they speak of is for whoever has those.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from palaver.core.errors import InputError
from palaver.core.registry import near

Task = Literal["nd", "dq"]
Shares = dict[str, float]

TASKS: tuple[Task, ...] = ("nd", "dq")
# The key of an entry that holds the answers to a task.
KEYS: dict[Task, str] = {"nd": "nugget", "dq": "quality"}
# How many faults are shown before they are only counted.
SHOWN = 20


class SubmissionEntry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was predicted for one dialogue; either task may be missing."""

    id: str
    nugget: list[Shares] | None = None
    quality: dict[str, Shares] | None = None


@dataclass(frozen=True, slots=True)
class SubmissionFault:
    """One thing wrong with a submission: in which dialogue, at which key, and what."""

    dialogue: str
    key: str
    message: str

    def __str__(self) -> str:
        return f"dialogue '{self.dialogue}', {self.key}: {self.message}"


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a file, and what has the wrong shape and is therefore not in them.

    `broken` names the parts that are there and cannot be read, by dialogue and key.
    """

    entries: list[SubmissionEntry]
    faults: list[SubmissionFault] = field(default_factory=list)
    broken: set[tuple[str, str]] = field(default_factory=set)


def read_entries(content: bytes, *, name: str = "submission.json") -> Entries:
    """The entries of a file; InputError for what is no submission at all."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        found = Entries(_decode(content))
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = _read_slowly(content, name)
    if not found.entries and not found.faults:
        raise InputError(f"{name} is empty; a submission has one entry per dialogue.")
    return found


def raise_faults(name: str, faults: Sequence[SubmissionFault]) -> None:
    """InputError with the faults of the submission `name`, if there is one."""
    if faults:
        count = f"{len(faults)} fault{'' if len(faults) == 1 else 's'}"
        raise InputError(
            f"{name} has {count}:\n{listed(faults)}\nTo score the rest, use --lenient."
        )


def listed(faults: Sequence[SubmissionFault | str]) -> str:
    """The first faults, one per line, and how many more there are."""
    lines = [f"  {fault}" for fault in faults[:SHOWN]]
    if len(faults) > SHOWN:
        lines.append(f"  … and {len(faults) - SHOWN} more.")
    return "\n".join(lines)


_decode = msgspec.json.Decoder(list[SubmissionEntry]).decode


def _read_slowly(content: bytes, name: str) -> Entries:
    """The entries of a file in which something is wrong, each part on its own.

    JSON knows no NaN, and Python writes it all the same: it is read here, and refused by its key.
    """
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON: {error}.") from error
    if not isinstance(raw, list):
        raise InputError(
            f"{name} is not a submission: it should be a list, one entry per dialogue."
        )
    found = Entries([])
    for number, each in enumerate(raw, start=1):
        if isinstance(each, dict) and isinstance(each.get("id"), str):
            found.entries.append(_entry(each, found))
        else:
            message = "an entry is a mapping whose 'id' is a text."
            found.faults.append(SubmissionFault(f"number {number}", "id", message))
    return found


def _entry(raw: dict[str, Any], found: Entries) -> SubmissionEntry:
    """One entry, without the parts that have the wrong shape."""
    dialogue: str = raw["id"]
    known = ("id", *KEYS.values())
    for key in raw:
        if key not in known:
            message = f"an entry has 'id', 'nugget' and 'quality'.{near(key, known)}"
            found.faults.append(SubmissionFault(dialogue, f"'{key}'", message))
    return SubmissionEntry(
        dialogue,
        _nugget(dialogue, raw.get("nugget"), found),
        _quality(dialogue, raw.get("quality"), found),
    )


def _nugget(dialogue: str, raw: Any, found: Entries) -> list[Shares] | None:
    if raw is None:
        return None
    if not isinstance(raw, list):
        found.faults.append(
            SubmissionFault(dialogue, "nugget", "it takes a list, one mapping per turn.")
        )
        found.broken.add((dialogue, "nugget"))
        return None
    turns = [
        _shares(dialogue, f"nugget, turn {number}", each, found)
        for number, each in enumerate(raw, start=1)
    ]
    kept = [turn for turn in turns if turn is not None]
    if len(kept) == len(turns):
        return kept
    found.broken.add((dialogue, "nugget"))
    return None


def _quality(dialogue: str, raw: Any, found: Entries) -> dict[str, Shares] | None:
    if raw is None:
        return None
    if not isinstance(raw, dict):
        found.faults.append(
            SubmissionFault(dialogue, "quality", "it takes a mapping with A, S and E.")
        )
        found.broken.add((dialogue, "quality"))
        return None
    kept: dict[str, Shares] = {}
    for scale, each in raw.items():
        shares = _shares(dialogue, f"quality, '{scale}'", each, found)
        if shares is None:
            found.broken.add((dialogue, scale))
        else:
            kept[scale] = shares
    return kept


def _shares(dialogue: str, key: str, raw: Any, found: Entries) -> Shares | None:
    if not isinstance(raw, dict):
        message = f"it takes a mapping of labels to probabilities; got {raw!r:.40}."
        found.faults.append(SubmissionFault(dialogue, key, message))
        return None
    wrong = [label for label, share in raw.items() if not _is_number(share)]
    for label in wrong:
        message = f"a probability is a number; got {raw[label]!r:.40}."
        found.faults.append(SubmissionFault(dialogue, f"{key}, '{label}'", message))
    return None if wrong else raw


def _is_number(value: Any) -> bool:
    """Whether it is a number of JSON that a float can hold; NaN is refused later, by its key."""
    if isinstance(value, float):
        return True
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**1000
