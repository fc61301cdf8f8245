"""Arriving at a study: a signed link, a panel's parameters, or a preview without either."""

import asyncio
from urllib.parse import urlencode

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.crowds.links import Visitor, read_link
from palaver.crowds.panels import panel
from palaver.storage.people.participants import Assignment
from palaver.studies.run import participation
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.participation import is_blocked
from palaver.web.participant import previews
from palaver.web.participant.visit import start_visit, visit_path
from palaver.web.rendering import show


async def arrive(request: Request) -> Response:
    """Let somebody in, or show a preview in which nothing is stored."""
    deployment: Deployment = request.app.state.deployment
    study = deployment.study(request.path_params["study"])
    visitor = _visitor(request, study, deployment.secret)
    if visitor is None:
        page = previews.page(study.definition, request.query_params.get("step", ""))
        return show(request, page)
    if deployment.store.read_only:
        raise InputError("This is a read-only copy. Nobody can take part in it.")
    if await asyncio.to_thread(is_blocked, study.definition, visitor.person):
        raise AccessError("You cannot take part in this study.")
    assignment = await _enter(deployment, study, visitor)
    response = RedirectResponse(visit_path(assignment.key), status_code=303)
    start_visit(request, response, assignment.key)
    return response


async def step_preview(request: Request) -> Response:
    """A button of a preview was pressed: show the next page, store nothing."""
    deployment: Deployment = request.app.state.deployment
    study = deployment.study(request.path_params["study"])
    step = urlencode({"step": request.query_params.get("step", "")})
    return RedirectResponse(f"/s/{study.name}?{step}", status_code=303)


def _visitor(request: Request, study: RunningStudy, secret: str) -> Visitor | None:
    token = request.query_params.get("link")
    crowd = study.definition.crowd
    if token is not None:
        return read_link(secret, token, study=study.name, hours=crowd.link_hours)
    if crowd.kind == "link":
        return None
    source = panel(crowd.kind, participant=crowd.participant, assignment=crowd.assignment)
    return source.visitor(request.query_params)


async def _enter(deployment: Deployment, study: RunningStudy, visitor: Visitor) -> Assignment:
    now = deployment.clock.now()

    def work(connection: Connection) -> Assignment:
        return participation.enter(connection, study.id, study.definition, visitor, now=now)

    try:
        return await deployment.store.write(work)
    except ConflictError:
        # The same person arrived twice at once: the row is there now.
        return await deployment.store.write(work)


routes = [
    Route("/s/{study}", arrive),
    Route("/s/{study}", step_preview, methods=["POST"]),
]
