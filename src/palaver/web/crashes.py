"""What nobody meant to happen: one line in the log, and an answer with a reference to it.

Starlette's own way raises the error again for the server to log, so that one bad request is two
tracebacks. Here a traceback is logged once for each place in the code where something went wrong.
"""

import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import PurePath

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from palaver.core.logs import get_log

log = get_log(__name__)

Answer = Callable[[Request, str], Awaitable[Response]]

# How many places are remembered; more of them than these are not one fault.
PLACES = 256
SHOWN = 200
# The WebSocket close code for a fault of the server.
FAULT = 1011


class Crashes:
    """Turns an error that nobody caught into a line and an answer; `answer` makes the page."""

    def __init__(self, app: ASGIApp, *, answer: Answer) -> None:
        self.app = app
        self._answer = answer
        self._seen: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and stand in for whoever fails."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, noted)
        except (ClientDisconnect, WebSocketDisconnect):
            return
        except Exception as error:  # noqa: BLE001  this is where they end
            reference = self._note(scope, error)
            if scope["type"] == "websocket":
                await _close(send)
            elif started:
                # Half an answer must not look like a whole one: the server closes the connection.
                return
            else:
                await self._respond(scope, receive, send, reference)

    def _note(self, scope: Scope, error: Exception) -> str:
        """Log a failure, and its traceback if it is the first at its place; the reference."""
        reference = secrets.token_hex(4)
        place = place_of(error)
        kind = f"{type(error).__name__} at {place}"
        is_new = kind not in self._seen
        self._seen[kind] = self._seen.pop(kind, None)
        if len(self._seen) > PLACES:
            self._seen.popitem(last=False)
        log.error(
            "request_crashed",
            reference=reference,
            method=scope.get("method", "WEBSOCKET"),
            path=scope["path"][:SHOWN],
            place=place,
            error=f"{type(error).__name__}: {error}"[:SHOWN],
            exc_info=error if is_new else None,
        )
        return reference

    async def _respond(self, scope: Scope, receive: Receive, send: Send, reference: str) -> None:
        try:
            response = await self._answer(Request(scope), reference)
        except Exception as error:  # noqa: BLE001  the page that apologises can fail as well
            self._note(scope, error)
            response = PlainTextResponse(f"Something went wrong ({reference}).", status_code=500)
        await response(scope, receive, send)


def place_of(error: BaseException) -> str:
    """The file and line where an error was raised."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return "unknown"
    return f"{PurePath(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}"


async def _close(send: Send) -> None:
    try:
        await send({"type": "websocket.close", "code": FAULT})
    except RuntimeError:
        # It is closed already.
        return
