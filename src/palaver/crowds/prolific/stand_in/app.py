"""The stand-in behind a web server: the API, pages for people, and a door to its switches."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from palaver.core.errors import InputError
from palaver.crowds.prolific.stand_in.calls import ReadCall
from palaver.crowds.prolific.stand_in.pages import page_routes
from palaver.crowds.prolific.stand_in.service import SeenCall, StandIn
from palaver.crowds.prolific.stand_in.switches import (
    Control,
    PlannedFailure,
    error_body,
    shaped_error,
)
from palaver.crowds.prolific.stand_in.world import RefusedCall

MOST_BYTES = 4 * 1024 * 1024
METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"]
DELIVERY_SECONDS = 1.0


def stand_in_app(stand_in: StandIn, *, delivers: bool = False) -> Starlette:
    """The application; with `delivers` it sends events by itself, once a second."""

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(_deliver_on_and_on(stand_in)) if delivers else None
        yield
        if task is not None:
            task.cancel()

    api = _Api(stand_in)
    routes = [
        Route("/api/v1/{path:path}", api.call, methods=METHODS),
        Route("/control", api.control, methods=["GET", "POST"]),
        *page_routes(stand_in),
    ]
    return Starlette(routes=routes, lifespan=life)


async def _deliver_on_and_on(stand_in: StandIn) -> None:
    while True:
        await asyncio.to_thread(stand_in.deliver)
        await asyncio.sleep(DELIVERY_SECONDS)


class _Api:
    """Answers calls, or misbehaves as it was told to."""

    def __init__(self, stand_in: StandIn) -> None:
        self._stand_in = stand_in

    async def call(self, request: Request) -> Response:
        """A call of the API."""
        path = request.path_params["path"]
        if request.headers.get("Authorization") != f"Token {self._stand_in.token}":
            told = error_body(401, "Unauthorized", "Your token is invalid.")
            return JSONResponse(told, status_code=401)
        body = await _body(request)
        self._stand_in.calls.append(SeenCall(request.method, path, body))
        failure = self._stand_in.switches.next_failure(request.method, path)
        if failure is not None and failure.when == "before":
            return await _failed(failure, request)
        response = self._answered(request, path, body)
        return response if failure is None else await _failed(failure, request)

    def _answered(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        call = ReadCall(
            base=self._stand_in.base or str(request.base_url).rstrip("/"),
            method=request.method,
            path=path,
            query=dict(request.query_params),
            body=body,
        )
        try:
            told = self._stand_in.answer(call)
        except RefusedCall as refusal:
            shown = error_body(refusal.status, refusal.title, refusal.detail)
            return JSONResponse(shown, status_code=refusal.status)
        headers = dict(told.headers)
        if told.status == 204:
            return Response(status_code=204, headers=headers)
        return JSONResponse(told.content, status_code=told.status, headers=headers)

    async def control(self, request: Request) -> Response:
        """What is switched on; a POST switches."""
        if request.method == "POST":
            try:
                told = msgspec.convert(await _body(request), Control)
                self._switch(told)
            except (msgspec.ValidationError, RefusedCall, InputError) as error:
                return JSONResponse({"error": str(error)}, status_code=400)
        with self._stand_in.lock:
            shown = msgspec.to_builtins(self._stand_in.switches)
        return JSONResponse(
            {
                "switches": shown,
                "calls": len(self._stand_in.calls),
                "payments": msgspec.to_builtins(self._stand_in.payments),
            }
        )

    def _switch(self, told: Control) -> None:
        self._stand_in.switches.take(told)
        if told.currency is not None:
            self._stand_in.pay_in(told.currency)
        if told.delete_study is not None:
            self._stand_in.delete_over_there(told.delete_study)


async def _body(request: Request) -> dict[str, Any]:
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > MOST_BYTES:
            raise HTTPException(413)
    if not content.strip():
        return {}
    try:
        read = json.loads(content)
    except (ValueError, RecursionError):
        raise HTTPException(400, "This is not JSON.") from None
    if not isinstance(read, dict):
        raise HTTPException(400, "An object is expected.")
    return read


async def _failed(failure: PlannedFailure, request: Request) -> Response:
    """What comes in place of an answer."""
    if failure.how == "refuse":
        told = shaped_error(failure.shape, failure.status)
        return JSONResponse(told, status_code=failure.status)
    if failure.how == "busy":
        headers = {"Retry-After": failure.retry_after} if failure.retry_after else {}
        told = {"message": "Too many requests", "detail": "Request was throttled."}
        return JSONResponse(told, status_code=429, headers=headers)
    if failure.how == "500":
        return Response("<html>Server error</html>", status_code=500, media_type="text/html")
    if failure.how == "silence":
        # Until whoever asked gives up.
        while (await request.receive())["type"] != "http.disconnect":
            pass
    return Severed()


class Severed(Response):
    """An answer whose connection breaks before its end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": b"{", "more_body": False})
