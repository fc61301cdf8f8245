"""The chat socket: one page at one seat.

A frame is read, turned into a move and posted to the room; the room answers through `deliver`. Under
uvicorn the direct path is used (see `web.direct`), elsewhere ASGI's messages.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from palaver.collection import frames
from palaver.collection.room import Room
from palaver.core.errors import MoveError, PalaverError, StoreUnavailableError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.logs import get_log
from palaver.core.studies.visits import ACTIVE
from palaver.core.units import event_unit
from palaver.storage.judging.labels import is_answered
from palaver.storage.people.participants import get_assignment
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.flow import judged_online
from palaver.web.direct import EXTENSION, text_frame
from palaver.web.frame_rate import FrameRate
from palaver.web.participant.visit import read_visit
from palaver.web.security import TRY_AGAIN_LATER

# Close codes of ours: the page shows a reload button instead of trying again.
OUT_OF_DATE = 4001
REPLACED = 4002
# The page goes on sending what was dropped because it came too fast; it may come back.
TOO_MANY_FRAMES = 4008

MAX_ID = 64

log = get_log(__name__)


class SocketPage(ABC):
    """One open page: reads frames, posts moves, delivers what the room says."""

    def __init__(
        self, room: Room, seat: int, deployment: Deployment, *, moves_per_second: float
    ) -> None:
        self.room = room
        self.seat = seat
        self._deployment = deployment
        self._rate = moves_per_second
        self._allowance = moves_per_second * 2
        self._checked = deployment.clock.now()
        self._frame_rate = FrameRate(self._checked)
        self._attached = False
        self._replaced = False
        self._judging: set[asyncio.Task[None]] = set()

    @abstractmethod
    def deliver(self, frame: bytes) -> None:
        """Send a frame to the page."""

    @abstractmethod
    def close(self, code: int) -> None:
        """Close the socket behind what was delivered."""

    def replace(self) -> None:
        """Tell the page that another tab took its place, and let go of it."""
        self.deliver(frames.REPLACED)
        self._attached, self._replaced = False, True
        self.close(REPLACED)

    def dismiss(self) -> None:
        """Let go of the page: its seat is somebody else's now."""
        self._attached, self._replaced = False, True
        self.close(OUT_OF_DATE)

    def receive(self, text: bytes) -> None:
        """Act on what the page sent."""
        try:
            frame = frames.read_frame(text)
        except MoveError as error:
            self.deliver(frames.error_frame(error.code, str(error)))
            return
        if isinstance(frame, frames.MoveFrame):
            self._move(frame)
        elif not self._passes(frame):
            return
        elif isinstance(frame, frames.Typing):
            if self._attached:
                self._deployment.hub.signal_typing(self.room, self.seat, frame.on)
        elif not self._replaced:
            if not self._attached:
                self._deployment.hub.signal_opened(self.room, self.seat)
            self._attached = True
            self.room.attach(self, max(0, frame.after))

    def _passes(self, frame: frames.Hello | frames.Typing) -> bool:
        """Whether a frame comes slowly enough; the page that goes on and on is cut off."""
        rate, now = self._frame_rate, self._deployment.clock.now()
        if rate.is_exhausted:
            return False  # cut off already
        if rate.hello(now) if isinstance(frame, frames.Hello) else rate.typing(now):
            return True
        if rate.is_exhausted:
            log.warning(
                "page_cut_off", dialogue=self.room.key, seat=self.seat, dropped=rate.dropped
            )
            self.close(TOO_MANY_FRAMES)
        return False

    def leave(self) -> None:
        """The page was closed."""
        self.room.detach(self)
        if self._attached:
            self._deployment.driver.absent(self.room, self.seat)

    def _move(self, frame: frames.MoveFrame) -> None:
        refusal = self._refusal(frame)
        if refusal is not None:
            self.deliver(frames.error_frame(refusal.code, str(refusal), frame.id[:MAX_ID]))
            return
        data = frame.data
        if frame.action == MESSAGE and data is not None:
            data = {"text": data.get("text")}  # what else a message says of itself is ours to say
        move = Move(action=frame.action, data=data, client_id=frame.id)
        if self.room.plan.judge_first is not None and frame.action == MESSAGE:
            task = asyncio.ensure_future(self._post_if_judged(frame, move))
            self._judging.add(task)
            task.add_done_callback(self._judging.discard)
        else:
            self._post(frame, move)

    async def _post_if_judged(self, frame: frames.MoveFrame, move: Move) -> None:
        """Post a message once the partner's last one has been judged; say so where it was not."""
        question = self.room.plan.judge_first or ""
        heard = judged_online(self.room.dialogue, self.seat)
        if heard:
            unit = event_unit(self.room.stored.key, heard[-1].seq).key
            assignment_id = self.room.stored.people[self.seat]
            try:
                judged = await self._deployment.store.read(
                    lambda c: is_answered(c, assignment_id, unit, question)
                )
            except StoreUnavailableError as error:
                self.deliver(frames.error_frame(_code(error), _sentence(error), frame.id))
                return
            if not judged:
                sentence = "Please judge the last message first."
                self.deliver(frames.error_frame("judge_first", sentence, frame.id))
                return
        self._post(frame, move)

    def _post(self, frame: frames.MoveFrame, move: Move) -> None:
        def settled(events: Sequence[Event], error: PalaverError | None) -> None:
            if error is not None:
                self.deliver(frames.error_frame(_code(error), _sentence(error), frame.id))

        self.room.post(self.seat, move, settled)

    def _refusal(self, frame: frames.MoveFrame) -> MoveError | None:
        if not self._attached:
            return MoveError("replaced", "This conversation is open in another tab.")
        if not 0 < len(frame.id) <= MAX_ID or not frame.id.isprintable():
            return MoveError("bad_frame", f"A message id has 1 to {MAX_ID} printable characters.")
        if self._deployment.store.read_only:
            return MoveError("read_only", "This is a read-only copy. Nothing can be sent.")
        now = self._deployment.clock.now()
        gained = (now - self._checked) * self._rate
        self._allowance = min(self._rate * 2, self._allowance + gained)
        self._checked = now
        if self._allowance < 1.0:
            return MoveError("too_fast", "That was too fast. Your message is kept; send it again.")
        self._allowance -= 1.0
        return None


