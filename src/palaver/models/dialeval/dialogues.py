"""Help-desk dialogues with what shares of their annotators said, read from files without msgspec.

A file is a JSON array or JSON lines, plain or packed with gzip, and has single `annotations` (DCH-2) or
how many annotators gave each label; `formats.dch2` describes both, and reads the same shares. Training
runs in a bare PyTorch environment and reads them here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from palaver.core.errors import InputError
from palaver.models.json_files import json_records

CUSTOMER, HELPDESK = SENDERS = ("customer", "helpdesk")
# What a turn can be to the solution of the problem, by who speaks.
NUGGETS = {CUSTOMER: ("CNUG0", "CNUG", "CNUG*", "CNaN"), HELPDESK: ("HNUG", "HNUG*", "HNaN")}
# Accomplishment, satisfaction, effectiveness; their points in the official order.
SCALES = ("A", "S", "E")
POINTS = ("2", "1", "0", "-1", "-2")

Shares = tuple[float, ...]

# JSON can escape half a character, which can be written to no file.
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class HelpTurn:
    """What one side said before the other spoke."""

    sender: str
    text: str


@dataclass(frozen=True, slots=True)
class HelpDialogue:
    """A dialogue; `nugget` has shares by turn, `quality` by scale, both empty where nobody judged."""

    id: str
    turns: tuple[HelpTurn, ...]
    nugget: tuple[Shares, ...] = ()
    quality: Mapping[str, Shares] = field(default_factory=dict)


def read_labelled(
    paths: Iterable[Path], *, nugget: bool = True, quality: bool = True
) -> list[HelpDialogue]:
    """The dialogues of several files, each once; InputError for one without the labels asked for."""
    found: list[HelpDialogue] = []
    places: dict[str, Path] = {}
    for path in paths:
        for dialogue in read_dialogues(path):
            if dialogue.id in places:
                raise InputError(
                    f"{path}: dialogue '{dialogue.id}' stands in {places[dialogue.id]} already. "
                    "Give each dialogue once."
                )
            places[dialogue.id] = path
            if missing := _missing(dialogue, nugget=nugget, quality=quality):
                raise InputError(
                    f"{path}: dialogue '{dialogue.id}' has {missing}. Expected what annotators "
                    "said: 'annotations', or counts in 'nugget' and 'quality'."
                )
            found.append(dialogue)
    return found


def read_dialogues(path: Path) -> list[HelpDialogue]:
    """The dialogues of a file, with labels or without; InputError says which one is wrong, and how.

    Questions of a task (`uid`, and turns with `speaker` and `text`) do as well.
    """
    found: dict[str, HelpDialogue] = {}
    for number, raw in enumerate(json_records(path, what="a DCH-2 data set"), start=1):
        asked = isinstance(raw, Mapping) and "uid" in raw and "id" not in raw
        id_ = raw.get("uid" if asked else "id") if isinstance(raw, Mapping) else None
        if not _is_text(id_):
            raise InputError(
                f"{path}: entry {number} is no dialogue: expected an object with a text as 'id' and "
                f"its 'turns'; got {raw!r:.60}."
            )
        if id_ in found:
            raise InputError(f"{path}: the id '{id_}' is used twice.")
        try:
            found[id_] = _asked(id_, raw) if asked else _dialogue(id_, raw)
        except ValueError as error:
            raise InputError(f"{path}: dialogue '{id_}': {error}") from None
    if not found:
        raise InputError(f"{path} holds no dialogues.")
    return list(found.values())


def asked_dialogue(question: Mapping[str, Any]) -> HelpDialogue:
    """The dialogue that a question of a task is about; InputError if it has none."""
    id_ = str(question.get("uid", question.get("id", "")))
    try:
        return _asked(id_, question)
    except ValueError as error:
        raise InputError(f"Question '{id_}': {error}") from None


def _asked(id_: str, question: Mapping[str, Any]) -> HelpDialogue:
    return HelpDialogue(id_, _turns(question.get("turns"), sender="speaker"))


def _dialogue(id_: str, raw: Mapping[str, Any]) -> HelpDialogue:
    turns = _turns(raw.get("turns"), sender="sender")
    counted = raw.get("nugget") is not None or raw.get("quality") is not None
    if raw.get("annotations") is not None:
        if counted:
            raise ValueError("has both 'annotations' and counts; expected one of them.")
        nugget, quality = _said(raw["annotations"])
    else:
        nugget, quality = raw.get("nugget") or [], raw.get("quality") or {}
    if not isinstance(nugget, list) or not isinstance(quality, Mapping):
        raise ValueError("'nugget' takes counts turn by turn, 'quality' those of A, S and E.")
    if nugget and len(nugget) != len(turns):
        raise ValueError(f"'nugget' takes one entry per turn, {len(turns)}; got {len(nugget)}.")
    if unknown := sorted(set(map(str, quality)) - set(SCALES)):
        raise ValueError(f"'quality' has A, S and E; got '{unknown[0]}'.")
    return HelpDialogue(
        id=id_,
        turns=turns,
        nugget=tuple(
            _shares(counts, NUGGETS[turn.sender], f"turn {number}, of the {turn.sender},")
            for number, (turn, counts) in enumerate(zip(turns, nugget, strict=False), start=1)
        ),
        quality={
            scale: _shares(quality[scale], POINTS, f"'{scale}'")
            for scale in SCALES
            if scale in quality
        },
    )


def _turns(raw: Any, *, sender: str) -> tuple[HelpTurn, ...]:
    if not isinstance(raw, list) or not raw:
        raise ValueError(f"'turns' is a list of what was said; got {raw!r:.60}.")
    return tuple(_turn(each, number, sender) for number, each in enumerate(raw, start=1))


def _turn(raw: Any, number: int, sender: str) -> HelpTurn:
    who = raw.get(sender) if isinstance(raw, Mapping) else None
    if who not in SENDERS:
        raise ValueError(
            f"turn {number}: '{sender}' is {CUSTOMER} or {HELPDESK}; got "
            f"{who if isinstance(raw, Mapping) else raw!r:.60}."
        )
    said = [raw.get("text")] if sender == "speaker" else raw.get("utterances")
    if not isinstance(said, list) or not all(map(_is_text, said)):
        raise ValueError(f"turn {number}: what was said is text; got {said!r:.60}.")
    return HelpTurn(who, " ".join(said))


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and not _HALVES.search(value)


def _said(annotations: Any) -> tuple[list[Counter[str]], dict[str, Counter[str]]]:
    """How many annotators gave each label; an annotator may have judged one of the two tasks alone."""
    if not isinstance(annotations, list) or not all(isinstance(a, Mapping) for a in annotations):
        raise ValueError(f"'annotations' has an object per annotator; got {annotations!r:.60}.")
    nuggets = [each["nugget"] for each in annotations if each.get("nugget") is not None]
    points = [each["quality"] for each in annotations if each.get("quality") is not None]
    if not all(isinstance(each, list) for each in nuggets):
        raise ValueError("an annotator's 'nugget' is a list, one label per turn.")
    if not all(isinstance(each, Mapping) for each in points):
        raise ValueError("an annotator's 'quality' has a point for A, S and E.")
    if len({len(each) for each in nuggets}) > 1:
        raise ValueError("annotators gave different numbers of nuggets; expected one per turn.")
    names = dict.fromkeys(scale for each in points for scale in each)
    return (
        [Counter(map(str, column)) for column in zip(*nuggets, strict=True)],
        {scale: Counter(str(each[scale]) for each in points if scale in each) for scale in names},
    )


def _shares(counts: Any, labels: Sequence[str], what: str) -> Shares:
    if not isinstance(counts, Mapping):
        raise ValueError(f"{what} takes counts by label; got {counts!r:.60}.")
    for label, count in counts.items():
        if label not in labels:
            raise ValueError(f"{what} takes {', '.join(labels)}; got '{label}'.")
        # A boolean is a whole number to Python.
        if type(count) is not int or count < 0:
            raise ValueError(f"{what} takes whole numbers from 0; '{label}' has {count!r:.60}.")
    total = sum(counts.values())
    if not total:
        raise ValueError(f"{what} has no counts; expected at least one annotator.")
    return tuple(counts.get(label, 0) / total for label in labels)


def _missing(dialogue: HelpDialogue, *, nugget: bool, quality: bool) -> str:
    """What a dialogue lacks of what is to be learnt; empty if nothing."""
    if nugget and not dialogue.nugget:
        return "no nugget labels"
    absent = [scale for scale in SCALES if scale not in dialogue.quality] if quality else []
    return f"no quality labels for {', '.join(absent)}" if absent else ""
