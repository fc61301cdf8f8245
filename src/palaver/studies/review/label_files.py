"""The labels of an export, read as a study's answers: what was exported can be analysed as it was.

The file of labels is recognised by its columns. What lies beside it under the same ending is read as
well: questions (their levels and labels), dialogues (their systems and people) and raters (who is
left out). Without them, labels are those that occur, and systems are not known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.dialogue import Seat
from palaver.core.errors import InputError
from palaver.core.questions.question import Question
from palaver.core.words import listed
from palaver.formats.frames import Frame, read_frame
from palaver.formats.json_files import read_lines
from palaver.storage.judging.answer_columns import AnswerColumns, AnswerRow
from palaver.storage.judging.ratings import Rating
from palaver.studies.file.questions import build_questions
from palaver.studies.review.answers import PRESENCE, Facet
from palaver.studies.review.evidence import MeasuredFacet, StudyEvidence, evidence_of

LABELS = "labels"
# What no other table has together.
COLUMNS = frozenset(
    {
        "unit",
        "question",
        "question_version",
        "purpose",
        "rater",
        "rater_kind",
        "value",
        "superseded",
    }
)
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class ExportedLabels:
    """The standing answers of an export.

    `about` says what a question judges (dialogue, turn or pair), where it is known. `people` are
    those who held each dialogue, by its key. `missing` are the files that were not beside it.
    """

    study: str
    evidence: StudyEvidence
    by_question: dict[str, list[AnswerRow]]
    about: dict[str, str]
    people: dict[str, set[str]]
    missing: tuple[str, ...] = ()


class _Held(msgspec.Struct):
    """Who sat in a dialogue; what was said is not read."""

    id: str
    seats: list[Seat] = []


_decode_held = msgspec.json.Decoder(_Held).decode


@dataclass(slots=True)
class _Beside:
    """What lies beside a file of labels."""

    questions: dict[str, Question] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)
    systems: dict[str, str | None] = field(default_factory=dict)
    people: dict[str, set[str]] = field(default_factory=dict)
    excluded: set[str] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)


def is_label_export(frame: Frame) -> bool:
    """Whether a table is the labels of an export."""
    return frame.columns.keys() >= COLUMNS


def read_label_export(path: Path, frame: Frame) -> ExportedLabels:
    """The answers of an export that count: real, not replaced, of raters who are not left out."""
    studies = list(dict.fromkeys(each for each in _texts(frame, "study") if each))
    if len(studies) > 1:
        raise InputError(
            f"{frame.name} holds the labels of several studies: {listed(studies, most=10)}. "
            "Export one of them (palaver export PATH --study NAME)."
        )
    beside = _read_beside(path)
    found: dict[str, list[AnswerRow]] = {}
    for question, evidence in _standing(frame, beside):
        found.setdefault(question, []).append(evidence)
    if not found:
        raise InputError(f"{frame.name} holds no answers that count: none is real and has a value.")
    study = studies[0] if studies else path.stem
    known = evidence_of(
        study,
        beside.questions,
        {question: AnswerColumns.of(question, answers) for question, answers in found.items()},
    )
    measured = list(known.measured)
    for question in (each for each in found if each not in beside.questions):
        measured += _inferred(question, found[question])
    return ExportedLabels(
        study,
        StudyEvidence(study, tuple(measured), known.votes),
        found,
        beside.about,
        beside.people,
        tuple(beside.missing),
    )


def _standing(frame: Frame, beside: _Beside) -> Iterator[tuple[str, AnswerRow]]:
    """Each answer that counts, in the order of the file, with its question."""
    cells = {
        name: _texts(frame, name) for name in ("unit", "question", "question_version", "rater")
    }
    kinds, purposes = _texts(frame, "rater_kind"), _texts(frame, "purpose")
    labels, dialogues = _texts(frame, "label"), _texts(frame, "dialogue")
    replaced = _texts(frame, "superseded")
    values = frame.column("value")
    seconds = frame.numbers("seconds") if "seconds" in frame.columns else [None] * len(frame)
    units: dict[str, int] = {}
    raters: dict[str, int] = {}
    for n in range(len(frame)):
        if purposes[n] != "real" or str(replaced[n]).lower() == "true" or values[n] is None:
            continue
        unit, question, rater = (cells[name][n] or "" for name in ("unit", "question", "rater"))
        if rater in beside.excluded:
            continue
        value = _value(values[n], beside.questions.get(question))
        dialogue = dialogues[n]
        sides = _sides(unit)
        systems = [beside.systems.get(side) for side in sides]
        second = seconds[n]
        yield (
            question,
            AnswerRow(
                Rating(
                    question,
                    cells["question_version"][n] or "",
                    units.setdefault(unit, len(units)),
                    raters.setdefault(rater, len(raters)),
                    value,
                    labels[n],
                ),
                unit,
                rater,
                kinds[n] or "",
                None if second is None or second != second else second,
                dialogue,
                None if dialogue is None else beside.systems.get(dialogue),
                (sides[0], sides[1]) if sides else None,
                (systems[0], systems[1]) if sides and all(systems) else None,  # type: ignore[arg-type]
            ),
        )


def _texts(frame: Frame, name: str) -> list[str | None]:
    return frame.texts(name) if name in frame.columns else [None] * len(frame)


def _value(cell: Any, question: Question | None) -> Any:
    """An answer as it was stored; in a table what is not text is JSON."""
    if not isinstance(cell, str):
        return cell
    options = {option.id for option in getattr(question, "options", ())}
    if cell in options:
        return cell
    try:
        return _decode(cell)
    except msgspec.DecodeError:
        return cell


def _sides(unit: str) -> list[str]:
    """The dialogues of the two sides of a pair; none of another unit."""
    if not unit.startswith("pair:"):
        return []
    members = unit.removeprefix("pair:").split("|")
    return [member.split(":")[1] for member in members] if len(members) == 2 else []


def _inferred(question: str, found: list[AnswerRow]) -> list[MeasuredFacet]:
    """What answers say whose question is not here: the labels that occur, or numbers."""
    names = sorted(
        {name for each in found if each.rating.label for name in each.rating.label.split("|")}
        - {"abstained"}
    )
    columns: dict[str, list[Any]] = {
        "unit": [each.unit for each in found],
        "rater": [each.rater for each in found],
        "rater_kind": [each.rater_kind for each in found],
        "dialogue": [each.dialogue or each.unit for each in found],
        "system": [each.system for each in found],
        "seconds": [each.seconds for each in found],
    }
    values = [each.rating.value for each in found]
    if all(isinstance(value, int | float) for value in values):
        facet = Facet("", "interval", (), None, lambda value, labels: value)
        return [MeasuredFacet(question, facet, Frame(question, {**columns, "value": values}))]
    given = [set((each.rating.label or "").split("|")) for each in found]
    return [
        MeasuredFacet(
            question,
            Facet(name, "nominal", PRESENCE, None, lambda value, labels: None),
            Frame(question, {**columns, "value": [name in labels for labels in given]}),
        )
        for name in names
    ]


def _read_beside(path: Path) -> _Beside:
    found = _Beside()
    for name, take in (
        ("questions", _take_questions),
        ("dialogues", _take_dialogues),
        ("raters", _take_raters),
    ):
        file = _sibling(path, name)
        if file is None:
            found.missing.append(name)
        elif name == "dialogues" and file.suffix == ".jsonl":
            _take_lines(file, found)
        else:
            take(read_frame(file), found)
    return found


def _sibling(path: Path, name: str) -> Path | None:
    """The file of the same export that holds something else."""
    if LABELS not in path.name:
        return None
    before, _, after = path.name.rpartition(LABELS)
    file = path.with_name(f"{before}{name}{after}")
    return file if file.is_file() else None


def _take_questions(frame: Frame, found: _Beside) -> None:
    definitions = frame.column("definition")
    for name, about, cell in zip(
        frame.texts("question"), frame.texts("about"), definitions, strict=True
    ):
        try:
            definition = _decode(cell) if isinstance(cell, str) else cell
        except msgspec.DecodeError as error:
            raise InputError(
                f"{frame.name}: the definition of '{name}' is not JSON: {error}. Keep the files of an "
                "export as they were written."
            ) from error
        built = build_questions({str(name): definition}).questions
        found.questions |= built
        found.about[str(name)] = str(about)


def _take_dialogues(frame: Frame, found: _Beside) -> None:
    columns = [_texts(frame, name) for name in ("seat0_kind", "seat0", "seat1_kind", "seat1")]
    for key, *seats in zip(frame.texts("dialogue"), *columns, strict=True):
        _take_seats(str(key), [(seats[0], seats[1]), (seats[2], seats[3])], found)


def _take_lines(file: Path, found: _Beside) -> None:
    with file.open("rb") as stream:
        for _, held in read_lines(stream, _decode_held, name=file.name):
            first = [seat for seat in held.seats if seat.from_seq == 1]
            _take_seats(held.id, [(seat.kind, seat.occupant) for seat in first], found)


def _take_seats(key: str, seats: list[tuple[Any, Any]], found: _Beside) -> None:
    systems = [who for kind, who in seats if kind == "system"]
    people = {who for kind, who in seats if kind == "person" and who}
    # A dialogue of two systems as a whole says nothing about either.
    found.systems[key] = systems[0] if len(systems) == 1 else None
    if people:
        found.people[key] = people


def _take_raters(frame: Frame, found: _Beside) -> None:
    for rater, excluded in zip(frame.texts("rater"), frame.texts("excluded"), strict=True):
        if excluded == "true":
            found.excluded.add(str(rater))


def people_of(found: Mapping[str, set[str]], dialogue: str | None, rater: str) -> bool | None:
    """Whether a rater held a dialogue; None where nobody knows who did."""
    people = found.get(dialogue or "")
    return None if people is None else rater in people
