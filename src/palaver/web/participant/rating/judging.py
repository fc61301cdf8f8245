"""Judgement in a visit: what work there is, how its screens look, and what sending one does."""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from sqlalchemy import Connection
from starlette.datastructures import FormData

from palaver.annotation import assignment as handing
from palaver.annotation import screening as training
from palaver.annotation.assignment import Nothing, Rater
from palaver.annotation.kept_answers import Place, mark_sent
from palaver.annotation.plan import RatePlan, ScreenPlan
from palaver.annotation.screening import Full, Screening, Settled
from palaver.annotation.screens import Screen
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import submit_sheet
from palaver.annotation.workload import Workload, workload
from palaver.storage.judging.slot_counts import count_done
from palaver.storage.people.raters import lock_rater
from palaver.studies.run import flow, participation
from palaver.studies.run.openings import closed_to, without_sheet
from palaver.studies.run.work import (
    Work,
    own_work,
    rater_in,
    rater_of,
    sheet_work,
    training_work,
)
from palaver.studies.stages import RateStage, ScreenStage
from palaver.web.participant.pages import DonePage, TrainingPage
from palaver.web.participant.rating import kept
from palaver.web.participant.rating import screens as fill
from palaver.web.participant.rating.form import Filled
from palaver.web.participant.rating.pages import Feedback, Hidden, Practice, RatePage
from palaver.web.participant.rating.screens import Entry, Names
from palaver.web.participant.steps import closed_page, shell
from palaver.web.participant.visit import Visit

Step = flow.Rating | flow.Judging | flow.Training

# What a visit ends with when there is nothing to hand out, by whether anything was done.
ENDINGS = {
    "none_left": "nothing_left",
    "rater_full": "enough",
    "barred": "checked_out",
}


# How long a rater who comes while a file is still taken in waits for the next sheet.
INTAKE_SECONDS = 20.0


class Moved:
    """The visit has gone on: look again."""


MOVED = Moved()
Look = Work | RatePage | TrainingPage | DonePage | Moved


async def look(visit: Visit, step: Step) -> Look:
    """The work in front of this participant, or a page that stands in its place."""
    if isinstance(step, flow.Rating):
        study, assignment = visit.study.definition, visit.assignment
        work = await visit.deployment.store.read(lambda c: own_work(c, study, assignment, step))
        return work if work.screens else await _go_on(visit)
    if isinstance(step, flow.Judging):
        return await _sheet(visit, step)
    return await _practice(visit, step)


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


async def _sheet(visit: Visit, step: flow.Judging) -> Look:
    plan, store, now = visit.study.rates[step.stage], visit.deployment.store, visit.now
    who = rater(visit, plan)
    work = visit.held
    if work is None:
        # Asked first: what is taken in while the store looks for a sheet may not be found there.
        is_all_here = visit.study.taken_in.is_set()
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
        return closed_page(visit, without_sheet(visit.study, plan, nothing))
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
    return _introduction(visit, plan) if closed is None else closed_page(visit, closed)


async def begin_practice(visit: Visit, step: flow.Training) -> DonePage | None:
    """Begin an attempt; a page if no more people are screened."""
    plan, now = visit.study.screens[step.stage], visit.now
    who = rater(visit, plan)
    begun = await visit.write(lambda c: training.begin(c, plan, who, now=now))
    return closed_page(visit, "full") if isinstance(begun, Full) else None


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


# --- One screen -----------------------------------------------------------------------------------


async def shown_page(visit: Visit, work: Work, number: int) -> RatePage:
    """One screen of the work, with what was answered and what is kept of it."""
    draft = await kept.draft_for(visit, work, number)
    entries = kept.entries_of(draft, screen_at(work, number)) if draft.fields else {}
    return await _screen_page(visit, work, number, entries, sent=draft.sent, kept=kept.told(draft))


async def _workload(visit: Visit, work: Work) -> Workload | None:
    """The place of a sheet among those of the visit; None where they are not counted."""
    plan = visit.study.rates.get(work.stage)
    if work.slot_id is None or plan is None or not plan.is_limited:
        return None
    who = rater(visit, plan)
    return await visit.deployment.store.look_up(lambda c: workload(c, plan, who))


