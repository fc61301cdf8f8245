"""Screens that are sent: their answers are stored, and what follows from them happens."""

from dataclasses import replace
from functools import partial

from sqlalchemy import Connection

from palaver.annotation import assignment as handing
from palaver.annotation import screening as training
from palaver.annotation.kept_answers import ScreenPlace, mark_sent
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import submit_sheet
from palaver.storage.people.raters import lock_rater
from palaver.studies.run import flow, participation
from palaver.studies.run.work import Work
from palaver.web.participant.rating import kept
from palaver.web.participant.rating.form import Filled
from palaver.web.participant.rating.work_at_hand import Step, rater
from palaver.web.participant.visit import Visit


async def send(visit: Visit, step: Step, work: Work, number: int, filled: Filled) -> str:
    """Store the answers of one screen and do what follows; the query of the next address."""
    last = number == len(work.screens) - 1
    finishing = last and not work.open_besides(number)
    if finishing and isinstance(step, flow.Judging):
        plan = visit.study.rates[step.stage]
        assert work.slot_id is not None
        who = rater(visit, plan)
        await visit.write(SentSheet(plan, who, work.slot_id, filled.submissions, visit.now))
    else:
        place = kept.place_of(visit, work, number)
        await visit.write(partial(_store, visit, step, work, filled, finishing, place))
    return "" if last else f"?screen={number + 2}"


async def keep(visit: Visit, step: Step, work: Work, number: int, filled: Filled) -> str:
    """Store what a screen that is being left for the one before holds so far; its query."""
    given = replace(filled, submissions=tuple(s for s in filled.submissions if not s.abstain))
    await visit.write(partial(_store, visit, step, work, given, False, None))
    return f"?screen={max(1, number)}"


def _store(
    visit: Visit,
    step: Step,
    work: Work,
    filled: Filled,
    finishing: bool,
    sent: ScreenPlace | None,
    connection: Connection,
) -> None:
    """Store answers; of the screen that was `sent` nothing is kept any more."""
    now = visit.now
    # A save of the same screen in another process comes before this, or sees that it was sent.
    lock_rater(connection, visit.assignment.participant_id)
    submit_sheet(connection, filled.submissions)
    if sent is not None:
        mark_sent(connection, sent, now=now)
    if isinstance(step, flow.Judging):
        assert work.slot_id is not None
        who = rater(visit, visit.study.rates[step.stage])
        handing.touch(connection, who, work.slot_id, now=now)
    elif isinstance(step, flow.Training):
        screens = visit.study.screens[step.stage]
        if finishing:
            training.finish_round(connection, screens, rater(visit, screens), now=now)
    elif finishing and visit.assignment.step == f"stage:{step.stage}" and not step.online:
        participation.advance(
            connection,
            visit.study.definition,
            visit.assignment,
            from_step=visit.assignment.step,
            now=now,
        )
