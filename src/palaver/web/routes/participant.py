"""A participant's pages: one address per visit, which always shows the step they are at."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from palaver.collection.pairing import Full, Person, Seated, Seating, seat
from palaver.core.errors import AccessError, LinkError
from palaver.core.protocols import Ending
from palaver.storage.dialogues import StoredDialogue, dialogues_of_assignment
from palaver.storage.erasure import erase_assignment
from palaver.storage.participants import (
    WITHDRAWN,
    Assignment,
    add_waiting_time,
    get_assignment,
)
from palaver.storage.problems import report_problem
from palaver.storage.waiting import recent_waits, stop_waiting
from palaver.studies import flow
from palaver.studies.deployment import Deployment, RunningStudy
from palaver.web.participant import steps as build
from palaver.web.participant.rating import read_answers
from palaver.web.participant.visits import read_visit, visit_path
from palaver.web.security import check_csrf

MAX_REPORT = 4000


class Visit:
    """One request of one participant: who they are and where they stand."""

    def __init__(self, request: Request, study: RunningStudy, assignment: Assignment) -> None:
        self.request = request
        self.deployment: Deployment = request.app.state.deployment
        self.study = study
        self.assignment = assignment
        self.now = self.deployment.clock.now()

    @property
    def path(self) -> str:
        """The address of this visit."""
        return visit_path(self.assignment.key)

    def show(self, page: build.AnyPage, status: int = 200) -> Response:
        """A page of this visit."""
        return HTMLResponse(self.request.app.state.renderer.render(page), status_code=status)

    def back(self) -> Response:
        """Back to the address of this visit, which shows the current step."""
        return RedirectResponse(self.path, status_code=303)

    async def dialogues(self) -> list[StoredDialogue]:
        """The dialogues of this visit."""
        assignment_id = self.assignment.id
        return await self.deployment.store.read(lambda c: dialogues_of_assignment(c, assignment_id))

    async def where(self) -> flow.Where:
        """The step this participant is at."""
        return flow.where(self.study.definition, self.assignment, await self.dialogues())


async def _visit(request: Request, *, changing: bool = False) -> Visit:
    """The visit a request belongs to; AccessError if the browser may not act for it."""
    key = request.path_params["assignment"]
    if read_visit(request) != key:
        raise LinkError("This page belongs to somebody else. Open the link you were sent again.")
    if changing:
        await check_csrf(request)
    deployment: Deployment = request.app.state.deployment
    assignment = await deployment.store.read(lambda c: get_assignment(c, key))
    return Visit(request, deployment.study(assignment.study), assignment)


async def show_step(request: Request) -> Response:
    """The step this participant is at, whatever it is."""
    visit = await _visit(request)
    for _ in range(8):
        step = await visit.where()
        if isinstance(step, flow.Advancing):
            await _write(visit, flow.advance, from_step=step.from_step)
        elif isinstance(step, flow.Ending):
            await _write(visit, flow.end, reason=step.reason)
        elif isinstance(step, flow.Seating) and not step.reason:
            outcome = await _seat(visit, step.stage)
            if not isinstance(outcome, Seated):
                return await _not_seated(visit, step.stage, outcome)
        else:
            return visit.show(build.step_page(visit, step))
        visit = await _visit(request)
    raise AccessError("This visit does not come to rest. Please report it to the researchers.")


async def consent(request: Request) -> Response:
    """Consent is given or declined."""
    visit = await _visit(request, changing=True)
    form = await request.form()
    agrees = form.get("consent") == "agree"
    if isinstance(await visit.where(), flow.Consenting):
        await _write(visit, flow.consent, agrees=agrees)
    return visit.back()


async def instructed(request: Request) -> Response:
    """The instructions were read."""
    visit = await _visit(request, changing=True)
    await _write(visit, flow.advance, from_step=flow.INSTRUCTIONS)
    return visit.back()


async def start_again(request: Request) -> Response:
    """A dialogue was lost to a limit: find another seat."""
    visit = await _visit(request, changing=True)
    step = await visit.where()
    if isinstance(step, flow.Seating):
        outcome = await _seat(visit, step.stage)
        if not isinstance(outcome, Seated):
            return await _not_seated(visit, step.stage, outcome)
    return visit.back()


async def rate(request: Request) -> Response:
    """The answers of a rating page arrive."""
    visit = await _visit(request, changing=True)
    step = await visit.where()
    if not isinstance(step, flow.Rating):
        return visit.back()
    errors = await read_answers(visit, step, await request.form())
    if errors:
        return visit.show(build.rate_page(visit, step, errors), status=422)
    await _write(visit, flow.advance, from_step=visit.assignment.step)
    return visit.back()


async def stop_waiting_now(request: Request) -> Response:
    """Leave the waiting room for good; the time waited is recorded."""
    visit = await _visit(request, changing=request.method == "POST")
    if request.method == "GET":
        return visit.show(build.leave_page(visit))
    await end_waiting(visit.deployment, visit.study, visit.assignment)
    return visit.back()


async def end_waiting(deployment: Deployment, study: RunningStudy, assignment: Assignment) -> None:
    """End a visit in the waiting room."""
    now = deployment.clock.now()

    def work(connection: Connection) -> None:
        since = stop_waiting(connection, assignment.id)
        if since is not None:
            add_waiting_time(connection, assignment.id, now - since)
            flow.end(connection, study.definition, assignment, reason="waited", now=now)

    await deployment.store.write(work)


async def problem(request: Request) -> Response:
    """ "Something is wrong": the form, and what it sends."""
    visit = await _visit(request, changing=request.method == "POST")
    if request.method == "GET":
        return visit.show(build.problem_page(visit))
    # PostgreSQL keeps no NUL in a text.
    text = str((await request.form()).get("text", "")).replace("\0", "").strip()
    if not text:
        error = "Please write a few words about what is wrong."
        return visit.show(build.problem_page(visit, error=error), status=422)
    study_id, assignment_id, now = visit.study.id, visit.assignment.id, visit.now
    await visit.deployment.store.write(
        lambda c: report_problem(
            c, study_id=study_id, assignment_id=assignment_id, text=text[:MAX_REPORT], now=now
        )
    )
    return visit.show(build.problem_page(visit, sent=True))


async def withdraw(request: Request) -> Response:
    """Withdrawal: what it means, and the erasure itself."""
    visit = await _visit(request, changing=request.method == "POST")
    if request.method == "GET":
        return visit.show(build.withdraw_page(visit))
    if (await request.form()).get("confirm") != "yes":
        error = "Tick the box to withdraw. Nothing was erased."
        return visit.show(build.withdraw_page(visit, error=error), status=422)
    if visit.assignment.state == WITHDRAWN:
        return visit.back()
    await _end_dialogues(visit)
    assignment, now = visit.assignment, visit.now

    def work(connection: Connection) -> None:
        stop_waiting(connection, assignment.id)
        flow.withdraw(connection, assignment, now=now)
        erase_assignment(connection, assignment.id, now=now)

    await visit.deployment.store.write(work)
    await visit.deployment.store.scrub()
    for dialogue in await visit.dialogues():
        visit.deployment.hub.reload(dialogue.id)
    return visit.back()


async def _end_dialogues(visit: Visit) -> None:
    for stored in await visit.dialogues():
        if not stored.dialogue.is_over:
            room = await visit.deployment.hub.open_by_id(stored.id)
            await room.end(Ending("withdrawn"))


async def _write(visit: Visit, change, **options) -> None:  # type: ignore[no-untyped-def]
    definition, assignment, now = visit.study.definition, visit.assignment, visit.now
    await visit.deployment.store.write(
        lambda c: change(c, definition, assignment, now=now, **options)
    )


async def _seat(visit: Visit, stage: int) -> Seating:
    """Find a seat; this process then drives the dialogues it made."""
    return await find_seat(visit.deployment, visit.study, visit.assignment, stage)


async def find_seat(
    deployment: Deployment, study: RunningStudy, assignment: Assignment, stage: int
) -> Seating:
    """A seat for an assignment in a chat stage, or what to do instead."""
    plan = study.plans[stage]
    person = Person(assignment.id, assignment.participant_id, assignment.key)
    holder, now = deployment.store.holder, deployment.clock.now()
    outcome = await deployment.store.write(lambda c: seat(c, plan, person, holder=holder, now=now))
    if isinstance(outcome, Seated):
        for lease in outcome.leases:
            await deployment.driver.drive(lease)
    return outcome


async def _not_seated(visit: Visit, stage: int, outcome: Seating) -> Response:
    if isinstance(outcome, Full):
        return visit.show(build.full_page(visit, final=outcome.final))
    study_id = visit.study.id
    waits = await visit.deployment.store.read(lambda c: recent_waits(c, study_id=study_id))
    return visit.show(build.waiting_page(visit, stage, outcome, waits))


routes = [
    Route("/take/{assignment}", show_step),
    Route("/take/{assignment}/consent", consent, methods=["POST"]),
    Route("/take/{assignment}/start", instructed, methods=["POST"]),
    Route("/take/{assignment}/again", start_again, methods=["POST"]),
    Route("/take/{assignment}/rate", rate, methods=["POST"]),
    Route("/take/{assignment}/leave", stop_waiting_now, methods=["GET", "POST"]),
    Route("/take/{assignment}/problem", problem, methods=["GET", "POST"]),
    Route("/take/{assignment}/withdraw", withdraw, methods=["GET", "POST"]),
]
