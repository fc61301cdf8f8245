"""Arriving at a study: a signed link, a panel's parameters, or a preview without either."""

from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from palaver.core.errors import ExpiredLinkError, InputError, LinkError, RevokedLinkError
from palaver.core.studies.visits import FINISHED
from palaver.crowds.links import Visitor, read_holder
from palaver.storage.people.participants import Assignment, get_assignment
from palaver.studies.run.arrival import Arrived, CodeAsked, Door, Entered, find_visit
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.dues import Owed, owed, way_back
from palaver.studies.run.erasure import erase_live, has_made_data, withdrawal_reason
from palaver.studies.run.participation import sent_by_panel
from palaver.web.participant import previews
from palaver.web.participant.pages import (
    DonePage,
    ExpiredPage,
    MessagePage,
    ReturnPage,
    WithdrawPage,
)
from palaver.web.participant.visit import (
    arrival_path,
    held_visit,
    keep_sent,
    start_visit,
    visit_path,
)
from palaver.web.rendering import show
from palaver.web.security import check_csrf, csrf_token
from palaver.web.shell import Shell

# What a form of the page that asks for a return code sends.
RETURN_CODE = "return_code"


async def arrive(request: Request) -> Response:
    """Let somebody in, ask for the return code, or show a preview in which nothing is stored."""
    study = _study(request)
    try:
        visitor = await _visitor(request, study)
    except ExpiredLinkError as error:
        return await _show_expired(request, study, error)
    except RevokedLinkError as error:
        revoked = MessagePage(shell=_shell(request, study), kind="revoked", detail=str(error))
        return show(request, revoked, 403)
    if visitor is None:
        page = previews.page(study.definition, request.query_params.get("step", ""))
        return show(request, page)
    arrived = await _door(request).enter(study, visitor, holds=held_visit(request))
    return _answer(request, study, visitor, arrived)


async def come_back(request: Request) -> Response:
    """A return code was typed, or a button of a preview was pressed, which stores nothing."""
    study, code = _study(request), (await request.form()).get(RETURN_CODE)
    if code is None:
        step = urlencode({"step": request.query_params.get("step", "")})
        return RedirectResponse(f"{arrival_path(study.name)}?{step}", status_code=303)
    await check_csrf(request)
    visitor = await _visitor(request, study)
    if visitor is None:
        return RedirectResponse(arrival_path(study.name), status_code=303)
    arrived = await _door(request).enter(study, visitor, holds=held_visit(request), code=str(code))
    return _answer(request, study, visitor, arrived)


async def withdraw(request: Request) -> Response:
    """Withdrawal by a signed link, however old: it opens nothing else."""
    study, deployment = _study(request), _deployment(request)
    token = request.query_params.get("link", "")
    visit = await _visit_of_link(deployment, study, token)
    if visit is None:
        raise LinkError("Nothing is kept under this link. There is nothing to withdraw.")
    asked = WithdrawPage(
        shell=_shell(request, study),
        action=_withdrawal(study, token),
        back_url=f"{arrival_path(study.name)}?{urlencode({'link': token})}",
        owed=_owed(study, visit, withdrawal_reason(visit)),
        study=study.definition,
        has_made_data=await has_made_data(deployment, study),
    )
    if request.method == "GET":
        return show(request, asked)
    await check_csrf(request)
    if deployment.store.read_only:
        raise InputError("This is a read-only copy. Nothing can be changed in it.")
    if (await request.form()).get("confirm") != "yes":
        return show(request, asked.with_error("Tick the box to withdraw. Nothing was erased."), 422)
    await erase_live(deployment, study.id, study.definition, [visit], by="participant")
    gone = await deployment.store.read(lambda c: get_assignment(c, visit.key))
    done = DonePage(
        shell=_shell(request, study),
        reason="withdrawn",
        study=study.definition,
        code=gone.code,
        back_url=way_back(study.definition, gone.reason, code=gone.code, sent=sent_by_panel(gone)),
        owed=_owed(study, gone, gone.reason),
        waited=gone.waited,
    )
    return show(request, done)


def _owed(study: RunningStudy, visit: Assignment, reason: str) -> Owed | None:
    pay = study.definition.pay
    return owed(pay, state=FINISHED, reason=reason, waited=visit.waited)


def _answer(request: Request, study: RunningStudy, visitor: Visitor, arrived: Arrived) -> Response:
    if isinstance(arrived, Entered):
        key = arrived.assignment.key
        response = RedirectResponse(visit_path(key), status_code=303)
        start_visit(request, response, study.name, key)
        keep_sent(request, response, study.definition, key, visitor)
        return response
    shell = _shell(request, study)
    if isinstance(arrived, CodeAsked):
        action = f"{arrival_path(study.name)}?{request.url.query}"
        page = ReturnPage(
            shell=shell, action=action, error=arrived.refused, contact=study.definition.contact
        )
        return show(request, page, 422 if arrived.refused else 200)
    return show(request, MessagePage(shell=shell, kind="once"), 403)


async def _show_expired(request: Request, study: RunningStudy, error: LinkError) -> Response:
    token = request.query_params.get("link", "")
    visit = await _visit_of_link(_deployment(request), study, token)
    page = ExpiredPage(
        shell=_shell(request, study),
        detail=str(error),
        withdraw_url=_withdrawal(study, token) if visit is not None else None,
    )
    return show(request, page, 403)


async def _visit_of_link(
    deployment: Deployment, study: RunningStudy, token: str
) -> Assignment | None:
    """The visit that was made with a link, however old it is; None if there is none."""
    visitor = read_holder(deployment.readable_secrets, token, study=study.name)
    return await deployment.store.read(lambda c: find_visit(c, study, visitor))


def _withdrawal(study: RunningStudy, token: str) -> str:
    return f"{arrival_path(study.name)}/withdraw?{urlencode({'link': token})}"


async def _visitor(request: Request, study: RunningStudy) -> Visitor | None:
    public = urlsplit(request.app.state.settings.public_url).hostname
    hosts = {host for host in (request.url.hostname, public) if host}
    return await _door(request).visitor(study.definition, request.query_params, hosts=hosts)


def _shell(request: Request, study: RunningStudy) -> Shell:
    terms = study.definition
    return Shell(
        title=terms.title, lang=terms.language, dir=terms.direction, csrf=csrf_token(request)
    )


def _deployment(request: Request) -> Deployment:
    deployment: Deployment = request.app.state.deployment
    return deployment


def _study(request: Request) -> RunningStudy:
    return _deployment(request).study(request.path_params["study"])


def _door(request: Request) -> Door:
    return Door.of(_deployment(request))


routes = [
    Route("/s/{study}", arrive),
    Route("/s/{study}", come_back, methods=["POST"]),
    Route("/s/{study}/withdraw", withdraw, methods=["GET", "POST"]),
]
