"""A study's answers as plain tables: what the statistics read, whoever asks for them.

Each thing that a question measures is a table of one row per unit and rater; each comparative
question is also a table of votes in the columns that arena files use. The commands and the reports
take these where they would take a file.

Answers of different sections of released data never meet: each section has questions of its own
(`quality_likert.dialogue_collection`). Where one section is chosen, its questions go by their plain
names (`quality_likert`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.labels import section_ending
from palaver.core.questions.comparative import FIRST, NEITHER, SECOND, TIE, side_of
from palaver.core.questions.question import Question
from palaver.core.registry import near
from palaver.formats.frames import Frame
from palaver.storage.judging.evidence import (
    Evidence,
    answered_questions,
    count_left_out,
    read_evidence,
)
from palaver.storage.judging.ratings import label_sections
from palaver.storage.judging.speakers import speakers_of_units
from palaver.studies.review.answers import (
    NO_SPEAKERS,
    Facet,
    Speakers,
    coded_answers,
    facets_of,
)

# The column of whose turn was judged; empty where no turn was.
SPEAKER = "speaker"
# A comparative answer in the words of arena files.
WINNER = {FIRST: "model_a", SECOND: "model_b", TIE: "tie", NEITHER: "tie (bothbad)"}
RATING_COLUMNS = ("unit", "rater", "rater_kind", "value", "dialogue", "system", "seconds", SPEAKER)
VOTE_COLUMNS = (
    "unit",
    "model_a",
    "model_b",
    "winner",
    "rater",
    "rater_kind",
    "dialogue",
    "seconds",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One thing that a question measures, and every standing answer about it.

    `ratings` has the columns of `RATING_COLUMNS`; an ordinal value is its place on the `scale`,
    counted from 0. A unit that is a pair has no system.
    """

    question: str
    facet: Facet
    ratings: Frame

    @property
    def name(self) -> str:
        """The question, and the aspect of it if it has several."""
        return f"{self.question}: {self.facet.name}" if self.facet.name else self.question

    @property
    def is_of_turns(self) -> bool:
        """Whether it is about turns, each of which one side spoke."""
        return None not in self.ratings.column(SPEAKER)


def of_turns(things: Iterable[Measured], study: str) -> list[Measured]:
    """Those that are about turns, which have a speaker; InputError if none is."""
    every = list(things)
    found = [thing for thing in every if thing.is_of_turns]
    if not found:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(each.question for each in every))
        raise InputError(
            f"Only answers about turns have a {SPEAKER}; those of the study '{study}' to {names} are "
            "about something else."
        )
    return found


@dataclass(frozen=True, slots=True)
class StudyEvidence:
    """All answers of a study; `votes` by comparative question, in the columns of `VOTE_COLUMNS`."""

    study: str
    measured: tuple[Measured, ...]
    votes: dict[str, Frame]
    # How often a question was passed over, by question and then by system ("" where about none).
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)
    # What the questions have behind their plain names in the store.
    ending: str = ""

    def stored_name(self, question: str) -> str:
        """The name under which a question is stored."""
        return f"{question}{self.ending}"

    def by_plain_name(self, questions: Mapping[str, Question]) -> dict[str, Question]:
        """The questions that these answers are to, by the names that they go by here."""
        return {
            name.removesuffix(self.ending): question
            for name, question in questions.items()
            if name.endswith(self.ending)
        }

    def named(self, question: str) -> list[Measured]:
        """What one question measures."""
        return [each for each in self.measured if each.question == question]


