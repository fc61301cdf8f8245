"""People who keep talking whatever happens to the server.

A talker does what the page does: it sends each message under an id of its own, keeps it until the
server has acknowledged it, reconnects when the socket breaks, catches up from its last position, and
sends what was not acknowledged again under the same id. It writes down everything it saw.
"""

import asyncio
import contextlib
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import aiohttp

from faults.seating import Chair
from palaver.core.events import LEAVE, Event
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue_by_id
from support.participants import PATIENCE

# seq, seat, action, text
Seen = tuple[int, int | None, str, str]


class Talker:
    """One person at one seat, on whichever of `bases` answers."""

    def __init__(
        self, chair: Chair, bases: Sequence[str], rng: random.Random, *, window: int = 3
    ) -> None:
        self.chair = chair
        self.sent: dict[str, str] = {}
        self.unacknowledged: dict[str, str] = {}
        self.acknowledged: dict[str, int] = {}
        self.seen: list[Seen] = []
        self.refusals: list[dict[str, Any]] = []
        self.closings: list[int | None] = []
        self.resent = 0
        self.talking = True
        self._bases = list(bases)
        self._rng = rng
        self._window = window
        self._leaving = False
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def position(self) -> int:
        """The last sequence number this person has seen."""
        return self.seen[-1][0] if self.seen else 0

    async def __aenter__(self) -> "Talker":
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE))
        self._tasks = [asyncio.create_task(self._stay()), asyncio.create_task(self._talk())]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._leaving = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()

    def failed(self) -> None:
        """Raise what went wrong in this person's own tasks."""
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()

    async def _stay(self) -> None:
        while not self._leaving:
            try:
                await self._visit(self._bases[0])
            except (aiohttp.ClientError, OSError, TimeoutError):
                self._bases.append(self._bases.pop(0))
            self._socket = None
            await asyncio.sleep(0.03)

    async def _visit(self, base: str) -> None:
        headers = {"cookie": self.chair.cookie}
        async with self._session.ws_connect(base + self.chair.path, headers=headers) as socket:
            await socket.send_json({"type": "hello", "after": self.position})
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self._hear(socket, json.loads(message.data))
            self.closings.append(socket.close_code)

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse, frame: dict[str, Any]) -> None:
        if frame["type"] == "ready":
            for client_id, text in list(self.unacknowledged.items()):
                self.resent += 1
                await self._say(socket, client_id, text)
            self._socket = socket
        elif frame["type"] == "event":
            self._see(frame)
        elif frame["type"] == "error":
            self.refusals.append(frame)
            await asyncio.sleep(0.1)
            if frame.get("id") in self.unacknowledged:
                await self._say(socket, frame["id"], self.unacknowledged[frame["id"]])

    def _see(self, frame: dict[str, Any]) -> None:
        text = (frame["data"] or {}).get("text", "")
        event = (frame["seq"], frame["seat"], frame["action"], text)
        if frame["seq"] <= self.position:
            assert event in self.seen, f"{event} was told differently before"
        else:
            assert frame["seq"] == self.position + 1, f"a gap before {event}"
            self.seen.append(event)
        if frame["seat"] == self.chair.seat and frame["id"] in self.unacknowledged:
            del self.unacknowledged[frame["id"]]
            self.acknowledged[frame["id"]] = frame["seq"]

    async def _talk(self) -> None:
        while True:
            await asyncio.sleep(self._rng.uniform(0.004, 0.03))
            socket = self._socket
            if not self.talking or socket is None or len(self.unacknowledged) >= self._window:
                continue
            client_id = f"{self.chair.seat}-{len(self.sent)}-{self._rng.getrandbits(32):x}"
            text = f"message {len(self.sent)} of seat {self.chair.seat}"
            self.sent[client_id] = self.unacknowledged[client_id] = text
            with contextlib.suppress(aiohttp.ClientError, OSError):
                await self._say(socket, client_id, text)

    async def _say(
        self, socket: aiohttp.ClientWebSocketResponse, client_id: str, text: str
    ) -> None:
        move = {"type": "move", "id": client_id, "action": "message", "data": {"text": text}}
        await socket.send_json(move)


async def until(holds: Any, what: str, *, seconds: float = PATIENCE) -> None:
    """Wait until `holds()` is true."""
    for _ in range(int(seconds / 0.05)):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"after {seconds} s still not: {what}")


async def fall_silent(tables: Sequence[Sequence[Talker]], *, seconds: float = PATIENCE) -> None:
    """Let everybody finish: all is acknowledged, systems have answered, all seats agree."""
    everybody = [talker for table in tables for talker in table]
    for talker in everybody:
        talker.talking = False
    await until(
        lambda: not any(talker.unacknowledged for talker in everybody),
        "everything is acknowledged",
        seconds=seconds,
    )
    for table in tables:
        first = table[0]
        if len(table) == 1:
            await until(lambda t=first: _answered(t), "the system has answered", seconds=seconds)
        else:
            await until(
                lambda t=table: t[0].position == t[1].position, "both seats are at the same place"
            )
    for talker in everybody:
        talker.failed()


def _answered(talker: Talker) -> bool:
    said = [event for event in talker.seen if event[2] == "message"]
    return not said or said[-1][1] != talker.chair.seat


def check(store: Store, tables: Sequence[Sequence[Talker]]) -> None:
    """What was acknowledged is stored, in order, once; and everybody saw what is stored."""
    for table in tables:
        dialogue_id = table[0].chair.dialogue_id
        stored = store.read_now(lambda c, d=dialogue_id: load_dialogue_by_id(c, d))
        _check_dialogue(stored.dialogue.events, table)


def _difference(seen: list[Seen], told: list[Seen]) -> str:
    first = next((n for n, (a, b) in enumerate(zip(seen, told, strict=False)) if a != b), len(told))
    return f"seen {seen[first : first + 3]} where {told[first : first + 3]} is stored"


def _check_dialogue(events: list[Event], table: Sequence[Talker]) -> None:
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    times = Counter(event.client_id for event in events if event.client_id is not None)
    assert set(times.values()) <= {1}
    for talker in table:
        seat = talker.chair.seat
        mine = [event for event in events if event.seat == seat and event.action == "message"]
        for client_id, seq in talker.acknowledged.items():
            event = events[seq - 1]
            assert (event.client_id, event.seat) == (client_id, seat)
            assert event.text == talker.sent[client_id]
        assert {event.client_id for event in mine} == set(talker.acknowledged)
        if not talker.refusals:
            assert [event.client_id for event in mine] == list(talker.sent)
        told = [
            (event.seq, event.seat, event.action, event.text)
            for event in events
            if event.visible_to(seat)
        ]
        at_hand = len(talker.seen)
        assert talker.seen == told[:at_hand], _difference(talker.seen, told)
        # A server that takes seconds to stop notes that the pages have gone.
        assert {action for _, _, action, _ in told[at_hand:]} <= {LEAVE}, told[at_hand:]
    if len(table) == 1:
        replies = [event.reply_to for event in events if event.seat == 1 and event.is_turn]
        assert len(replies) == len(set(replies))
