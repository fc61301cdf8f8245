"""What pages and the API read of a study: lists, one dialogue, one rater, what was measured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.analysis.behaviour import Flag
from palaver.core.errors import InputError, MissingError
from palaver.core.listings import Slice, Window
from palaver.core.questions.question import Question
from palaver.core.records import PlacedLabel
from palaver.core.registry import near
from palaver.core.studies.dialogues import Choices, DialogueFilter, DialogueHead
from palaver.core.studies.progress import StoredStudy
from palaver.core.studies.raters import (
    ExclusionNote,
    ListedRater,
    QualificationEntry,
    RaterWork,
    StoredRater,
)
from palaver.core.studies.visits import ListedVisit
from palaver.core.units import UnitPlace
from palaver.storage.dialogues import lists
from palaver.storage.dialogues.dialogues import StoredDialogue, load_dialogue
from palaver.storage.judging import evidence, exclusions, ratings
from palaver.storage.judging.tidy import labels_in_place
from palaver.storage.people import rater_work, raters, visits
from palaver.storage.studies import studies
from palaver.studies.file.definition import Study
from palaver.studies.review.measures import StudyMeasures
from palaver.studies.review.progress import StudyProgress, read_progress
from palaver.studies.review.question_overview import QuestionList, RaterFilter
from palaver.studies.review.questions import (
    asked_questions,
    own_questions,
    stored_questions,
)
from palaver.studies.review.raters import RaterList
from palaver.studies.run.deployment import RunningStudy


def find_study(
    connection: Connection, served: Mapping[str, Study], name: str, *, now: float | None = None
) -> StudyProgress:
    """The study of this name with its progress; MissingError if there is none."""
    progress = read_progress(connection, served, name, now=now)
    if not progress:
        known = [study.name for study in studies.list_studies(connection)]
        raise MissingError(f"There is no study '{name}' here.{near(name, known)}")
    return progress[0]


def list_studies(connection: Connection) -> list[StoredStudy]:
    """Every study here, oldest first."""
    return studies.list_studies(connection)


def list_visits(connection: Connection, study_id: int, window: Window) -> Slice[ListedVisit]:
    """A page of the visits to a study with the dialogues of each."""
    return visits.list_visits(connection, study_id, window)


@dataclass(frozen=True, slots=True)
class VisitPage:
    """Some visits, oldest first; pass `next` as `after` to go on. It is null at the end."""

    participants: list[ListedVisit]
    next: int | None


def read_visits(
    connection: Connection, study_id: int, *, after: int, limit: int, shows_panel: bool
) -> VisitPage:
    """The visits to a study behind one; without `shows_panel`, without the panel's names for people."""
    window = Window(size=limit, after=after or None, newest_first=False)
    found = visits.list_visits(connection, study_id, window)
    rows = [each if shows_panel else replace(each, panel_id=None) for each in found.rows]
    return VisitPage(rows, rows[-1].id if rows and found.has_next else None)


def visits_of_person(
    connection: Connection, study_id: int, participant_id: int | None
) -> list[ListedVisit]:
    """The visits of one person to a study, oldest first."""
    return visits.list_visits_of(connection, study_id, participant_id or 0)


# Dialogues


@dataclass(frozen=True, slots=True)
class FoundDialogues:
    """A page of dialogues, and what the filters of the list can be set to."""

    dialogues: Slice[DialogueHead]
    choices: Choices


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueView:
    """One dialogue with all that was said about it, and those beside it."""

    stored: StoredDialogue
    title: str
    earlier: str | None
    later: str | None
    # Those that were seated together, this one included.
    group: list[str]
    labels: list[PlacedLabel]
    # By study and name.
    questions: Mapping[tuple[str, str], Question]


def find_dialogues(
    connection: Connection, wanted: DialogueFilter, window: Window
) -> FoundDialogues:
    """The dialogues that fit a filter."""
    dialogues = lists.list_dialogues(connection, wanted, window)
    choices = lists.read_choices(connection, wanted.study, wanted.use, wanted.only)
    return FoundDialogues(dialogues, choices)


def study_of_dialogue(connection: Connection, key: str) -> str | None:
    """The name of the study that a dialogue belongs to; None if there is no such dialogue."""
    return lists.study_of_dialogue(connection, key)


def get_dialogue(connection: Connection, key: str) -> StoredDialogue:
    """The dialogue called `key`, folded."""
    return load_dialogue(connection, key)


def view_dialogue(
    connection: Connection,
    key: str,
    served: Mapping[str, RunningStudy],
    raters: RaterFilter,
    only: frozenset[str] | None = None,
) -> DialogueView:
    """The dialogue called `key` with the labels of all raters, or of one kind of them.

    `only` are the studies whose labels whoever asks may see.
    """
    stored = load_dialogue(connection, key)
    earlier, later = lists.neighbours(connection, key)
    known = {study.name: study for study in studies.list_studies(connection)}
    labels = [
        label
        for label in labels_in_place(connection, stored.id)
        if raters in ("all", label.rater_kind) and (only is None or label.study in only)
    ]
    return DialogueView(
        stored=stored,
        title=known[stored.study].title,
        earlier=earlier,
        later=later,
        group=lists.siblings(connection, stored.group),
        labels=labels,
        questions={
            (study, name): question
            for study in {label.study for label in labels}
            for name, question in questions_of(served.get(study), known[study]).items()
        },
    )


