"""A rating form on its way to the one door for answers."""

from typing import Any, Protocol

from starlette.datastructures import FormData

from palaver.annotation.submission import Submission, read_answer, submit_answers
from palaver.core.errors import AnswerError
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Shown
from palaver.core.units import dialogue_unit, pair_unit
from palaver.studies import flow
from palaver.studies.deployment import Deployment
from palaver.web.participant.steps import Visiting, questions_of

# A page left open over lunch says nothing about how long an answer took.
LONGEST_SECONDS = 7200.0


class RatingVisit(Visiting, Protocol):
    """A visit whose answers are to be stored."""

    deployment: Deployment


async def read_answers(
    visit: RatingVisit, step: flow.Rating, form: FormData
) -> dict[str, tuple[str, str]]:
    """Store the answers of a form; if one is wrong, nothing is, and what is wrong comes back."""
    submissions = [
        _submission(visit, step, question, form)
        for question in questions_of(visit.study, step.stage)
    ]
    errors: dict[str, tuple[str, str]] = {}
    for submission in submissions:
        try:
            read_answer(submission)
        except AnswerError:
            given = str(form.get(f"answer-{submission.question.name}", ""))
            errors[submission.question.name] = (given, "Please choose one of the answers.")
    if errors:
        chosen = {s.question.name: (str(s.answer or ""), "") for s in submissions}
        return chosen | errors
    await submit_answers(visit.deployment.store, submissions)
    return {}


def _submission(visit: RatingVisit, step: flow.Rating, question: Any, form: FormData) -> Submission:
    a, b = (dialogue_unit(stored.key) for stored in step.dialogues)
    pair = pair_unit(a, b)
    answer = form.get(f"answer-{question.name}")
    return Submission(
        study_id=visit.study.id,
        question=question,
        unit=pair,
        members=(a, b),
        rater=visit.assignment.alias,
        rater_kind="person",
        participant_id=visit.assignment.participant_id,
        assignment_id=visit.assignment.id,
        answer=answer,
        abstain=answer is None and not question.required,
        # People compare their own two conversations in the order they held them, under the letters
        # they know; which system came first was drawn by lot when they were seated.
        shown=Shown(order=SIDES if pair.members == (a.key, b.key) else SIDES[::-1]),
        seconds=_seconds(visit.now, form),
        client_id=f"{visit.assignment.key}:{step.stage}:{question.name}",
        time=visit.now,
    )


def _seconds(now: float, form: FormData) -> float | None:
    try:
        seconds = now - float(str(form.get("shown", "")))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_SECONDS else None
