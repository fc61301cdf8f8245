"""The one door for answers: a participant's page, a model judge and a simulated rater come in here.

A submission carries the question itself. The question reads the answer, on the server; the units
and the rater are stored if they are new; the label is appended. Screening and gold checks stand in
front of this door, never beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import AnswerError, ConflictError, InputError
from palaver.core.labels import Label, Purpose, RaterKind
from palaver.core.questions.question import Question, Shown
from palaver.core.units import Unit
from palaver.storage.labels import (
    StoredLabel,
    append_label,
    ensure_rater,
    ensure_unit,
    find_label,
    get_label,
)
from palaver.storage.store import Store

NOTHING_SHOWN = Shown()


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
    purpose: Purpose = "real"
    client_id: str | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a submission.

    `value` is what was stored (None: an abstention); `repeated` says that it had been stored
    before; `superseded` is the label that this one replaces.
    """

    label_id: int
    value: Any
    repeated: bool
    superseded: int | None


def read_answer(submission: Submission) -> Any:
    """The value to store, None for an abstention; AnswerError if the question does not take it."""
    question, unit = submission.question, submission.unit
    if question.about == "pair" and unit.kind != "pair":
        raise InputError(f"Question '{question.name}' compares two things; '{unit.key}' is one.")
    if not submission.abstain:
        return question.read(submission.answer, submission.shown)
    if question.required:
        raise AnswerError(f"Question '{question.name}' must be answered.")
    if submission.answer is not None:
        raise AnswerError(
            f"Question '{question.name}' was skipped; got the answer {submission.answer!r} as well."
        )
    return None


def submit(connection: Connection, submission: Submission) -> Accepted:
    """Store one answer, or find that it was stored before."""
    value = read_answer(submission)
    rater_id = ensure_rater(
        connection,
        key=submission.rater,
        kind=submission.rater_kind,
        now=submission.time,
        participant_id=submission.participant_id,
    )
    unit_id = _ensure_units(connection, submission)
    first = find_label(connection, rater_id, submission.client_id)
    if first is not None:
        return _repeated(submission, first, unit_id)
    label_id = append_label(
        connection,
        _label(submission, value),
        study_id=submission.study_id,
        unit_id=unit_id,
        rater_id=rater_id,
        assignment_id=submission.assignment_id,
    )
    stored = get_label(connection, label_id)
    return Accepted(label_id, value, False, stored.supersedes if stored else None)


async def submit_answers(store: Store, submissions: Sequence[Submission]) -> list[Accepted]:
    """Store the answers of one form, all or none."""

    def work(connection: Connection) -> list[Accepted]:
        return [submit(connection, submission) for submission in submissions]

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


def _ensure_units(connection: Connection, submission: Submission) -> int:
    unit, members = submission.unit, submission.members
    if members is not None:
        if set(unit.members or ()) != {members[0].key, members[1].key}:
            raise InputError(
                f"The pair '{unit.key}' does not consist of '{members[0].key}' and "
                f"'{members[1].key}'."
            )
        for member in members:
            ensure_unit(connection, submission.study_id, member)
    return ensure_unit(connection, submission.study_id, unit)


def _repeated(submission: Submission, first: StoredLabel, unit_id: int) -> Accepted:
    # Under one client id a second answer would vanish: a page that reuses one is mistaken.
    if (first.unit_id, first.question) != (unit_id, submission.question.name):
        raise InputError(
            f"The id '{submission.client_id}' was used for question '{first.question}'; the answer "
            f"to '{submission.question.name}' needs one of its own."
        )
    return Accepted(first.id, first.value, True, first.supersedes)


def _label(submission: Submission, value: Any) -> Label:
    return Label(
        unit=submission.unit.key,
        question=submission.question.name,
        question_version=submission.question.version,
        rater=submission.rater,
        rater_kind=submission.rater_kind,
        value=value,
        abstained=submission.abstain,
        purpose=submission.purpose,
        shown_order=submission.shown.order,
        label=label_text(submission.question, value),
        slot_id=submission.slot_id,
        seconds=submission.seconds,
        time=submission.time,
        client_id=submission.client_id,
    )
