"""The data set files of DCH-2 and DialEval: help-desk dialogues with what many annotators said.

A file is a JSON array, or JSON lines, of `{"id", "turns": [{"sender", "utterances"}],
"annotations": [{"nugget": [one per turn], "quality": {"A", "S", "E"}}]}`; test files have no
annotations, and an annotation may have one of the two tasks alone. Each entry of `annotations` is
one annotator, who has no name. Instead of `annotations` a dialogue may say how many annotators gave
each label: `"nugget": [{"CNUG0": 17, ...}, ...], "quality": {"A": {"-2": 2, ...}, ...}`.

What a task asks about such dialogues (`{"uid", "turns": [{"speaker", "text"}]}`, the questions of a
challenge) is read as a file without annotations.

The customer sits at seat 0, the helpdesk at seat 1; an utterance is a message. A turn is a run of
messages of one seat, so two things are marked in an event's data: a turn that follows one of the
same sender (`new_turn`), and a turn in which nothing was said (`no_utterance`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from palaver.core.dialogue import IMPORTED, NEW_TURN, Dialogue, Seat, Turn
from palaver.core.errors import InputError
from palaver.core.events import END, MESSAGE, Event
from palaver.core.questions.turns import role_of
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.datasets.content import open_content

Sender = Literal["customer", "helpdesk"]

# What a turn can be to the solution of the problem, by who speaks.
NUGGETS: dict[Sender, tuple[str, ...]] = {
    "customer": ("CNUG0", "CNUG", "CNUG*", "CNaN"),
    "helpdesk": ("HNUG", "HNUG*", "HNaN"),
}
# Accomplishment, satisfaction, effectiveness.
SCALES = ("A", "S", "E")
POINTS = (2, 1, 0, -1, -2)
POINT_NAMES = tuple(map(str, POINTS))

_SEATS: dict[Sender, int] = {"customer": 0, "helpdesk": 1}
NO_UTTERANCE = "no_utterance"


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


class DchEntry(DchDialogue, frozen=True, omit_defaults=True):
    """A dialogue of a file; `nugget` and `quality` where it has counts instead of annotations.

    They are numbers of annotators by label, `nugget` turn by turn and `quality` by scale. What may
    stand in them is checked by `entry_fault`, which can name the dialogue.
    """

    nugget: list[dict[str, Any]] | None = None
    quality: dict[str, dict[str, Any]] | None = None

    @property
    def is_counted(self) -> bool:
        """Whether what annotators said is counted, so that nobody can tell who said what."""
        return self.nugget is not None or self.quality is not None


_array = msgspec.json.Decoder(list[DchEntry])
_line = msgspec.json.Decoder(DchEntry)
_PLACE = re.compile(r"`\$\[(\d+)\]")
_ASKED = re.compile(rb'\s*\[?\s*\{\s*"uid"\s*:')


def read_dch2(content: bytes, *, name: str = "dch2.json") -> list[DchEntry]:
    """The dialogues of a file; InputError says which one is wrong, and how."""
    with open_content(content, name) as stream:
        text = stream.read()
    try:
        if _is_asked(text):
            text = msgspec.json.encode([_official(each) for each in _raw(text)])
        entries = _array.decode(text) if _is_array(text) else _line.decode_lines(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        about = _about(text, error)
        raise InputError(f"{name} is not a DCH-2 data set: {about}{error}.") from error
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise InputError(f"{name}: the id '{entry.id}' is used twice.")
        seen.add(entry.id)
        if fault := entry_fault(entry):
            raise InputError(f"{name}: {fault}")
    return entries


def dch_entry(raw: Mapping[str, Any]) -> DchEntry:
    """One dialogue that was decoded already; InputError says what is wrong with it."""
    try:
        entry = msgspec.convert(raw, DchEntry)
    except msgspec.ValidationError as error:
        raise InputError(f"This is not a DCH-2 dialogue: {error}.") from error
    if fault := entry_fault(entry):
        raise InputError(fault)
    return entry


def _is_array(text: bytes) -> bool:
    return text.lstrip()[:1] != b"{"


def _raw(text: bytes) -> list[Any]:
    found: list[Any] = (
        msgspec.json.decode(text) if _is_array(text) else msgspec.json.Decoder().decode_lines(text)
    )
    return found


def _is_asked(text: bytes) -> bool:
    """Whether the first record is a question of a task, which has a `uid`."""
    return _ASKED.match(text) is not None


def _official(asked: Any) -> Any:
    """A question of a task as a file of this format has it; anything else stays as it is."""
    turns = asked.get("turns") if isinstance(asked, dict) else None
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        return asked
    said = [{"sender": turn.get("speaker"), "utterances": [turn.get("text")]} for turn in turns]
    return {"id": str(asked.get("uid")), "turns": said}


def _about(text: bytes, error: Exception) -> str:
    """The dialogue that an error is about, where it says which."""
    found = _PLACE.search(str(error))
    if found is None:
        return ""
    entry = _raw(text)[int(found[1])]
    id_ = entry.get("id") if isinstance(entry, dict) else None
    return f"Dialogue '{id_}': " if isinstance(id_, str) else ""


def entry_fault(entry: DchEntry) -> str:
    """What is wrong with what annotators said of a dialogue; empty if nothing is."""
    if entry.annotations is not None and entry.is_counted:
        return (
            f"Dialogue '{entry.id}' has both 'annotations' and counts ('nugget', 'quality'); "
            "expected one of them."
        )
    for number, annotation in enumerate(entry.annotations or (), start=1):
        if fault := annotation_fault(entry.turns, annotation):
            return f"Dialogue '{entry.id}', annotation {number}: {fault}"
    if entry.is_counted and (fault := _count_fault(entry)):
        return f"Dialogue '{entry.id}': {fault}"
    return ""


def _count_fault(entry: DchEntry) -> str:
    if entry.nugget is not None and len(entry.nugget) != len(entry.turns):
        return (
            f"'nugget' takes the counts of each of its {len(entry.turns)} turns; got "
            f"{len(entry.nugget)}."
        )
    pairs = zip(entry.turns, entry.nugget or (), strict=False)
    for number, (turn, counts) in enumerate(pairs, start=1):
        what = f"turn {number}, of the {turn.sender},"
        if fault := _counts_fault(counts, NUGGETS[turn.sender], what):
            return fault
    for scale, counts in (entry.quality or {}).items():
        if scale not in SCALES:
            return f"'quality' has A, S and E; got '{scale}'."
        if fault := _counts_fault(counts, POINT_NAMES, f"'{scale}'"):
            return fault
    return ""


def _counts_fault(counts: Mapping[str, Any], labels: Sequence[str], what: str) -> str:
    for label, count in counts.items():
        if label not in labels:
            return f"{what} takes counts of {', '.join(labels)}; got '{label}'."
        # A boolean is a whole number to Python.
        if type(count) is not int or count < 0:
            return (
                f"{what} takes how many annotators said '{label}', a whole number from 0; got "
                f"{msgspec.json.encode(count).decode()}."
            )
    if not any(counts.values()):
        return f"{what} has no counts; expected at least one annotator."
    return ""


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


def turns_of(dialogue: Dialogue) -> list[DchTurn]:
    """The turns of a dialogue as a file has them."""
    return [dch_turn(dialogue, turn) for turn in dialogue.turns()]


def dch_turn(dialogue: Dialogue, turn: Turn) -> DchTurn:
    """A turn as a file has it; an erased message is an empty utterance."""
    sender: Sender = "customer" if role_of(dialogue, turn.seat) == "user" else "helpdesk"
    said = [
        event.text
        for event in turn.events
        if event.action == MESSAGE and not (event.data or {}).get(NO_UTTERANCE)
    ]
    return DchTurn(sender, said)


def _messages(turns: list[DchTurn]) -> Iterator[tuple[int, dict[str, Any]]]:
    before: Sender | None = None
    for turn in turns:
        mark: dict[str, Any] = {NEW_TURN: True} if turn.sender == before else {}
        for text in turn.utterances:
            yield _SEATS[turn.sender], {"text": text, **mark}
            mark = {}
        if not turn.utterances:
            yield _SEATS[turn.sender], {"text": "", NO_UTTERANCE: True, **mark}
        before = turn.sender
