"""The work at hand in a visit: a sheet, a round of practice, one's own conversations.

Where there is none, a page stands in its place, or the visit has moved on.
"""

import asyncio

from palaver.annotation import assignment as handing
from palaver.annotation import screening as training
from palaver.annotation.assignment import Nothing, Rater
from palaver.annotation.plan import RatePlan, ScreenPlan
from palaver.annotation.screening import EnoughScreened, Screening, Settled
from palaver.storage.judging.slot_counts import count_done
from palaver.studies.run import flow, participation
from palaver.studies.run.freeing import free_stale
from palaver.studies.run.openings import closed_to, without_sheet
from palaver.studies.run.work import (
    Work,
    first_warning,
    own_work,
    rater_in,
    rater_of,
    sheet_work,
    training_work,
)
from palaver.studies.stages import ScreenStage
from palaver.web.participant.closed_door import turned_away
from palaver.web.participant.pages import DonePage, TrainingPage
from palaver.web.participant.rooms.writing import WarningPage
from palaver.web.participant.steps import closed_page, shell, warning_page
from palaver.web.participant.visit import Visit

Step = flow.Rating | flow.Judging | flow.Training

# What a visit ends with when there is nothing to hand out, by whether anything was done.
ENDINGS = {
    "none_left": "nothing_left",
    "decided": "nothing_left",
    "rater_full": "enough",
    "barred": "checked_out",
}


# How long a rater who comes while a file is still taken in waits for the next sheet.
INTAKE_SECONDS = 20.0


class Moved:
    """The visit has gone on: look again."""


MOVED = Moved()
Look = Work | TrainingPage | DonePage | WarningPage | Moved


async def look(visit: Visit, step: Step, *, warned: bool = False) -> Look:
    """The work in front of this participant, or a page that stands in its place.

    With `warned` they have read what they should know before the first text, and go on.
    """
    if isinstance(step, flow.Rating):
        study, assignment = visit.study.definition, visit.assignment
        work = await visit.deployment.store.read(lambda c: own_work(c, study, assignment, step))
        return work if work.screens else await _go_on(visit)
    if isinstance(step, flow.Judging):
        return await _sheet(visit, step, warned=warned)
    return await _practice(visit, step)


async def as_it_is(visit: Visit, step: Step) -> Work | None:
    """The work of a visit as it is: nothing is handed out, and nobody is moved on."""
    store = visit.deployment.store
    if isinstance(step, flow.Judging):
        return visit.held
    if isinstance(step, flow.Rating):
        study, assignment = visit.study.definition, visit.assignment
        return await store.read(lambda c: own_work(c, study, assignment, step))
    plan = visit.study.screens[step.stage]
    who = rater(visit, plan)
    running = await store.read(lambda c: training.current(c, plan, who))
    if not isinstance(running, Screening):
        return None
    return await store.read(lambda c: training_work(c, plan, who, running))


async def _go_on(visit: Visit) -> Moved:
    await visit.change(participation.advance, from_step=visit.assignment.step)
    return MOVED


# --- Sheets ---------------------------------------------------------------------------------------


def rater(visit: Visit, plan: RatePlan | ScreenPlan) -> Rater:
    """The rater of a visit in the stage of a plan."""
    return rater_in(visit.study, visit.assignment, plan.stage)


def rater_here(visit: Visit, step: Step) -> Rater:
    """The rater of a visit at the step they are at."""
    if isinstance(step, flow.Judging):
        return rater(visit, visit.study.rates[step.stage])
    return rater_of(visit.assignment)


async def _sheet(visit: Visit, step: flow.Judging, *, warned: bool) -> Look:
    plan, store, now = visit.study.rates[step.stage], visit.deployment.store, visit.now
    who = rater(visit, plan)
    work = visit.held
    if work is None:
        # Asked first: what is taken in while the store looks for a sheet may not be found there.
        is_all_here = visit.study.taken_in.is_set()
        study, assignment = visit.study.definition, visit.assignment
        warning = await store.read(lambda c: first_warning(c, study, assignment, plan.stage))
        if warning and not warned:
            nothing = await store.read(lambda c: handing.foresee(c, plan, who))
            if nothing is not None:
                return await _without_sheet(visit, plan, nothing, is_all_here)
            return warning_page(visit, warning)
        handed = await visit.write(lambda c: handing.hand_out(c, plan, who, now=now))
        if isinstance(handed, Nothing):
            return await _without_sheet(visit, plan, handed, is_all_here)
        work = await store.look_up(lambda c: sheet_work(c, plan, who, handed))
    if work.screens:
        return work
    # Nothing in these dialogues can be asked about; the next sheet may be another matter.
    slot_id = work.slot_id
    assert slot_id is not None
    await visit.write(lambda c: handing.finish(c, plan, who, slot_id, now=now))
    return MOVED


