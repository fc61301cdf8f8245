"""Palaver's own lines of dialogues to judge: one dialogue, a pair, or several of either.

`{"id", "turns": [["user", "Hi"], …]}`, `{"id", "pair": [{…}, {…}]}` or `{"id", "dialogues": [{…}, …]}`,
each with `group`, `origin`, `ask`, `raters` and `notice` where they are needed. A turn is a list
(speaker, text, and in gold files its answers and why) or a mapping (`speaker`, `text`, `answer` or
`any_of`, `why`).
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from palaver.formats.dialogue_texts import (
    DialogueText,
    PartRecord,
    SheetRecord,
    TurnText,
    any_of,
)
from palaver.formats.json_places import Steps
from palaver.formats.line_problems import FormatProblem, wrong_type

Id = str | int | None
Names = str | int | list[str | int] | None


class _TurnObject(msgspec.Struct, gc=False):
    speaker: str
    text: str
    answer: Any = None
    any_of: list[Any] | None = None
    why: str | None = None


class DialogueLine(msgspec.Struct, kw_only=True, gc=False):
    id: Id = None
    turns: Raw
    system: str | None = None
    persona: str | list[str] = []


class PartLine(msgspec.Struct, kw_only=True, gc=False):
    """One dialogue or a pair, with what is asked of it."""

    id: Id = None
    turns: Raw | UnsetType = UNSET
    pair: list[DialogueLine] | UnsetType = UNSET
    system: str | None = None
    persona: str | list[str] = []
    ask: list[str] | None = None
    answers: dict[str, Any] = {}


class SheetLine(PartLine, kw_only=True, gc=False):
    """A whole line; what other formats have in theirs is only noticed here."""

    dialogues: list[PartLine] | UnsetType = UNSET
    group: Id = None
    origin: Names = None
    raters: int | None = None
    notice: str = ""
    study: Any = None
    user: Any = None
    # The keys by which other formats are recognised.
    data: Raw | UnsetType = UNSET
    dialogue_id: Raw | UnsetType = UNSET
    messages: Raw | UnsetType = UNSET
    events: Raw | UnsetType = UNSET


_decode_lists = msgspec.json.Decoder(tuple[TurnText, ...]).decode
_decode_objects = msgspec.json.Decoder(list[_TurnObject]).decode


def read_turn_line(line: SheetLine, fallback_id: str) -> SheetRecord:
    id = name_of(line.id) or fallback_id
    if line.dialogues is UNSET:
        parts: tuple[PartRecord, ...] = (_part(line, id, ()),)
    elif not line.dialogues:
        raise FormatProblem(("dialogues",), "'dialogues' is empty.")
    else:
        parts = tuple(
            _part(part, name_of(part.id) or f"{id}-{n + 1}", ("dialogues", n), ask=line.ask)
            for n, part in enumerate(line.dialogues)
        )
    return SheetRecord(
        id=id,
        group=name_of(line.group) or id,
        people=names_of(line.origin),
        raters=line.raters,
        notice=line.notice.strip(),
        parts=parts,
    )


def _part(line: PartLine, id: str, steps: Steps, *, ask: Sequence[str] | None = None) -> PartRecord:
    dialogues = _dialogues(line, id, steps)
    asked, asked_at = (ask, ()) if line.ask is None else (line.ask, steps)
    return PartRecord(
        dialogues=dialogues,
        ask=None if asked is None else tuple(asked),
        answers=line.answers,
        steps=steps,
        ask_steps=(*asked_at, "ask"),
    )


def _dialogues(line: PartLine, id: str, steps: Steps) -> tuple[DialogueText, ...]:
    if line.turns is not UNSET:
        return (_text(line, line.turns, id, steps),)
    if line.pair is UNSET:
        raise FormatProblem(steps, "A part has neither 'turns' nor 'pair'.")
    if len(line.pair) != 2:
        raise FormatProblem(
            (*steps, "pair"), f"'pair' takes two dialogues to compare; got {len(line.pair)}."
        )
    return tuple(
        _text(side, side.turns, name_of(side.id) or f"{id}-{n + 1}", (*steps, "pair", n))
        for n, side in enumerate(line.pair)
    )


def _text(line: DialogueLine | PartLine, turns: Raw, id: str, steps: Steps) -> DialogueText:
    inside = (*steps, "turns")
    return DialogueText(
        id=id,
        turns=read_turns(turns, inside),
        system=line.system or "",
        persona=(line.persona,) if isinstance(line.persona, str) else tuple(line.persona),
        steps=inside,
    )


def read_turns(raw: Raw, steps: Steps) -> tuple[TurnText, ...]:
    """The turns of a dialogue; FormatProblem where one has another shape."""
    try:
        if bytes(memoryview(raw)[1:40]).lstrip()[:1] == b"{":
            turns = tuple(_from_object(turn) for turn in _decode_objects(raw))
        else:
            turns = _decode_lists(raw)
    except msgspec.ValidationError as error:
        raise wrong_type(error, steps) from error
    if not turns:
        raise FormatProblem(steps, "'turns' is empty.")
    return turns


def _from_object(turn: _TurnObject) -> TurnText:
    answers = turn.answer if turn.any_of is None else any_of(turn.any_of)
    return TurnText(turn.speaker, turn.text, answers, turn.why)


def name_of(given: Id) -> str:
    """An id as text; empty where there is none."""
    return "" if given is None else str(given)


def names_of(given: Names) -> tuple[str, ...]:
    """One id or several as texts, each once."""
    if given is None or given == "":
        return ()
    listed = given if isinstance(given, list) else [given]
    return tuple(dict.fromkeys(str(name) for name in listed if name not in (None, "")))
