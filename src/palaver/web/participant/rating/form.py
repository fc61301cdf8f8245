"""Answers on their way to the one door: a rating form, and a message judged while a chat runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from starlette.datastructures import FormData

from palaver.annotation.assignment import Rater
from palaver.annotation.screens import Asking
from palaver.annotation.submission import PasteCount, Submission, read_answer, submit_sheet
from palaver.core.errors import AccessError, AnswerError
from palaver.core.numbers import whole_number
from palaver.core.questions.comparative import is_asked
from palaver.core.questions.question import Fields
from palaver.core.units import event_unit
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.storage.judging.labels import answers_of_visit
from palaver.studies.run import flow
from palaver.studies.run.work import Work, online_askings, rater_of, submission_of
from palaver.studies.stages import ChatStage
from palaver.web.participant.rating.hand_outs import HandOut
from palaver.web.participant.rating.screens import EnteredAnswer
from palaver.web.participant.visit import Visit

MAX_NONCE = 64


@dataclass(frozen=True, slots=True)
class Filled:
    """A form as it came: what is to be stored, and what was entered where something is wrong."""

    submissions: tuple[Submission, ...]
    entries: dict[str, EnteredAnswer]

    @property
    def wrong(self) -> bool:
        return any(entry.error for entry in self.entries.values())


def read_form(
    work: Work,
    handed: HandOut,
    form: FormData,
    *,
    study_id: int,
    version: int | None,
    rater: Rater,
    now: float,
) -> Filled:
    """Read the answers of one screen; what stands already, or is left out going back, is not stored."""
    fields = grouped(form)
    screen = work.screen(handed.number)
    seconds = handed.seconds(work, now)
    each = None if seconds is None else seconds / max(1, len(screen.askings))
    tenths = handed.active
    share = None if tenths is None else tenths / 10 / max(1, len(screen.askings))
    nonce = str(form.get("nonce", ""))[:MAX_NONCE]
    compared = _compared(screen.askings, fields)
    submissions: list[Submission] = []
    entries: dict[str, EnteredAnswer] = {}
    for asking in screen.askings:
        if form.get("go") == "back" and asking.field not in fields:
            continue
        given = fields.get(asking.field, {})
        answer = asking.question.parse(given)
        asked = not asking.question.beside or is_asked(
            asking.question, compared.get(asking.question.beside)
        )
        if not asked and answer is None and not _said_before(work, asking):
            continue
        submission = submission_of(
            work,
            asking,
            answer,
            study_id=study_id,
            version=version,
            rater=rater,
            now=now,
            seconds=each,
            nonce=nonce,
            pastes=pastes_in(given),
            active=share,
        )
        entry = _entry(asking, submission) if asked else _unasked(submission)
        entries[asking.field] = entry
        if not entry.error and not _stands(work, asking, submission, asked=asked):
            submissions.append(submission)
    return Filled(tuple(submissions), entries)


def _compared(
    askings: Sequence[Asking], fields: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, str | None]:
    """What the comparisons of a screen say, by question; None where nothing, or nothing valid."""
    found: dict[str, str | None] = {}
    for asking in askings:
        if asking.question.level == "pairwise":
            answer = asking.question.parse(fields.get(asking.field, {}))
            try:
                value = None if answer is None else asking.question.read(answer, asking.shown)
            except AnswerError:
                value = None
            found[asking.question.name] = value
    return found


def _said_before(work: Work, asking: Asking) -> bool:
    """Whether an answer is stored, so that it must be taken back if it is asked no more."""
    stored = work.answers.get((asking.unit.key, asking.question.name))
    return stored is not None and stored.value is not None


def grouped(form: FormData) -> dict[str, dict[str, list[str]]]:
    """The fields of a form by the question they belong to, then by part."""
    fields: dict[str, dict[str, list[str]]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            base, _, part = name.partition(":")
            fields.setdefault(base, {}).setdefault(part, []).append(value)
    return fields


UNANSWERED = "Please answer this question."
NOT_ASKED = "This is asked only once the comparison says that one is better. Please clear it."
LEFT_OPEN = "Please choose what applies in every step, or tick that none does."


def _entry(asking: Asking, submission: Submission) -> EnteredAnswer:
    if asking.question.left_open(submission.answer):
        return EnteredAnswer(submission.answer, LEFT_OPEN)
    try:
        read_answer(submission)
    except AnswerError as error:
        if submission.answer is None:
            return EnteredAnswer(None, UNANSWERED)
        said = str(error).replace(f"Question '{asking.question.name}'", "This question")
        return EnteredAnswer(submission.answer, f"Please look again. {said}", submission.pastes)
    return EnteredAnswer(submission.answer, pastes=submission.pastes)


def _unasked(submission: Submission) -> EnteredAnswer:
    """A question that the comparison beside it does not open; an answer to it would mean nothing."""
    answered = submission.answer is not None
    return EnteredAnswer(submission.answer, NOT_ASKED if answered else "")


def _stands(work: Work, asking: Asking, submission: Submission, *, asked: bool) -> bool:
    stored = work.answers.get((asking.unit.key, asking.question.name))
    if stored is None:
        return False
    return bool(stored.value == read_answer(submission, asked=asked))


def pastes_in(given: Fields) -> PasteCount | None:
    """What the page counted; None where it has no script, or says what is no count."""
    if "pastes" not in given:
        return None
    times, signs = (whole_number((given.get(part) or ("",))[0]) for part in ("pastes", "pasted"))
    return None if times is None or signs is None else PasteCount(times, signs)


async def answers_so_far(visit: Visit, step: flow.Chatting) -> Mapping[str, Mapping[int, Any]]:
    """What this participant said of messages, by dialogue and the number the page knows."""
    stage = visit.study.definition.stages[step.stage]
    assert isinstance(stage, ChatStage)
    if stage.online is None:
        return {}
    name, assignment_id = stage.online.ask, visit.assignment.id
    question = visit.study.definition.questions[name]
    stored = await visit.deployment.store.read(lambda c: answers_of_visit(c, assignment_id))
    return {
        dialogue.key: {
            dialogue.dialogue.number(event.seq): question.on_form(stored[unit, name].value)
            for event in dialogue.dialogue.events
            if (unit := event_unit(dialogue.key, event.seq).key, name) in stored
        }
        for dialogue in step.dialogues
    }


async def judge_message(visit: Visit, form: FormData) -> None:
    """Store what a participant says of one message of their partner; AnswerError if wrong."""
    stored, asking, answer = await _find(visit, form)
    work = Work(name="online", stage=stored.stage, screens=(), answers={})
    submission = submission_of(
        work,
        asking,
        answer,
        study_id=visit.study.id,
        version=visit.study.version,
        rater=rater_of(visit.assignment),
        now=visit.now,
        seconds=None,
        nonce=str(form.get("nonce", ""))[:64] or f"{visit.now:.6f}",
    )
    if asking.question.required and (answer is None or asking.question.left_open(answer)):
        raise AnswerError("Please choose an answer.")

    def work_on(connection: Connection) -> None:
        submit_sheet(connection, (submission,))

    await visit.write(work_on)


async def _find(visit: Visit, form: FormData) -> tuple[StoredDialogue, Asking, Any]:
    """The message that the fields of a form are about, and the answer in them."""
    fields = grouped(form)
    for stored in await visit.dialogues():
        stage = visit.study.definition.stages[stored.stage]
        if stored.key != form.get("dialogue") or not isinstance(stage, ChatStage):
            continue
        if stage.online is None:
            continue
        question = visit.study.definition.questions[stage.online.ask]
        seat = flow.own_seat(stored, visit.assignment.id)
        for asking in online_askings(question, stored.dialogue, seat):
            if asking.turn is None:
                continue
            # The page knows a message under the number that its seat was told.
            if str(stored.dialogue.number(asking.turn.events[0].seq)) == form.get("seq"):
                return stored, asking, question.parse(fields.get(asking.field, {}))
    raise AccessError("This message is not one of your partner's messages in this chat.")