async def _without_sheet(visit: Visit, plan: RatePlan, nothing: Nothing, is_all_here: bool) -> Look:
    if nothing.reason in ("none_left", "taken") and not is_all_here:
        return await _wait_for_intake(visit)
    if nothing.reason == "taken" and await free_stale(visit.deployment):
        return MOVED
    assignment_id = visit.assignment.id
    done = await visit.deployment.store.read(
        lambda c: count_done(c, assignment_id=assignment_id, stage=plan.stage)
    )
    if nothing.reason == "barred":
        await visit.change(participation.end, reason=ENDINGS["barred"])
    elif done or flow.has_chatted(visit.study.definition, plan.stage):
        await _go_on(visit)
    elif nothing.reason not in ENDINGS or not flow.has_practised(
        visit.study.definition, plan.stage
    ):
        return await turned_away(visit, without_sheet(visit.study, plan, nothing))
    else:
        await visit.change(participation.end, reason=ENDINGS[nothing.reason])
    return MOVED


async def _wait_for_intake(visit: Visit) -> Look:
    """Look again once everything that is to be judged is there; a page if that takes long."""
    try:
        async with asyncio.timeout(INTAKE_SECONDS):
            await visit.study.taken_in.wait()
    except TimeoutError:
        return closed_page(visit, "taken")
    return MOVED


# --- Practice -------------------------------------------------------------------------------------


async def _practice(visit: Visit, step: flow.Training) -> Look:
    plan, store = visit.study.screens[step.stage], visit.deployment.store
    who = rater(visit, plan)
    found = await store.read(lambda c: training.current(c, plan, who))
    if isinstance(found, Settled):
        return await _settle(visit, step, found)
    if isinstance(found, Screening):
        running = found
        return await store.read(lambda c: training_work(c, plan, who, running))
    study, assignment = visit.study, visit.assignment
    closed = await store.read(lambda c: closed_to(c, study, assignment, first=step.stage))
    if closed is not None and flow.has_chatted(study.definition, step.stage):
        return await _go_on(visit)
    return _introduction(visit, plan) if closed is None else await turned_away(visit, closed)


async def begin_practice(visit: Visit, step: flow.Training) -> DonePage | None:
    """Begin an attempt; a page if no more people are screened."""
    plan, now = visit.study.screens[step.stage], visit.now
    who = rater(visit, plan)
    begun = await visit.write(lambda c: training.begin(c, plan, who, now=now))
    return await turned_away(visit, "full") if isinstance(begun, EnoughScreened) else None


async def _settle(visit: Visit, step: flow.Training, settled: Settled) -> Look:
    stage = visit.study.definition.stages[step.stage]
    assert isinstance(stage, ScreenStage)
    if settled.again and not settled.passed:
        visit.notice = "That was not enough yet. You may try the practice once more."
        return _introduction(visit, visit.study.screens[step.stage])
    choice = stage.on_pass if settled.passed else stage.on_fail
    if choice == "end":
        await visit.change(participation.end, reason="complete" if settled.passed else "not_passed")
    else:
        await _go_on(visit)
        if settled.passed:
            visit.notice = "You passed the practice. Now it counts."
    return MOVED


def _introduction(visit: Visit, plan: ScreenPlan) -> TrainingPage:
    material = visit.study.trainings[plan.stage].training
    return TrainingPage(
        shell=shell(visit),
        action=f"{visit.path}/practice",
        text=material.introduction,
        rounds=plan.rounds,
        rule=_rule(plan),
        guides=(plan.question,) if plan.question.definition or plan.question.examples else (),
        guides_open=visit.study.definition.guides == "open",
    )


def _rule(plan: ScreenPlan) -> str:
    counted = " and ".join(str(number) for number in plan.passing_rounds)
    noun = "Conversation" if len(plan.passing_rounds) == 1 else "Conversations"
    turns = "one turn" if plan.mistakes == 1 else f"{plan.mistakes or 'no'} turns"
    return f"{noun} {counted} of {plan.rounds} decides: at most {turns} may be wrong."
