"""Surveys of CoCoA: what each side of a chat said of the other, as labels of seats.

A file is `[{chat: {"0": type, "1": type}}, {chat: {"0": answers, "1": answers}}]`, where answers are
filed under the agent that they are *about*; an agent that nobody rated has `{}`. The text "null" is a
question that was not asked (CoCoA itself counts it as 3): it becomes an abstention.

A label does not say who was rated or which chats nobody rated: to write surveys, dialogues must say
who sat where.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.units import seat_unit
from palaver.formats.cocoa.examples import PEOPLE, agent_names, file_id
from palaver.formats.cocoa.shapes import checked
from palaver.formats.found_records import Found, FoundRecord, Mistake, Unconverted
from palaver.formats.line_problems import LineProblems, decode_document

ABSTAINED = "abstained"
_NOT_ASKED = "null"
_SEATS = ("0", "1")

_Types = dict[str, dict[str, str | None]]
_Answers = dict[str, dict[str, dict[str, Any]]]


def find_survey_labels(stream: BinaryIO, name: str) -> Iterator[Found]:
    """The answers of a file, one label each."""
    problems = LineProblems(name)
    raw = decode_document(stream.read(), problems)
    problems.raise_errors()
    if not isinstance(raw, list) or len(raw) != 2:
        raise InputError(f"{name}: Expected two objects in a list: types of agents, and answers.")
    try:
        types, answers = checked(raw[0], _Types), checked(raw[1], _Answers)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    for chat, about in answers.items():
        place = f"{name}: chat {chat}"
        if chat not in types or set(about) - set(_SEATS):
            yield Mistake(place, "The types of its agents 0 and 1 are not in the file.")
        elif not any(about.values()):
            yield Unconverted(place, "a chat that nobody rated")
        for seat in _SEATS if chat in types else ():
            rater_kind = types[chat].get(str(1 - int(seat)))
            for question, answer in about.get(seat, {}).items():
                label = survey_label(chat, int(seat), question, answer, rater_type=rater_kind)
                yield FoundRecord(f"{place}, agent {seat}, '{question}'", label)


def surveys_json(
    labels: Iterable[LabelRecord], dialogues: Iterable[DialogueRecord]
) -> list[dict[str, Any]]:
    """The surveys of these dialogues; InputError for a label of none of them."""
    held = list(dialogues)
    names = {record.id: file_id(record) for record in held}
    types = {names[record.id]: agent_names(record) for record in held}
    answers: dict[str, dict[str, dict[str, Any]]] = {
        chat: {seat: {} for seat in _SEATS} for chat in types
    }
    for label in labels:
        chat, seat = _rated(label, names)
        value = _NOT_ASKED if label.value is None and label.label == ABSTAINED else label.value
        answers[chat][seat][label.question] = value
    return [types, answers]


def survey_label(
    chat: str,
    seat: int,
    question: str,
    answer: Any,
    *,
    rater_type: str | None,
    rater: str | None = None,
) -> LabelRecord:
    """What the partner of a seat said of it; a rater whom nobody names is known by chat and seat."""
    is_system = rater_type is not None and rater_type not in PEOPLE
    not_asked = answer == _NOT_ASKED
    return LabelRecord(
        study="",
        unit=seat_unit(chat, seat).key,
        dialogue=chat,
        source_id=chat,
        seq=None,
        turn=None,
        question=question,
        question_version="",
        purpose="real",
        rater=str(rater_type) if is_system else rater or f"{chat}:{1 - seat}",
        rater_kind="model" if is_system else "person",
        assignment=None,
        shown_order=None,
        value=None if not_asked else answer,
        label=ABSTAINED if not_asked else None,
        seconds=None,
        superseded=False,
        time=0.0,
    )


def _rated(label: LabelRecord, names: Mapping[str, str]) -> tuple[str, str]:
    """The chat and the seat that a label is about."""
    kind, _, place = label.unit.partition(":")
    chat, _, seat = place.rpartition(":")
    if kind != "seat" or seat not in _SEATS:
        raise InputError(
            f"A survey holds labels of seats; got one of '{label.unit}' for '{label.question}'."
        )
    if chat not in names:
        raise InputError(f"The dialogue '{chat}' of a label of '{label.question}' is not given.")
    return names[chat], seat
