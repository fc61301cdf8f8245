"""Judgement while a chat runs: one question about each message of the partner."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection
from starlette.datastructures import FormData

from palaver.annotation.screens import Asking
from palaver.annotation.submission import submit_sheet
from palaver.core.errors import AccessError, AnswerError
from palaver.core.units import event_unit
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.storage.judging.labels import answers_of_visit
from palaver.studies.run import flow
from palaver.studies.run.work import Work, online_askings, rater_of, submission_of
from palaver.studies.stages import ChatStage
from palaver.web.participant.rating import grouped
from palaver.web.participant.visit import Visit


async def answers_so_far(visit: Visit, step: flow.Chatting) -> Mapping[str, Mapping[int, Any]]:
    """What this participant said of messages, by dialogue and sequence number."""
    stage = visit.study.definition.stages[step.stage]
    assert isinstance(stage, ChatStage)
    if stage.online is None:
        return {}
    name, assignment_id = stage.online.ask, visit.assignment.id
    stored = await visit.deployment.store.read(lambda c: answers_of_visit(c, assignment_id))
    return {
        dialogue.key: {
            event.seq: stored[unit, name].value
            for event in dialogue.dialogue.events
            if (unit := event_unit(dialogue.key, event.seq).key, name) in stored
        }
        for dialogue in step.dialogues
    }


async def judge_message(visit: Visit, form: FormData) -> None:
    """Store what a participant says of one message of their partner; AnswerError if wrong."""
    stored, asking, answer = await _find(visit, form)
    work = Work(token="online", stage=stored.stage, screens=(), answers={})
    submission = submission_of(
        work,
        asking,
        answer,
        study_id=visit.study.id,
        rater=rater_of(visit.assignment),
        now=visit.now,
        seconds=None,
        nonce=str(form.get("nonce", ""))[:64] or f"{visit.now:.6f}",
    )
    if answer is None and asking.question.required:
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
            if asking.field in fields:
                return stored, asking, question.parse(fields[asking.field])
    raise AccessError("This message is not one of your partner's messages in this chat.")
