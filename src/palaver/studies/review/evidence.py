"""A study's answers as plain tables: what the statistics read, whoever asks for them.

Each thing that a question measures is a table of one row per unit and rater; each comparative
question is also a table of votes in the columns that arena files use. The commands and the reports
take these where they would take a file.

Answers of different sections of released data never meet: each section has questions of its own
(`quality_likert.dialogue_collection`). Where one section is chosen, its questions go by their plain
names (`quality_likert`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from palaver.analysis.agreement import has_twins
from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.labels import section_ending
from palaver.core.numeric import np
from palaver.core.questions.comparative import FIRST, NEITHER, SECOND, TIE, side_of
from palaver.core.questions.question import Question
from palaver.core.registry import near
from palaver.formats.frames import Frame
from palaver.storage.judging.answer_columns import (
    AnswerColumns,
    judged_units,
    judging_raters,
    read_answers,
)
from palaver.storage.judging.evidence import answered_questions, count_left_out
from palaver.storage.judging.ratings import label_sections, read_value
from palaver.storage.judging.speakers import speakers_of_units
from palaver.studies.review.answers import (
    MEASURED,
    NO_SPEAKERS,
    Facet,
    Speakers,
    codes_of,
    facets_of,
    speakers_apart,
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


# Whether the answers to a question are wanted, by the name that it goes by.
Asked = Callable[[str, Question], bool]


@dataclass(frozen=True, slots=True)
class MeasuredFacet:
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


def of_turns(things: Iterable[MeasuredFacet], study: str) -> list[MeasuredFacet]:
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
    measured: tuple[MeasuredFacet, ...]
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

    def named(self, question: str) -> list[MeasuredFacet]:
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
    asked: Asked | None = None,
    columns: Collection[str] = RATING_COLUMNS,
) -> StudyEvidence:
    """The answers that count, of all raters or of one kind, without those of excluded raters.

    `sections` leaves only those of some sections; InputError where there is no such section. `asked`
    leaves those to some questions, and `columns` some columns of ratings: what is not wanted need not
    be looked up. Without any there are votes alone, and without systems no votes.
    """
    check_sections(connection, name, sections)
    ending = section_ending(sections[0]) if len(sections) == 1 else ""
    measured: list[MeasuredFacet] = []
    votes: dict[str, Frame] = {}
    wanted = [
        each
        for each in answered_questions(connection, study_id, sections=sections)
        if each in questions
        and (asked is None or asked(each.removesuffix(ending), questions[each]))
    ]
    with_speakers = any(
        questions[each].about == "turn" and (SPEAKER in columns or speakers_apart(questions[each]))
        for each in wanted
    )
    with_systems = not columns or "system" in columns
    speakers = speakers_of_units(connection, study_id) if with_speakers else NO_SPEAKERS
    units = judged_units(connection, study_id, with_systems=with_systems)
    raters = judging_raters(connection)
    # One question after the other: what is read takes several times the memory of what is kept.
    for each in wanted:
        found = read_answers(
            connection, study_id, each, units=units, raters=raters, kind=kind, sections=sections
        )
        plain = each.removesuffix(ending)
        told = evidence_of(
            name, {plain: questions[each]}, {plain: found}, speakers, columns=columns
        )
        measured += told.measured
        votes |= told.votes
    left_out: dict[str, dict[str, int]] = {}
    if any(not question.required for question in questions.values()):
        for passed in count_left_out(connection, study_id, kind=kind, sections=sections):
            plain = passed.question.removesuffix(ending)
            left_out.setdefault(plain, {})[passed.system or ""] = passed.count
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
    answers: Mapping[str, AnswerColumns],
    speakers: Speakers = NO_SPEAKERS,
    *,
    columns: Collection[str] = RATING_COLUMNS,
) -> StudyEvidence:
    """Answers that have been read, by question, as tables; those of unknown questions are left out."""
    measured: list[MeasuredFacet] = []
    votes: dict[str, Frame] = {}
    for name, found in answers.items():
        question = questions.get(name)
        if question is not None and len(found):
            if columns:
                measured += _measured(question, name, found, speakers, columns)
            if question.level == "pairwise" and (not columns or "system" in columns):
                votes[name] = _votes(name, found)
    return StudyEvidence(study, tuple(measured), votes)


def _measured(
    question: Question,
    name: str,
    found: AnswerColumns,
    speakers: Speakers,
    wanted: Collection[str],
) -> list[MeasuredFacet]:
    if question.level not in MEASURED:
        return []
    # The same few answers come again and again: each is read once.
    kinds = _kinds(found, speakers)
    first = dict(zip(reversed(kinds), reversed(range(len(kinds))), strict=True))
    distinct = {kind: found.rating(row) for kind, row in reversed(first.items())}
    facets = facets_of(question, list(distinct.values()), speakers)
    if not facets:
        return []
    codes = {
        kind: codes_of(question, facets, rating, speakers) for kind, rating in distinct.items()
    }
    # Should two answers of one rater about one unit stand, the newer one is said.
    if has_twins(encode(np.array(found.unit_ids)), encode(np.array(found.rater_ids))):
        pairs = zip(found.unit_ids, found.rater_ids, strict=True)
        rows = list(dict(zip(pairs, range(len(found)), strict=True)).values())
        found, kinds = found.taken(rows), [kinds[row] for row in rows]
    columns = _rating_columns(found, speakers, wanted)
    return [
        MeasuredFacet(name, facet, _of_facet(name, columns, list(map(of_kind.__getitem__, kinds))))
        for n, facet in enumerate(facets)
        for of_kind in [{kind: said[n] for kind, said in codes.items()}]
    ]


def _rating_columns(
    found: AnswerColumns, speakers: Speakers, wanted: Collection[str]
) -> dict[str, list[Any]]:
    """The columns of ratings that are wanted, each value still to come."""
    made: dict[str, Callable[[], list[Any]]] = {
        "unit": lambda: found.of_units(lambda unit: unit.key),
        "rater": lambda: found.of_raters(lambda rater: rater.key),
        "rater_kind": lambda: found.of_raters(lambda rater: rater.kind),
        "value": list,
        "dialogue": lambda: found.of_units(lambda unit: unit.dialogue or unit.key),
        "system": lambda: found.of_units(lambda unit: unit.system),
        "seconds": lambda: found.seconds,
        SPEAKER: lambda: list(map(speakers.get, found.unit_ids)),
    }
    return {name: make() for name, make in made.items() if name in wanted}


def _kinds(found: AnswerColumns, speakers: Speakers) -> list[tuple[Any, ...]]:
    """What tells answers apart that say something else: their wording, value, label and speaker."""
    cells = [found.versions, found.values, found.labels]
    if speakers:
        cells.append(list(map(speakers.get, found.unit_ids)))
    return list(zip(*cells, strict=True))


def _of_facet(name: str, columns: Mapping[str, list[Any]], codes: list[Any]) -> Frame:
    """The rows that say something of a facet; where all do, its columns are those of the others."""
    frame = Frame(name, {**columns, "value": codes})
    if None not in codes:
        return frame
    return frame.taken([n for n, code in enumerate(codes) if code is not None])


def _votes(name: str, found: AnswerColumns) -> Frame:
    winners = {text: WINNER.get(side_of(read_value(text))) for text in set(found.values)}
    winner = list(map(winners.__getitem__, found.values))
    systems: list[Any] = found.of_units(lambda unit: unit.systems)
    if None in winner or None in systems:
        rows = [n for n, both in enumerate(systems) if both is not None and winner[n] is not None]
        found = found.taken(rows)
        winner, systems = [winner[n] for n in rows], [systems[n] for n in rows]
    units = found.of_units(lambda unit: unit.key)
    return Frame(
        name,
        {
            "unit": units,
            "model_a": [one for one, _ in systems],
            "model_b": [other for _, other in systems],
            "winner": winner,
            "rater": found.of_raters(lambda rater: rater.key),
            "rater_kind": found.of_raters(lambda rater: rater.kind),
            "dialogue": units,
            "seconds": found.seconds,
        },
    )