async def _screen_page(
    visit: Visit,
    work: Work,
    number: int,
    entered: Mapping[str, Entry],
    *,
    sent: int,
    kept: str = "",
    refused: bool = False,
) -> RatePage:
    """One screen of the work, with what was answered or entered; `sent` counts its sendings."""
    counted = await _workload(visit, work)
    screen = screen_at(work, number)
    names = _names(visit, work)
    feedback = _feedback(work)
    return RatePage(
        shell=shell(visit),
        action=f"{visit.path}/rate",
        conversations=fill.conversations(screen, names, work.answers, entered, feedback),
        asked=fill.whole_questions(screen, names, work.answers, entered),
        title=_title(screen, names),
        hidden=(
            Hidden(name="work", value=work.token),
            Hidden(name="screen", value=str(number)),
            Hidden(name="shown", value=f"{visit.now:.3f}"),
            Hidden(name="nonce", value=secrets.token_hex(8)),
            Hidden(name="kept", value=str(sent)),
        ),
        keep=f"{visit.path}/keep",
        kept=kept,
        refused=refused,
        screen=number + 1,
        screens=len(work.screens),
        position=None if counted is None else counted.position,
        total=None if counted is None else counted.total,
        back=number > 0,
        last=number == len(work.screens) - 1,
        guides=fill.guides(screen),
        guides_open=visit.study.definition.guides == "open",
        instructions=visit.study.definition.instructions or "",
        practice=_practice_state(visit, work),
    )


async def refused_page(
    visit: Visit, work: Work, number: int, filled: Filled, form: FormData
) -> RatePage:
    """The screen again, with what was entered and what is wrong with it."""
    sent = str(form.get("kept", ""))
    count = int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 9 else 0
    return await _screen_page(visit, work, number, filled.entries, sent=count, refused=True)


def screen_at(work: Work, number: int) -> Screen:
    """A screen of the work; while mistakes are mended it asks about the wrong turns only."""
    screen = work.screens[number]
    if work.screening is None or not work.screening.mending:
        return screen
    missed = set(work.screening.mistakes[work.screening.round])
    return replace(
        screen,
        askings=tuple(
            asking
            for asking in screen.askings
            if asking.turn is None or asking.turn.events[0].seq in missed
        ),
    )


def chosen_screen(visit: Visit, work: Work) -> int:
    """The screen that the address asks for, else the first with something to answer."""
    given = visit.request.query_params.get("screen", "")
    if given.isascii() and given.isdecimal() and 1 <= int(given) <= len(work.screens):
        return int(given) - 1
    return work.first_open()


def _names(visit: Visit, work: Work) -> Names:
    study = visit.study.definition
    stage = study.stages[work.stage]
    names = ("Sam", "Alex")
    if isinstance(stage, RateStage):
        names = (stage.speakers.user, stage.speakers.system)
    return Names(*names, work.seats, study.is_rich, work.letters)


def _title(screen: Screen, names: Names) -> str:
    if len(screen.dialogues) == 2:
        return "Compare the two conversations"
    letter = names.letters.get(screen.dialogues[0].id)
    if any(asking.turn is not None for asking in screen.askings):
        return "Judge the marked turns" + (f" of conversation {letter}" if letter else "")
    return f"Judge conversation {letter}" if letter else "Judge this conversation"


def _practice_state(visit: Visit, work: Work) -> Practice | None:
    if work.screening is None:
        return None
    plan, state = visit.study.screens[work.stage], work.screening
    return Practice(
        round=state.round + 1,
        rounds=plan.rounds,
        mending=state.mending,
        left=len(state.wrong),
        counts=state.round + 1 in plan.passing_rounds,
        allowed=plan.mistakes,
    )


def _feedback(work: Work) -> dict[str, Feedback]:
    state = work.screening
    if state is None or not state.mending or state.sheet.truth is None:
        return {}
    wrong = {right.unit for right in state.wrong}
    questions = {a.unit.key: a.question for s in work.screens for a in s.askings}
    return {
        right.unit: Feedback(
            why=right.why,
            right=tuple(map(questions[right.unit].in_words, right.any_of)),
            mended=right.unit not in wrong,
        )
        for right in state.sheet.truth.answers
        if right.unit in questions
    }


# --- Sending --------------------------------------------------------------------------------------


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
    sent: Place | None,
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


def sent_for(work: Work, form: FormData) -> int | None:
    """The screen that a form fills in, or None if it belongs to other work."""
    number = str(form.get("screen", ""))
    if form.get("work") != work.token or not (number.isascii() and number.isdecimal()):
        return None
    return int(number) if int(number) < len(work.screens) else None
