"""Lines of dialogues to judge that were made for something else: chat messages, and our own export.

Only what was said becomes a turn. Instructions and tool results were never said to anybody, an
erased message is gone, and a private move was not for everybody's eyes.
"""

from typing import Any

import msgspec

from palaver.core.dialogue import Dialogue
from palaver.core.events import messages
from palaver.core.questions.turns import role_of
from palaver.core.records import DialogueRecord, decode_dialogue
from palaver.formats.dialogue_texts import DialogueText, PartRecord, SheetRecord, TurnText
from palaver.formats.json_places import Steps
from palaver.formats.line_problems import FormatProblem, wrong_type
from palaver.formats.turn_lines import SheetLine, name_of, names_of

# What a person's seat is called where nobody in particular sat there.
NOBODY_IN_PARTICULAR = frozenset({"person", "user", "assistant"})
_SPEAKERS = {"user": "user", "assistant": "system"}
_HOUSE = frozenset({"system", "developer", "tool", "function"})


class _Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]] | None = None


_decode_messages = msgspec.json.Decoder(list[_Message]).decode


def read_message_line(line: SheetLine, fallback_id: str) -> SheetRecord:
    """A line of chat messages as a sheet; the assistant is the system."""
    if not isinstance(line.messages, msgspec.Raw):
        raise FormatProblem((), "'messages' is missing.")
    try:
        said = _decode_messages(line.messages)
    except msgspec.ValidationError as error:
        raise wrong_type(error, ("messages",)) from error
    turns = tuple(
        TurnText(_speaker(message, n), text)
        for n, message in enumerate(said)
        if message.role not in _HOUSE and (text := _text(message, n))
    )
    id = name_of(line.id) or fallback_id
    # In an export of ours, `group` says which dialogues one person held together.
    group = "" if line.study is not None else name_of(line.group)
    people = names_of(line.origin) or names_of(line.user)
    return _sheet(
        DialogueText(id=id, turns=turns, system=line.system or ""),
        group=group or id,
        people=people,
        line=line,
        steps=("messages",),
    )


def read_export_line(raw: bytes, line: SheetLine) -> SheetRecord:
    """A line of our `dialogues.jsonl` as a sheet; who took part must not judge it."""
    try:
        record = decode_dialogue(raw)
        dialogue = record.dialogue()
    except msgspec.ValidationError as error:
        raise wrong_type(error) from error
    except ValueError as error:
        raise FormatProblem(("events",), f"The events are out of order: {error}.") from error
    turns = tuple(
        TurnText(role_of(dialogue, event.seat), event.text)
        for event in messages(dialogue.events)
        if event.seat is not None and event.audience is None
    )
    text = DialogueText(
        id=record.id, turns=turns, system=system_in(dialogue), persona=persona_in(dialogue)
    )
    people = people_in(record)
    return _sheet(text, group=record.id, people=people, line=line, steps=("events",))


def people_in(record: DialogueRecord) -> tuple[str, ...]:
    """Whoever took part in a dialogue and must not judge it, where the record says who."""
    return tuple(
        seat.occupant
        for seat in record.seats
        if seat.kind == "person" and seat.occupant not in NOBODY_IN_PARTICULAR
    )


def _sheet(
    text: DialogueText, *, group: str, people: tuple[str, ...], line: SheetLine, steps: Steps
) -> SheetRecord:
    if not text.turns:
        raise FormatProblem(steps, "Nothing was said in this dialogue.")
    ask = None if line.ask is None else tuple(line.ask)
    return SheetRecord(
        id=text.id,
        group=group,
        people=people,
        raters=line.raters,
        parts=(PartRecord(dialogues=(text,), ask=ask, ask_steps=("ask",)),),
    )


def _speaker(message: _Message, n: int) -> str:
    if message.role not in _SPEAKERS:
        known = ", ".join(repr(role) for role in (*_SPEAKERS, *sorted(_HOUSE)))
        raise FormatProblem(
            ("messages", n, "role"),
            f"'role' of message {n + 1} takes {known}; got '{message.role}'.",
        )
    return _SPEAKERS[message.role]


def _text(message: _Message, n: int) -> str:
    if not isinstance(message.content, list):
        return message.content or ""
    texts = [part.get("text") for part in message.content if part.get("type", "text") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise FormatProblem(
            ("messages", n, "content"), f"Message {n + 1} has a text part without 'text'."
        )
    return "".join(str(text) for text in texts)


def system_in(dialogue: Dialogue) -> str:
    """The system that spoke; empty where nobody did but people."""
    systems = [s.occupant for s in dialogue.seats if s.kind == "system"]
    first = [s.occupant for s in dialogue.seats if role_of(dialogue, s.index) == "system"]
    return next((name for name in first if name in systems), "")


def persona_in(dialogue: Dialogue) -> tuple[str, ...]:
    """What the system was told about itself."""
    seats = {seat.index for seat in dialogue.seats}
    seat = next((index for index in sorted(seats) if role_of(dialogue, index) == "system"), 1)
    return dialogue.scenario.persona(seat)
