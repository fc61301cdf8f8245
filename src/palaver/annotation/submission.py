"""The one door for answers: a participant's page, a model judge and a simulated rater come in here.

A submission carries the question itself. The question reads the answer, on the server; the units
and the rater are stored if they are new; the label is appended. Screening and gold checks stand in
front of this door, never beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Connection

from palaver.core.errors import AnswerError, ConflictError, InputError
from palaver.core.labels import Label, Purpose, RaterKind
from palaver.core.questions.comparative import is_asked
from palaver.core.questions.question import Question, Shown
from palaver.core.units import Unit
from palaver.storage.engine.store import Store
from palaver.storage.judging.labels import NewLabel, StoredLabel, append_labels, standing_value
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import NewRater, ensure_raters

NOTHING_SHOWN = Shown()
# Nobody pastes more often into one answer; a page that says so is not believed.
MOST_PASTES = 1000


class PasteCount(NamedTuple):
    """How often something was pasted into an answer, and how many characters, as a page says."""

    times: int
    characters: int

    def within(self, text: str) -> "PasteCount":
        """What can be true of this text: a page may say anything, and nothing depends on it."""
        times = min(max(0, self.times), MOST_PASTES)
        return PasteCount(times, min(max(0, self.characters), len(text)) if times else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One answer as it arrives, or an abstention (`abstain` is true and there is no answer).

    `answer` is what the page sent; `shown` is how the server laid the page out. `members` are the
    two units of a pair. `client_id` names this answer among the rater's: the same one again is
    answered with the first result. `slot_id` is the place at a sheet under which it was given.
    """

    study_id: int
    question: Question
    unit: Unit
    rater: str
    rater_kind: RaterKind
    time: float
    answer: Any = None
    abstain: bool = False
    members: tuple[Unit, Unit] | None = None
    participant_id: int | None = None
    assignment_id: int | None = None
    slot_id: int | None = None
    shown: Shown = NOTHING_SHOWN
    seconds: float | None = None
    # Of a text; None where the page did not count.
    pastes: PasteCount | None = None
    # As a page says; None where it did not.
    active: float | None = None
    purpose: Purpose = "real"
    client_id: str | None = None
    # Of the file that its study is served with.
    study_version: int | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a label: its id, what was stored, and what it replaces.

    `value` is None for an abstention; `repeated` says that it had been sent before and nothing was
    stored again; `superseded` is the label that this one replaces.
    """

    id: int
    value: Any
    repeated: bool
    superseded: int | None


def read_answer(submission: Submission, *, asked: bool = True) -> Any:
    """The value to store, None for an abstention; AnswerError if the question does not take it.

    What was not `asked` may be left out, required or not.
    """
    question, unit = submission.question, submission.unit
    if question.about == "pair" and unit.kind != "pair":
        raise InputError(f"Question '{question.name}' compares two things; '{unit.key}' is one.")
    if not submission.abstain:
        return question.read(submission.answer, submission.shown)
    if question.required and asked:
        raise AnswerError(f"Question '{question.name}' must be answered.")
    if submission.answer is not None:
        raise AnswerError(
            f"Question '{question.name}' was skipped; got the answer {submission.answer!r} as well."
        )
    return None


def submit(connection: Connection, submission: Submission) -> Accepted:
    """Store one answer, or find that it was stored before."""
    return submit_sheet(connection, [submission])[0]


def submit_sheet(connection: Connection, submissions: Sequence[Submission]) -> list[Accepted]:
    """Store the answers of one screen with few statements, or find that they were stored before."""
    if not submissions:
        return []
    values = _values(connection, submissions)
    rater_ids = ensure_raters(connection, map(_rater, submissions))
    unit_ids = {
        study_id: ensure_units(
            connection,
            study_id,
            chain.from_iterable(
                _units(submission) for submission in submissions if submission.study_id == study_id
            ),
        )
        for study_id in {submission.study_id for submission in submissions}
    }
    questions = {id(submission.question): submission.question for submission in submissions}
    versions = {number: question.version for number, question in questions.items()}
    new = [
        NewLabel(
            _label(submission, value, versions[id(submission.question)]),
            submission.study_id,
            unit_ids[submission.study_id][submission.unit.key],
            rater_ids[submission.rater],
            submission.assignment_id,
        )
        for submission, value in zip(submissions, values, strict=True)
    ]
    stored = append_labels(connection, new)
    return [_accepted(*each) for each in zip(submissions, new, stored, strict=True)]


async def submit_answers(store: Store, submissions: Sequence[Submission]) -> list[Accepted]:
    """Store the answers of one form, all or none."""

    def work(connection: Connection) -> list[Accepted]:
        return submit_sheet(connection, submissions)

    try:
        return await store.write(work)
    except ConflictError:
        # Another process stored the same unit, rater or answer in between; now it will be found.
        return await store.write(work)


def label_text(question: Question, value: Any) -> str | None:
    """What a value means: its labels joined by a bar; None where it speaks for itself."""
    if value is None:
        return None
    given = question.labels(value)
    return "|".join(given) if given or question.label_names else None


def _values(connection: Connection, submissions: Sequence[Submission]) -> list[Any]:
    """The values to store; AnswerError where one stands beside a comparison that does not allow it."""
    if not any(submission.question.beside for submission in submissions):
        return [read_answer(submission) for submission in submissions]
    given = {
        (each.rater, each.unit.key, each.purpose, each.question.name): read_answer(each)
        for each in submissions
        if not each.question.beside
    }
    return [
        read_answer(each, asked=_is_asked(connection, each, given))
        if each.question.beside
        else given[each.rater, each.unit.key, each.purpose, each.question.name]
        for each in submissions
    ]


def _is_asked(
    connection: Connection,
    submission: Submission,
    given: Mapping[tuple[str, str, Purpose, str], Any],
) -> bool:
    """Whether a question beside a comparison is asked, as that stands; AnswerError if it is open."""
    question, unit = submission.question, submission.unit.key
    key = (submission.rater, unit, submission.purpose, question.beside)
    compared = (
        given[key]
        if key in given
        else standing_value(
            connection,
            study_id=submission.study_id,
            rater=submission.rater,
            unit=unit,
            question=question.beside,
            purpose=submission.purpose,
        )
    )
    if compared is None:
        raise AnswerError(
            f"Question '{question.name}' stands beside '{question.beside}', which has no answer "
            "here. Answer that first."
        )
    asked = is_asked(question, compared)
    if not asked and not submission.abstain:
        raise AnswerError(
            f"Question '{question.name}' is about the better or the worse of two; "
            f"'{question.beside}' was answered with '{compared}', so leave it out."
        )
    return asked


def _rater(submission: Submission) -> NewRater:
    return NewRater(
        submission.rater, submission.rater_kind, submission.time, submission.participant_id
    )


def _units(submission: Submission) -> tuple[Unit, ...]:
    unit, members = submission.unit, submission.members
    if members is None:
        return (unit,)
    if set(unit.members or ()) != {members[0].key, members[1].key}:
        raise InputError(
            f"The pair '{unit.key}' does not consist of '{members[0].key}' and '{members[1].key}'."
        )
    return (*members, unit)


def _accepted(submission: Submission, new: NewLabel, stored: StoredLabel) -> Accepted:
    # Under one client id a second answer would vanish: a page that reuses one is mistaken.
    if (stored.unit_id, stored.question) != (new.unit_id, new.label.question):
        raise InputError(
            f"The id '{submission.client_id}' was used for question '{stored.question}'; the "
            f"answer to '{submission.question.name}' needs one of its own."
        )
    return Accepted(stored.id, stored.value, stored.repeated, stored.supersedes)


def _label(submission: Submission, value: Any, version: str) -> Label:
    said = submission.pastes if submission.question.level == "text" else None
    counted = None if said is None or value is None else said.within(value)
    return Label(
        unit=submission.unit.key,
        question=submission.question.name,
        question_version=version,
        rater=submission.rater,
        rater_kind=submission.rater_kind,
        value=value,
        abstained=submission.abstain,
        purpose=submission.purpose,
        shown_order=submission.shown.order,
        label=label_text(submission.question, value),
        slot_id=submission.slot_id,
        seconds=submission.seconds,
        pastes=None if counted is None else counted.times,
        pasted=None if counted is None else counted.characters,
        active=_active(submission),
        time=submission.time,
        client_id=submission.client_id,
        study_version=submission.study_version,
    )


def _active(submission: Submission) -> float | None:
    """The seconds in use that can be true: none below 0, and no more than the answer took."""
    if submission.active is None or submission.seconds is None:
        return None
    return min(max(0.0, submission.active), submission.seconds)