class DirectPage(SocketPage):
    """A page whose frames go straight to the transport."""

    def __init__(self, direct: Any, send: Send, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._direct = direct
        self._send = send
        self._closing: asyncio.Task[None] | None = None

    def deliver(self, frame: bytes) -> None:
        self._direct.write(text_frame(frame))

    def close(self, code: int) -> None:
        """Close the socket; the library does the handshake."""
        closing = self._send({"type": "websocket.close", "code": code})
        self._closing = asyncio.ensure_future(closing)

    async def serve(self, receive: Receive, send: Send) -> None:
        """Wait until the socket closes; messages come by plain calls."""
        self._direct.attach(self.receive)
        while (await receive())["type"] != "websocket.disconnect":
            pass


class QueuedPage(SocketPage):
    """A page under a server without the direct path."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._outgoing: asyncio.Queue[bytes | int] = asyncio.Queue()

    def deliver(self, frame: bytes) -> None:
        self._outgoing.put_nowait(frame)

    def close(self, code: int) -> None:
        self._outgoing.put_nowait(code)

    async def serve(self, receive: Receive, send: Send) -> None:
        """Read and write until either side closes."""
        tasks = {asyncio.create_task(self._read(receive)), asyncio.create_task(self._write(send))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, receive: Receive) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            text = message.get("text")
            self.receive(text.encode() if text is not None else message.get("bytes") or b"")

    async def _write(self, send: Send) -> None:
        while not isinstance(frame := await self._outgoing.get(), int):
            await send({"type": "websocket.send", "text": frame.decode()})
        await send({"type": "websocket.close", "code": frame})


class ChatSocket:
    """The ASGI application behind a chat socket."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # websocket.connect
        deployment: Deployment = scope["app"].state.deployment
        connection = HTTPConnection(scope)
        refusal, reason = OUT_OF_DATE, "not your seat"
        try:
            found = await _find_seat(deployment, connection)
        except StoreUnavailableError:
            found, refusal, reason = None, TRY_AGAIN_LATER, "the database is unavailable"
        await send({"type": "websocket.accept"})
        if found is None:
            await send({"type": "websocket.close", "code": refusal, "reason": reason})
            return
        room, seat = found
        rate: float = scope["app"].state.settings.moves_per_second
        direct = scope.get("extensions", {}).get(EXTENSION)
        page: DirectPage | QueuedPage
        if direct is None:
            page = QueuedPage(room, seat, deployment, moves_per_second=rate)
        else:
            page = DirectPage(direct, send, room, seat, deployment, moves_per_second=rate)
        try:
            await page.serve(receive, send)
        finally:
            page.leave()


async def _find_seat(deployment: Deployment, connection: HTTPConnection) -> tuple[Room, int] | None:
    """The room and seat this browser may take, or None."""
    parameters = connection.path_params
    try:
        if read_visit(connection) != parameters["assignment"]:
            return None
        room = await deployment.hub.open(parameters["dialogue"])
        assignment = await deployment.store.read(
            lambda c: get_assignment(c, parameters["assignment"])
        )
    except StoreUnavailableError:
        raise
    except PalaverError:
        return None
    for seat in room.people:
        if room.stored.people.get(seat) == assignment.id and assignment.state == ACTIVE:
            return room, seat
    return None


def _code(error: PalaverError) -> str:
    if isinstance(error, MoveError):
        return error.code
    return "not_stored"


def _sentence(error: PalaverError) -> str:
    if isinstance(error, MoveError):
        return str(error)
    if isinstance(error, StoreUnavailableError):
        return "Your message could not be stored. It is kept here; try again in a moment."
    return "Your message was not stored. It is kept here; try again."


routes = [WebSocketRoute("/take/{assignment}/room/{dialogue}", endpoint=ChatSocket())]
