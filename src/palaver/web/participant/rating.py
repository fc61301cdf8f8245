"""A rating form on its way to the one door for answers."""

from dataclasses import dataclass

from starlette.datastructures import FormData

from palaver.annotation.assignment import Rater
from palaver.annotation.screens import Asking, Screen
from palaver.annotation.submission import Submission, read_answer
from palaver.core.errors import AnswerError
from palaver.studies.run.work import Work, submission_of
from palaver.web.participant.screens import Entry

# A page left open over lunch says nothing about how long an answer took.
LONGEST_SECONDS = 7200.0
MAX_NONCE = 64


@dataclass(frozen=True, slots=True)
class Filled:
    """A form as it came: what is to be stored, and what was entered where something is wrong."""

    submissions: tuple[Submission, ...]
    entries: dict[str, Entry]

    @property
    def wrong(self) -> bool:
        """Whether anything must be looked at again."""
        return any(entry.error for entry in self.entries.values())


def read_form(
    work: Work, screen: Screen, form: FormData, *, study_id: int, rater: Rater, now: float
) -> Filled:
    """Read the answers of one screen; an answer that stands already is not stored again."""
    fields = grouped(form)
    seconds = _seconds(now, form)
    each = None if seconds is None else seconds / max(1, len(screen.askings))
    nonce = str(form.get("nonce", ""))[:MAX_NONCE]
    submissions: list[Submission] = []
    entries: dict[str, Entry] = {}
    for asking in screen.askings:
        answer = asking.question.parse(fields.get(asking.field, {}))
        submission = submission_of(
            work,
            asking,
            answer,
            study_id=study_id,
            rater=rater,
            now=now,
            seconds=each,
            nonce=nonce,
        )
        entries[asking.field] = entry = _entry(asking, submission)
        if not entry.error and not _stands(work, asking, submission):
            submissions.append(submission)
    return Filled(tuple(submissions), entries)


def grouped(form: FormData) -> dict[str, dict[str, list[str]]]:
    """The fields of a form by the question they belong to, then by part."""
    fields: dict[str, dict[str, list[str]]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            base, _, part = name.partition(":")
            fields.setdefault(base, {}).setdefault(part, []).append(value)
    return fields


def _entry(asking: Asking, submission: Submission) -> Entry:
    try:
        read_answer(submission)
    except AnswerError as error:
        if submission.answer is None:
            return Entry(None, "Please answer this question.")
        said = str(error).replace(f"Question '{asking.question.name}'", "This question")
        return Entry(submission.answer, f"Please look again. {said}")
    return Entry(submission.answer)


def _stands(work: Work, asking: Asking, submission: Submission) -> bool:
    stored = work.answers.get((asking.unit.key, asking.question.name))
    if stored is None:
        return False
    return bool(stored.value == read_answer(submission))


def _seconds(now: float, form: FormData) -> float | None:
    try:
        seconds = now - float(str(form.get("shown", "")))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_SECONDS else None
