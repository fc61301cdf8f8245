"""The data set files of DCH-2 and DialEval: help-desk dialogues with what many annotators said.

A file is a JSON array of `{"id", "turns": [{"sender", "utterances"}], "annotations": [{"nugget":
[one per turn], "quality": {"A", "S", "E"}}]}`; test files have no annotations, and an annotation
may have one of the two tasks alone. Each entry of `annotations` is one annotator, who has no name.

The customer sits at seat 0, the helpdesk at seat 1; an utterance is a message. A turn is a run of
messages of one seat, so two things are marked in an event's data: a turn that follows one of the
same sender (`new_turn`), and a turn in which nothing was said (`no_utterance`).
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from palaver.core.dialogue import IMPORTED, Dialogue, Seat, Turn
from palaver.core.errors import InputError
from palaver.core.events import END, MESSAGE, Event
from palaver.core.questions.turns import role_of
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario

Sender = Literal["customer", "helpdesk"]

# What a turn can be to the solution of the problem, by who speaks.
NUGGETS: dict[Sender, tuple[str, ...]] = {
    "customer": ("CNUG0", "CNUG", "CNUG*", "CNaN"),
    "helpdesk": ("HNUG", "HNUG*", "HNaN"),
}
# Accomplishment, satisfaction, effectiveness.
SCALES = ("A", "S", "E")
POINTS = (2, 1, 0, -1, -2)

_SEATS: dict[Sender, int] = {"customer": 0, "helpdesk": 1}
_NEW_TURN, _NO_UTTERANCE = "new_turn", "no_utterance"


class DchTurn(msgspec.Struct, frozen=True):
    """What one side said before the other spoke."""

    sender: Annotated[Sender, Meta(description="`customer` or `helpdesk`")]
    utterances: Annotated[list[str], Meta(description="what they said, message by message")]


class DchAnnotation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one annotator said of a dialogue; either task may be missing."""

    nugget: Annotated[
        list[str] | None, Meta(description="what each turn is to the solution, turn by turn")
    ] = None
    quality: Annotated[
        dict[str, int] | None,
        Meta(description="`A` accomplishment, `S` satisfaction, `E` effectiveness, each -2 to 2"),
    ] = None


class DchDialogue(msgspec.Struct, frozen=True, omit_defaults=True):
    """One dialogue; `annotations` is None where the file has none."""

    id: Annotated[
        str, Meta(description="your id where the dialogue came from a file, else its key here")
    ]
    turns: Annotated[
        list[DchTurn], Meta(description="what one side said before the other spoke, in order")
    ]
    annotations: Annotated[
        list[DchAnnotation] | None,
        Meta(description="one per rater who answered everything; absent where nobody did"),
    ] = None


_decode = msgspec.json.Decoder(list[DchDialogue]).decode


def read_dch2(content: bytes, *, name: str = "dch2.json") -> list[DchDialogue]:
    """The dialogues of a file; InputError says which one is wrong, and how."""
    try:
        dialogues = _decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name} is not a DCH-2 data set: {error}.") from error
    seen: set[str] = set()
    for dialogue in dialogues:
        if dialogue.id in seen:
            raise InputError(f"{name}: the id '{dialogue.id}' is used twice.")
        seen.add(dialogue.id)
        for number, annotation in enumerate(dialogue.annotations or (), start=1):
            fault = annotation_fault(dialogue.turns, annotation)
            if fault:
                raise InputError(f"{name}: Dialogue '{dialogue.id}', annotation {number}: {fault}")
    return dialogues


def annotation_fault(turns: list[DchTurn], annotation: DchAnnotation) -> str:
    """What is wrong with an annotation of these turns; empty if nothing is."""
    if annotation.nugget is None and annotation.quality is None:
        return "It has neither 'nugget' nor 'quality'."
    nuggets = annotation.nugget
    if nuggets is not None:
        if len(nuggets) != len(turns):
            return f"{len(turns)} turns need one nugget each; got {len(nuggets)}."
        for turn, nugget in zip(turns, nuggets, strict=True):
            if nugget not in NUGGETS[turn.sender]:
                known = ", ".join(NUGGETS[turn.sender])
                return f"A turn of the {turn.sender} takes {known}; got '{nugget}'."
    for scale, point in (annotation.quality or {}).items():
        if scale not in SCALES:
            return f"'quality' has A, S and E; got '{scale}'."
        if point not in POINTS:
            return f"'{scale}' takes -2 to 2; got {point}."
    return ""


def dialogue_record(
    dialogue: DchDialogue, *, study: str, time: float, file: str | None = None
) -> DialogueRecord:
    """A dialogue of a file as a record; everything in it happened at `time`."""
    events = [
        Event(seq=n, seat=seat, action=MESSAGE, data=said, time=time)
        for n, (seat, said) in enumerate(_messages(dialogue.turns), start=1)
    ]
    end = Event(seq=len(events) + 1, seat=None, action=END, data={"reason": IMPORTED}, time=time)
    return DialogueRecord(
        id=dialogue.id,
        source_id=dialogue.id,
        source=file,
        study=study,
        condition="dch2",
        scenario=Scenario(id="dch2"),
        seats=[
            Seat(index=0, kind="person", occupant="customer"),
            Seat(index=1, kind="system", occupant="helpdesk"),
        ],
        events=[*events, end],
        created=time,
        status="ended",
        reason=IMPORTED,
    )


def turns_in(dialogue: Dialogue) -> list[Turn]:
    """The turns as a file counts them: where it told two of one sender apart, they stay apart."""
    turns: list[Turn] = []
    for run in dialogue.turns():
        turns.append(Turn(run.seat, []))
        for event in run.events:
            if turns[-1].events and (event.data or {}).get(_NEW_TURN):
                turns.append(Turn(run.seat, []))
            turns[-1].events.append(event)
    return turns


def dch_turn(dialogue: Dialogue, turn: Turn) -> DchTurn:
    """A turn as a file has it; an erased message is an empty utterance."""
    sender: Sender = "customer" if role_of(dialogue, turn.seat) == "user" else "helpdesk"
    said = [
        event.text
        for event in turn.events
        if event.action == MESSAGE and not (event.data or {}).get(_NO_UTTERANCE)
    ]
    return DchTurn(sender, said)


def _messages(turns: list[DchTurn]) -> Iterator[tuple[int, dict[str, Any]]]:
    before: Sender | None = None
    for turn in turns:
        mark: dict[str, Any] = {_NEW_TURN: True} if turn.sender == before else {}
        for text in turn.utterances:
            yield _SEATS[turn.sender], {"text": text, **mark}
            mark = {}
        if not turn.utterances:
            yield _SEATS[turn.sender], {"text": "", _NO_UTTERANCE: True, **mark}
        before = turn.sender
