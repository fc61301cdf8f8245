"""The web application: every route, the middleware around them, and errors turned into pages."""

import gzip
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from palaver.core.errors import (
    AccessError,
    InputError,
    LinkError,
    PalaverError,
    StoreUnavailableError,
)
from palaver.core.logs import get_log
from palaver.studies.run.deployment import Deployment
from palaver.web.connections import SocketLimit
from palaver.web.crashes import Crashes
from palaver.web.hosts import AllowedHosts
from palaver.web.lazy import LazyApp, LazyRoutes, WholeMount
from palaver.web.own_forms import OwnForms
from palaver.web.participant.arrival import routes as arrival
from palaver.web.participant.pages import MessageKind, MessagePage
from palaver.web.participant.rating.routes import routes as rating
from palaver.web.participant.rehearsing import Rehearsed
from palaver.web.participant.rooms.routes import routes as rooms
from palaver.web.participant.routes import routes as visits
from palaver.web.participant.waiting import routes as waiting
from palaver.web.rendering import STATIC, Renderer, show, static_place
from palaver.web.security import BodyLimit, RateLimit, SecurityHeaders
from palaver.web.settings import Settings
from palaver.web.shell import Shell

log = get_log(__name__)

STATUS: dict[type[PalaverError], tuple[int, MessageKind]] = {
    LinkError: (403, "link"),
    AccessError: (403, "refused"),
    InputError: (404, "missing"),
    StoreUnavailableError: (503, "store"),
    PalaverError: (500, "failed"),
}


# The page of a visit, which shows where somebody is, below which its forms are sent to.
VISIT = re.compile(r"/take/[^/]+(?=/)")

DESK = LazyRoutes("/desk", "palaver.web.desk.routes")
TASKS = LazyRoutes("/tasks", "palaver.web.tasks.routes")
CHALLENGES = LazyRoutes("/challenges", "palaver.web.challenges.routes")
BOARDS = LazyRoutes("/boards", "palaver.web.boards.routes")
HOOKS = LazyRoutes("/hooks", "palaver.web.hooks.routes")
# The page at `/`, and the list of boards at the desk.
FRONT = LazyRoutes("/", "palaver.web.front.routes")
BOARD_LIST = LazyRoutes("/desk/boards", "palaver.web.front.routes")

DESK_HEADINGS: dict[MessageKind, str] = {
    "link": "This link does not work",
    "missing": "There is nothing at this address",
    "busy": "Too many requests at once",
    "store": "The database is not responding",
    "expired": "This page was open for too long",
    "refused": "You do not have access to this",
    "once": "You have taken part before",
    "failed": "Something went wrong",
}


def create_app(deployment: Deployment, settings: Settings | None = None) -> Starlette:
    """The application that serves a deployment."""
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            await deployment.start()
        except PalaverError as error:
            app.state.refusal = error
            raise
        try:
            yield
        finally:
            for shelf in (app.state.measures, app.state.verdicts):
                if shelf is not None:
                    await shelf.close()
            await deployment.stop()

    app = Starlette(
        routes=_routes(deployment),
        lifespan=lifespan,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Crashes, answer=_show_crash),
            Middleware(AllowedHosts, hosts=settings.hosts),
            Middleware(SocketLimit, per_address=settings.connections.per_address),
            Middleware(
                RateLimit,
                rate=settings.requests_per_second,
                burst=settings.requests_per_second * 5,
            ),
            Middleware(OwnForms, public_url=settings.public_url),
            Middleware(BodyLimit),
            Middleware(Rehearsed, deployment=deployment, handlers=HANDLERS),
        ],
        exception_handlers=HANDLERS,
    )
    app.state.deployment = deployment
    app.state.renderer = Renderer()
    app.state.settings = settings
    # Why the deployment could not start, where it could not.
    app.state.refusal = None
    # What the desk computes beside this process; made when it is first asked for.
    app.state.measures = None
    # The same for verdicts on the boards of challenges.
    app.state.verdicts = None
    return app