# Questions


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlaces:
    """Where some units stand, and what was said in the turns among them; by the id of the unit."""

    places: Mapping[int, UnitPlace]
    texts: Mapping[int, str]
    # Of pairs: the system of each side, None where it is not known.
    systems: Mapping[int, tuple[str | None, str | None]]


def questions_of(served: RunningStudy | None, stored: StoredStudy) -> dict[str, Question]:
    """The questions of a study by name: as it is served, else as its stored file has them."""
    if served is not None:
        return dict(served.definition.questions)
    return stored_questions(stored.definition)


def measures_of(
    stored: StoredStudy, definition: Study | None, raters: RaterFilter = "all"
) -> StudyMeasures:
    """The measures of a study's answers; `definition` is its file, where that is here."""
    questions = (
        stored_questions(stored.definition) if definition is None else dict(definition.questions)
    )
    return StudyMeasures(
        study_id=stored.id,
        study=stored.name,
        digest=stored.digest if definition is None else definition.digest,
        questions=questions,
        asked=tuple(questions if definition is None else asked_questions(definition)),
        own=() if definition is None else own_questions(definition),
        raters=raters,
    )


def study_measures(
    connection: Connection, study_id: int, served: RunningStudy | None, raters: RaterFilter = "all"
) -> StudyMeasures:
    """The measures of a study as it is served, else as its stored file has it."""
    stored = studies.study_by_id(connection, study_id)
    return measures_of(stored, None if served is None else served.definition, raters)


def read_questions(
    connection: Connection, study_id: int, served: RunningStudy | None, raters: RaterFilter
) -> QuestionList:
    """The questions of a study, measured by the answers of all raters or of one kind of them."""
    measures = study_measures(connection, study_id, served, raters)
    found = measures.read_questions(connection)
    if found.is_current and found.value is not None:
        return found.value
    return measures.measure_questions(connection)


def judged_units(connection: Connection, ids: list[int]) -> UnitPlaces:
    """Where some units stand and what was said there."""
    places = ratings.unit_places(connection, ids)
    pairs = [id_ for id_, place in places.items() if place.kind == "pair"]
    return UnitPlaces(
        places=places,
        texts=ratings.turn_texts(connection, places),
        systems=evidence.systems_of_pairs(connection, pairs) if pairs else {},
    )


def count_excluded(connection: Connection, study: str) -> int:
    """How many raters the study of this name does not count."""
    return exclusions.count_excluded(connection, study)


# Raters


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterView:
    """One rater across studies: what they did in each, and what is on their record."""

    rater: StoredRater
    work: list[RaterWork]
    # What stands out in how they worked, by study; None where it is yet to be measured.
    flags: Mapping[int, tuple[Flag, ...] | None]
    qualifications: list[QualificationEntry]
    notes: list[ExclusionNote]
    # Every study here, by id.
    studies: Mapping[int, StoredStudy]


@dataclass(frozen=True, slots=True)
class AllRaters:
    """A page of everybody who gave labels, and the studies here, newest first."""

    raters: Slice[ListedRater]
    studies: list[StoredStudy]


def read_raters(
    connection: Connection,
    study_id: int,
    served: RunningStudy | None,
    raters: RaterFilter = "all",
) -> RaterList:
    """The raters of a study, all or one kind of them."""
    measures = study_measures(connection, study_id, served, raters)
    found = measures.read_raters(connection)
    if found.is_current and found.value is not None:
        return found.value
    return measures.measure_raters(connection)


def read_all_raters(connection: Connection, window: Window) -> AllRaters:
    """Everybody who gave labels, a page at a time."""
    found = raters.list_raters(connection, window)
    return AllRaters(found, studies.list_studies(connection)[::-1])


def view_rater(
    connection: Connection,
    key: str,
    served: Mapping[str, RunningStudy],
    only: frozenset[str] | None = None,
) -> RaterView:
    """The rater called `key`; InputError if there is none.

    `only` are the studies that whoever asks may look at: of the others nothing is said.
    """
    rater = rater_work.find_rater(connection, key)
    known = {
        study.id: study
        for study in studies.list_studies(connection)
        if only is None or study.name in only
    }
    work = [
        each
        for each in (rater_work.rater_work(connection, rater_id=rater.id) if rater else ())
        if each.study_id in known
    ]
    if rater is None or (only is not None and not work):
        raise InputError(f"There is no rater '{key}' here.")
    person = rater.participant_id
    entries = [] if person is None else rater_work.entries_of(connection, person)
    notes = exclusions.exclusion_notes(connection, rater_id=rater.id)
    return RaterView(
        rater=rater,
        work=work,
        flags={
            study_id: _flags_of(connection, rater.id, study_id, served.get(known[study_id].name))
            for study_id in (each.study_id for each in work)
        },
        qualifications=[each for each in entries if only is None or each.study_id in known],
        notes=[each for each in notes if only is None or each.study_id in known],
        studies=known,
    )


def _flags_of(
    connection: Connection, rater_id: int, study_id: int, served: RunningStudy | None
) -> tuple[Flag, ...] | None:
    """What stands out in how a rater worked in a study, as the list of its raters has it."""
    found = study_measures(connection, study_id, served).read_raters(connection).value
    if found is None:
        return None
    return next((each.flags for each in found.raters if each.rater_id == rater_id), ())
