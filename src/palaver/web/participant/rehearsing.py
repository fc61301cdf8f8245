"""The pages of a visit that belongs to a rehearsal, and the bar on top of them.

The application in front looks at the key in the address: a visit of a rehearsal is answered by the
same routes as any other, over the deployment of that rehearsal; every other request passes by.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from palaver.storage.people.participants import Assignment
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.rehearsals import Rehearsal, Rehearsals
from palaver.web.participant.pages import RehearsalOverPage
from palaver.web.participant.rating.routes import routes as rating
from palaver.web.participant.rooms.routes import OUT_OF_DATE
from palaver.web.participant.rooms.routes import routes as rooms
from palaver.web.participant.routes import routes as visits
from palaver.web.participant.visit import sign_visit, visit_of, visit_path
from palaver.web.participant.waiting import routes as waiting
from palaver.web.rendering import show
from palaver.web.shell import Shell

Handlers = Mapping[Any, Callable[..., Any]]
TAKE = "/take/"


class Rehearsed:
    """Answers for visits of rehearsals, and lets everything else through."""

    def __init__(self, app: ASGIApp, *, deployment: Deployment, handlers: Handlers) -> None:
        self.app = app
        self._deployment = deployment
        self._handlers = handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request to the rehearsal that its key names, if there is one."""
        rehearsals = self._deployment.kept.get(Rehearsals)
        if rehearsals is None or not scope.get("path", "").startswith(TAKE):
            await self.app(scope, receive, send)
            return
        key = scope["path"].removeprefix(TAKE).partition("/")[0]
        rehearsal = rehearsals.find(key)
        if rehearsal is not None:
            stage = self._stage(rehearsals, rehearsal, scope["app"])
            await stage({**scope, "app": stage.holder}, receive, send)
        elif scope["type"] == "http" and (over := rehearsals.over(key)) is not None:
            page = RehearsalOverPage(shell=Shell(title="Rehearsal"), study=over.study)
            await show(Request(scope, receive), page, status=410)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _stage(self, rehearsals: Rehearsals, rehearsal: Rehearsal, around: Starlette) -> "_Stage":
        kept = rehearsal.deployment.kept
        if _Stage not in kept:
            kept[_Stage] = _Stage(rehearsals, rehearsal, around, self._handlers)
        stage: _Stage = kept[_Stage]
        return stage


class _Stage:
    """The participant's routes over the deployment of one rehearsal."""

    def __init__(
        self, rehearsals: Rehearsals, rehearsal: Rehearsal, around: Starlette, handlers: Handlers
    ) -> None:
        self.holder = Starlette()
        self.holder.state.deployment = rehearsal.deployment
        self.holder.state.rehearsals = rehearsals
        self.holder.state.rehearsal = rehearsal
        self.holder.state.renderer = around.state.renderer
        self.holder.state.settings = around.state.settings
        routes = [*_own_routes, *rating, *visits, *rooms, *waiting]
        self._app = ExceptionMiddleware(Router(routes), handlers=handlers)
        self._sockets: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; a socket is served until the rehearsal ends."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        serving = asyncio.ensure_future(self._served(scope, receive, send))
        self._sockets.add(serving)
        try:
            await asyncio.wait({serving})
        finally:
            serving.cancel()
            self._sockets.discard(serving)
        if serving.cancelled():
            await send({"type": "websocket.close", "code": OUT_OF_DATE})
        else:
            serving.result()

    async def close(self) -> None:
        """Let go of the open pages, before what they look at is gone."""
        for serving in self._sockets:
            serving.cancel()
        await asyncio.gather(*self._sockets, return_exceptions=True)

    async def _served(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


async def begin_again(request: Request) -> Response:
    """The rehearsal begins anew, at a step that was chosen or at the beginning."""
    await visit_of(request, changing=True)
    rehearsals, rehearsal = _of(request)
    step = str((await request.form()).get("step", ""))
    return signed_in(request, rehearsals, await rehearsals.begin_again(rehearsal, step=step))


async def add_seat(request: Request) -> Response:
    """One more person, for whom this browser acts in another tab."""
    visit = await visit_of(request, changing=True)
    rehearsals, rehearsal = _of(request)
    made = await rehearsals.seat(rehearsal, step=visit.assignment.step)
    return signed_in(request, rehearsals, made)


async def end(request: Request) -> Response:
    """The rehearsal is over; back to where it was begun."""
    await visit_of(request, changing=True)
    rehearsals, rehearsal = _of(request)
    await rehearsals.end(rehearsal)
    root: str = request.app.state.renderer.root
    page = "edit" if rehearsal.is_draft else "rehearsal"
    return RedirectResponse(f"{root}/desk/studies/{rehearsal.study}/{page}", status_code=303)


def signed_in(request: Request, rehearsals: Rehearsals, visit: Assignment) -> Response:
    """On to a visit of a rehearsal, for which this browser acts from now on."""
    rehearsal = rehearsals.find(visit.key)
    assert rehearsal is not None, "it has just been made"
    response = RedirectResponse(visit_path(visit.key), status_code=303)
    sign_visit(request, response, rehearsal.deployment.secret, visit.key)
    return response


def _of(request: Request) -> tuple[Rehearsals, Rehearsal]:
    return request.app.state.rehearsals, request.app.state.rehearsal


_own_routes: list[BaseRoute] = [
    Route("/take/{assignment}/rehearsal/again", begin_again, methods=["POST"]),
    Route("/take/{assignment}/rehearsal/seat", add_seat, methods=["POST"]),
    Route("/take/{assignment}/rehearsal/end", end, methods=["POST"]),
]
