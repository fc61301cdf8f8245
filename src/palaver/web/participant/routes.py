"""A participant's pages: one address per visit, which always shows the step they are at."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palaver.collection.pairing import Full, Seated, Seating, SeatSeeker, seat
from palaver.core.errors import AccessError, InputError
from palaver.core.studies.visits import WITHDRAWN
from palaver.storage.people.participants import Assignment
from palaver.storage.people.queue import recent_waits, waiting_since
from palaver.studies.run import flow, participation
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.erasure import erase_live, has_made_data
from palaver.studies.run.freeing import free_stale
from palaver.studies.run.openings import closed_to, without_place
from palaver.studies.run.work import Work
from palaver.studies.run.writing_visit import WritingVisit, writing_visit
from palaver.studies.stages import WriteStage
from palaver.web.lazy import LazyApp
from palaver.web.participant import steps as build
from palaver.web.participant.closed_door import stop_instead, turned_away
from palaver.web.participant.rating import form
from palaver.web.participant.rating.screen_page import chosen_screen, notice_page, shown_page
from palaver.web.participant.rating.work_at_hand import Moved, look
from palaver.web.participant.rooms.writing import WarningPage
from palaver.web.participant.visit import Visit, visit_of
from palaver.web.rendering import Page

NO_PLACE = "No place is free right now. One may become free when somebody stops: try again later."
NO_MORE = (
    "This study has all the votes it needs by now, so there is no other conversation to begin."
)
PARTNER_GONE = "Your partner has left. We find you another one."
# Steps that follow each other by themselves before a page is shown.
TRANSITIONS = 8


async def show_step(request: Request) -> Response:
    """The step this participant is at, whatever it is."""
    return await show_current(request)


async def show_current(request: Request, *, notice: str = "", status: int = 200) -> Response:
    """The page of the current step, after everything that happens by itself has happened."""
    visit = await visit_of(request)
    for _ in range(TRANSITIONS):
        visit.notice = visit.notice or notice
        step = await visit.where()
        if isinstance(step, flow.Advancing):
            if closed := await _closed(visit, step):
                return visit.show(closed, status)
            await visit.change(participation.advance, from_step=step.from_step)
        elif isinstance(step, flow.Ending):
            await visit.change(participation.end, reason=step.reason)
        elif isinstance(step, flow.Seating) and (warning := build.seat_warning(visit, step)):
            return visit.show(warning, status)
        elif isinstance(step, flow.Seating) and step.at_once:
            visit.notice = visit.notice or (PARTNER_GONE if step.reason else "")
            outcome = await _seat(visit, step.stage)
            if isinstance(outcome, Full) and step.reason:
                await visit.change(participation.end, reason=step.reason)
            elif isinstance(outcome, Full) and step.may_pass:
                await visit.change(participation.advance, from_step=visit.assignment.step)
            elif not isinstance(outcome, Seated):
                return await _not_seated(visit, step.stage, outcome)
        elif isinstance(step, flow.Rating | flow.Judging | flow.Training):
            found = await look(visit, step)
            if isinstance(found, Work):
                number = chosen_screen(visit, found)
                page = await notice_page(visit, found, number)
                return visit.show(page or await shown_page(visit, found, number), status)
            if not isinstance(found, Moved):
                return visit.show(found, status)
        else:
            closed = await _closed(visit, step)
            return visit.show(closed or await _step_page(visit, step), status)
        notice = visit.notice
        visit = await visit_of(request)
    raise AccessError("This visit cannot continue. Please report it to the researchers.")


async def consent(request: Request) -> Response:
    """Consent is given or declined."""
    visit = await visit_of(request, changing=True)
    form = await request.form()
    agrees = form.get("consent") == "agree"
    if isinstance(await visit.where(), flow.Consenting):
        await visit.change(participation.consent, agrees=agrees)
    return visit.back()


async def instructed(request: Request) -> Response:
    """The instructions were read."""
    visit = await visit_of(request, changing=True)
    await visit.change(participation.begin)
    return visit.back()


async def start_again(request: Request) -> Response:
    """A dialogue was lost to a limit: find another seat, or stop here."""
    visit = await visit_of(request, changing=True)
    step = await visit.where()
    if not isinstance(step, flow.Seating):
        return visit.back()
    if (await request.form()).get("stop") == "yes" and step.reason:
        await visit.change(participation.end, reason=flow.QUIT)
        return visit.back()
    outcome = await _seat(visit, step.stage)
    if isinstance(outcome, Full) and step.reason:
        visit.notice = NO_MORE if outcome.decided else NO_PLACE
        return visit.show(build.again_page(visit, step))
    if not isinstance(outcome, Seated):
        return await _not_seated(visit, step.stage, outcome)
    return visit.back()


async def warned(request: Request) -> Response:
    """Whoever was warned of what the texts hold goes on to them, or leaves them out at no cost."""
    visit = await visit_of(request, changing=True)
    step = await visit.where()
    if not isinstance(step, flow.Seating | flow.Judging) or not await _is_warned(visit, step):
        return visit.back()
    if (await request.form()).get("go") != "yes":
        await visit.change(participation.leave_out, stage=step.stage)
        return visit.back()
    if isinstance(step, flow.Judging):
        found = await look(visit, step, warned=True)
        return visit.back() if isinstance(found, Work | Moved) else visit.show(found)
    outcome = await _seat(visit, step.stage)
    return (
        visit.back()
        if isinstance(outcome, Seated)
        else await _not_seated(visit, step.stage, outcome)
    )


async def _is_warned(visit: Visit, step: flow.Seating | flow.Judging) -> bool:
    """Whether a warning is what this visit is shown now."""
    if isinstance(step, flow.Seating):
        return build.seat_warning(visit, step) is not None
    return isinstance(await look(visit, step), WarningPage)


async def practised(request: Request) -> Response:
    """A practice round is over: another one, or on to the next step."""
    visit = await visit_of(request, changing=True)
    step = await visit.where()
    if not isinstance(step, flow.Practised):
        return visit.back()
    if (await request.form()).get("more") == "yes":
        await _seat(visit, step.stage)
    else:
        await visit.change(participation.advance, from_step=visit.assignment.step)
    return visit.back()


async def stop_waiting_now(request: Request) -> Response:
    """Leave the waiting room for good; the time waited is recorded."""
    visit = await visit_of(request, changing=request.method == "POST")
    if request.method == "GET":
        return visit.show(build.leave_page(visit, await _waited(visit)))
    await end_waiting(visit.deployment, visit.study, visit.assignment)
    return visit.back()


async def end_waiting(deployment: Deployment, study: RunningStudy, assignment: Assignment) -> None:
    """End a visit in the waiting room."""
    now = deployment.clock.now()
    await deployment.store.write(
        lambda c: participation.stop_waiting(c, study.definition, assignment, now=now)
    )


async def problem(request: Request) -> Response:
    """ "Something is wrong": the form, and what it sends."""
    visit = await visit_of(request, changing=request.method == "POST")
    if request.method == "GET":
        return visit.show(build.problem_page(visit))
    text = str((await request.form()).get("text", ""))
    study_id, assignment, now = visit.study.id, visit.assignment, visit.now
    try:
        await visit.deployment.store.write(
            lambda c: participation.report_problem(c, study_id, assignment, text, now=now)
        )
    except InputError as error:
        return visit.show(build.problem_page(visit, error=str(error)), status=422)
    return visit.show(build.problem_page(visit, sent=True))


async def withdraw(request: Request) -> Response:
    """Withdrawal: what it means, and the erasure itself."""
    visit = await visit_of(request, changing=request.method == "POST")
    made = await has_made_data(visit.deployment, visit.study)
    if request.method == "GET":
        return visit.show(build.withdraw_page(visit, has_made_data=made))
    if (await request.form()).get("confirm") != "yes":
        error = "Tick the box to withdraw. Nothing was erased."
        return visit.show(build.withdraw_page(visit, has_made_data=made, error=error), status=422)
    if visit.assignment.state == WITHDRAWN:
        return visit.back()
    study = visit.study
    await erase_live(
        visit.deployment, study.id, study.definition, [visit.assignment], by="participant"
    )
    return visit.back()


async def _waited(visit: Visit) -> float:
    """How long somebody in the waiting room has been there this time."""
    assignment_id = visit.assignment.id
    since = await visit.deployment.store.read(lambda c: waiting_since(c, assignment_id))
    return 0.0 if since is None else max(0.0, visit.now - since)


async def _is_waiting(visit: Visit) -> bool:
    assignment_id = visit.assignment.id
    return await visit.deployment.store.read(lambda c: waiting_since(c, assignment_id)) is not None


async def _closed(visit: Visit, step: flow.Where) -> Page | None:
    """What somebody reads instead of the first pages when there is nothing left to do."""
    if not isinstance(step, flow.Consenting | flow.Instructing | flow.Advancing):
        return None
    study, assignment = visit.study, visit.assignment
    if assignment.step not in (flow.CONSENT, flow.INSTRUCTIONS):
        return None
    deployment = visit.deployment
    asked = partial(closed_to, study=study, assignment=assignment, now=visit.now)
    closed = await deployment.store.read(asked)
    if closed == "taken" and await free_stale(deployment):
        closed = await deployment.store.read(asked)
    return None if closed is None else await turned_away(visit, closed)


async def _step_page(visit: Visit, step: flow.Where) -> Page:
    if isinstance(step, flow.Done):
        return build.done_page(visit, await _written(visit))
    if not isinstance(step, flow.Chatting):
        return build.step_page(visit, step)
    return build.chat_page(visit, step, await form.answers_so_far(visit, step))


async def _written(visit: Visit) -> WritingVisit | None:
    """How far a visit came that wrote against a model; None where that was no part of it."""
    stages = visit.study.definition.stages
    index = next((n for n, stage in enumerate(stages) if isinstance(stage, WriteStage)), None)
    if index is None or not build.is_known(visit.assignment):
        return None
    stage, held = stages[index], await visit.dialogues()
    assert isinstance(stage, WriteStage)
    return writing_visit(stage, [each for each in held if each.stage == index])


async def _seat(visit: Visit, stage: int) -> Seating:
    """Find a seat; this process then drives the dialogues it made.

    Where others hold all that is left, those who are gone are looked for first.
    """
    found = await find_seat(visit.deployment, visit.study, visit.assignment, stage)
    if isinstance(found, Full) and not found.final and await free_stale(visit.deployment):
        return await find_seat(visit.deployment, visit.study, visit.assignment, stage)
    return found


async def find_seat(
    deployment: Deployment, study: RunningStudy, assignment: Assignment, stage: int
) -> Seating:
    """A seat for an assignment in a chat stage, or what to do instead."""
    plan = study.plans[stage]
    person = SeatSeeker(assignment.id, assignment.participant_id, assignment.key)
    holder, now = deployment.store.holder, deployment.clock.now()
    outcome = await deployment.store.write(lambda c: seat(c, plan, person, holder=holder, now=now))
    if isinstance(outcome, Seated):
        for lease in outcome.leases:
            await deployment.driver.drive(lease)
    return outcome


async def _not_seated(visit: Visit, stage: int, outcome: Seating) -> Response:
    if isinstance(outcome, Full):
        if outcome.final and flow.has_practised(visit.study.definition, stage):
            await visit.change(participation.end, reason="nothing_left")
            return visit.back()
        if outcome.final and await _is_waiting(visit):
            # Whoever waited is paid for it as if nobody had come.
            await end_waiting(visit.deployment, visit.study, visit.assignment)
            return visit.back()
        return visit.show(await turned_away(visit, without_place(outcome)))
    study_id = visit.study.id
    waits = await visit.deployment.store.read(lambda c: recent_waits(c, study_id=study_id))
    return visit.show(build.waiting_page(visit, stage, outcome, waits))


routes = [
    Route("/take/{assignment}", show_step),
    Route("/take/{assignment}/consent", consent, methods=["POST"]),
    Route("/take/{assignment}/start", instructed, methods=["POST"]),
    Route("/take/{assignment}/again", start_again, methods=["POST"]),
    Route("/take/{assignment}/warned", warned, methods=["POST"]),
    Route("/take/{assignment}/practised", practised, methods=["POST"]),
    Route("/take/{assignment}/leave", stop_waiting_now, methods=["GET", "POST"]),
    Route("/take/{assignment}/stop", stop_instead, methods=["POST"]),
    Route("/take/{assignment}/problem", problem, methods=["GET", "POST"]),
    Route("/take/{assignment}/examples", LazyApp("palaver.web.participant.examples:create", None)),
    Route("/take/{assignment}/withdraw", withdraw, methods=["GET", "POST"]),
]