def study_evidence(
    connection: Connection,
    *,
    study_id: int,
    name: str,
    questions: Mapping[str, Question],
    kind: str | None = None,
    sections: Sequence[str] = (),
) -> StudyEvidence:
    """The answers that count, of all raters or of one kind, without those of excluded raters.

    `sections` leaves only those of some sections; InputError where there is no such section.
    """
    check_sections(connection, name, sections)
    ending = section_ending(sections[0]) if len(sections) == 1 else ""
    measured: list[Measured] = []
    votes: dict[str, Frame] = {}
    speakers = speakers_of_units(connection, study_id)
    # One question after the other: what is read takes several times the memory of what is kept.
    for asked in answered_questions(connection, study_id, sections=sections):
        if asked in questions:
            found = read_evidence(
                connection, study_id, kind=kind, question=asked, sections=sections
            )
            plain = asked.removesuffix(ending)
            told = evidence_of(name, {plain: questions[asked]}, {plain: found}, speakers)
            measured += told.measured
            votes |= told.votes
    left_out: dict[str, dict[str, int]] = {}
    if any(not question.required for question in questions.values()):
        for passed in count_left_out(connection, study_id, kind=kind, sections=sections):
            asked = passed.question.removesuffix(ending)
            left_out.setdefault(asked, {})[passed.system or ""] = passed.count
    return StudyEvidence(name, tuple(measured), votes, left_out, ending)


def check_sections(connection: Connection, study: str | None, sections: Sequence[str]) -> None:
    """InputError where no label of a study (or of any) comes from one of these sections."""
    known = label_sections(connection, study) if sections else []
    for section in sections:
        if section not in known:
            where = "These studies have" if study is None else f"The study '{study}' has"
            hint = near(section, known) or f" It has: {', '.join(known)}."
            if not known:
                hint = " Sections are those of released data: see palaver import abc-eval."
            raise InputError(f"{where} no labels of a section '{section}'.{hint}")


def evidence_of(
    study: str,
    questions: Mapping[str, Question],
    answers: Mapping[str, list[Evidence]],
    speakers: Speakers = NO_SPEAKERS,
) -> StudyEvidence:
    """Answers that have been read, by question, as tables; those of unknown questions are left out."""
    measured: list[Measured] = []
    votes: dict[str, Frame] = {}
    for name, found in answers.items():
        question = questions.get(name)
        if question is not None and found:
            measured += _measured(question, name, found, speakers)
            if question.level == "pairwise":
                votes[name] = _votes(name, found)
    return StudyEvidence(study, tuple(measured), votes)


def _measured(
    question: Question, name: str, found: list[Evidence], speakers: Speakers
) -> list[Measured]:
    facets = facets_of(question, [each.rating for each in found], speakers)
    if not facets:
        return []
    # Should two answers of one rater about one unit stand, the newer one is said.
    said = list({(each.rating.unit_id, each.rating.rater_id): each for each in found}.values())
    coded = coded_answers(question, facets, [each.rating for each in said], speakers)
    columns: dict[str, list[Any]] = {
        "unit": [each.unit for each in said],
        "rater": [each.rater for each in said],
        "rater_kind": [each.rater_kind for each in said],
        "value": [],
        "dialogue": [each.dialogue or each.unit for each in said],
        "system": [each.system for each in said],
        "seconds": [each.seconds for each in said],
        SPEAKER: [speakers.get(each.rating.unit_id) for each in said],
    }
    return [
        Measured(name, facet, _of_facet(name, columns, [answer.codes[n] for answer in coded]))
        for n, facet in enumerate(facets)
    ]


def _of_facet(name: str, columns: Mapping[str, list[Any]], codes: list[Any]) -> Frame:
    """The rows that say something of a facet; where all do, its columns are those of the others."""
    frame = Frame(name, {**columns, "value": codes})
    if None not in codes:
        return frame
    return frame.taken([n for n, code in enumerate(codes) if code is not None])


def _votes(name: str, found: list[Evidence]) -> Frame:
    rows = [
        (
            each.unit,
            *each.systems,
            WINNER[side_of(each.rating.value)],
            each.rater,
            each.rater_kind,
            each.unit,
            each.seconds,
        )
        for each in found
        if each.systems is not None and side_of(each.rating.value) in WINNER
    ]
    return _frame(name, VOTE_COLUMNS, rows)


def _frame(name: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Frame:
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    return Frame(name, {column: list(cell) for column, cell in zip(columns, cells, strict=True)})