def _routes(deployment: Deployment) -> list[BaseRoute]:
    # They are tried one after the other: first come those that are asked for most.
    return [
        *rating,
        *visits,
        *rooms,
        *waiting,
        *arrival,
        FRONT,
        Route("/health", _health),
        BOARDS,
        BOARD_LIST,
        DESK,
        TASKS,
        CHALLENGES,
        HOOKS,
        WholeMount("/api/v1", LazyApp("palaver.web.api.routes:create_api", deployment)),
        Mount("/static", app=StaticModules(directory=STATIC)),
    ]


class StaticModules(StaticFiles):
    """Static files: kept for good under an address with a digest, else checked at each use."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Where a file lies: with the others, with the look, or with the game that it belongs to."""
        folder, file = static_place(path, own=STATIC)
        if folder == STATIC:
            return super().lookup_path(path)
        return StaticFiles(directory=folder, check_dir=False).lookup_path(file)

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """The file, with how long it may be kept."""
        response = super().file_response(*arguments, **options)
        scope: Scope = arguments[2] if len(arguments) > 2 else options["scope"]
        versioned = b"v=" in scope["query_string"]
        response.headers["cache-control"] = (
            "public, max-age=31536000, immutable" if versioned else "no-cache"
        )
        response.headers["vary"] = "accept-encoding"
        asked = Headers(scope=scope)
        if (
            not isinstance(response, FileResponse)
            or "range" in asked
            or "gzip" not in asked.get("accept-encoding", "")
        ):
            return response
        headers = {**response.headers, "content-encoding": "gzip"}
        del headers["content-length"]
        return Response(_packed(str(response.path), headers["etag"]), headers=headers)


@lru_cache(maxsize=256)
def _packed(path: str, version: str) -> bytes:
    """A file of ours, packed once for each version of it: text takes a quarter of the wire."""
    return gzip.compress(Path(path).read_bytes(), mtime=0)


async def _health(request: Request) -> Response:
    """200 while the store can be read; for load balancers and for tests."""
    deployment: Deployment = request.app.state.deployment
    await deployment.store.read(lambda c: c.exec_driver_sql("SELECT 1").scalar())
    return JSONResponse({"status": "ok"})


async def _show_error(request: Request, error: Exception) -> Response:
    """A page for an error that was raised on purpose."""
    status, kind = next(found for known, found in STATUS.items() if isinstance(error, known))
    if status >= 500:
        log.error("request_failed", path=request.url.path, error=str(error))
    if isinstance(error, AccessError) and _at_the_desk(request):
        refusal: Response = DESK.module().refuse(request, error)
        return refusal
    return _message(request, status, kind, str(error) if status < 500 else "")


def _at_the_desk(request: Request) -> bool:
    return DESK.covers(request.url.path)


async def _show_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405 and request.method == "GET":
        # The address of a form: a tab that is opened again asks for it.
        if (visit := VISIT.match(request.url.path)) is not None:
            return RedirectResponse(visit[0], status_code=303)
        return _message(request, 405, "missing", "Only a form can be sent to this address.")
    kind: MessageKind = "missing" if error.status_code == 404 else "failed"
    detail = "" if error.status_code == 404 else str(error.detail)
    return _message(request, error.status_code, kind, detail)


HANDLERS: dict[Any, Any] = {PalaverError: _show_error, HTTPException: _show_http_error}


async def _show_crash(request: Request, reference: str) -> Response:
    """A page for an error that nobody meant, with what to look for in the log."""
    return _message(request, 500, "failed", f"Reference: {reference}")


def _message(request: Request, status: int, kind: MessageKind, detail: str) -> Response:
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": {"code": kind, "message": detail or kind}}, status)
    if _at_the_desk(request):
        response: Response = DESK.module().explain(request, status, DESK_HEADINGS[kind], detail)
        return response
    page = MessagePage(
        shell=Shell(),
        kind=kind,
        detail=detail,
        retry_url=request.url.path if status == 503 and request.method == "GET" else None,
    )
    return show(request, page, status)
