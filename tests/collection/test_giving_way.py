"""Of two pages of one seat, on two processes, exactly the newer one stays."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from palaver.collection.hub import Hub
from palaver.core.clock import WallClock

pytestmark = pytest.mark.asyncio

ROOM, SEAT = 7, 0


class Wire:
    """What processes signal, in one order for all; each hears it when the test says so."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def process(self, name: str) -> "Process":
        return Process(self, name)


class Process:
    """One process: a hub with one room, and what it has heard so far."""

    def __init__(self, wire: Wire, name: str) -> None:
        self._wire, self._heard = wire, 0
        self._signalled: Callable[[str], None]
        store: Any = SimpleNamespace(
            is_postgres=True, holder=name, signal=wire.sent.append, listen=self._listen
        )
        self.hub = Hub(store, clock=WallClock(), plans={}, watcher=SimpleNamespace())  # type: ignore[arg-type]
        self.room: Any = SimpleNamespace(id=ROOM, pages={}, behind=lambda seq: None)
        self.room.dialogue = SimpleNamespace(position=0)
        self.hub.rooms[ROOM] = self.room

    def _listen(self, **told: Any) -> None:
        self._signalled, self.come_back = told["signalled"], told["resynchronise"]

    def open(self) -> SimpleNamespace:
        page = SimpleNamespace(replaced=False)
        page.replace = lambda: setattr(page, "replaced", True)
        self.hub.signal_opened(self.room, SEAT)
        self.room.pages[SEAT] = page
        return page

    async def hear(self) -> None:
        for payload in self._wire.sent[self._heard :]:
            self._signalled(payload)
        self._heard = len(self._wire.sent)
        await asyncio.sleep(0)


@pytest.mark.parametrize("late", ["first", "second", "both"])
async def test_the_newer_page_stays_however_late_the_news(late: str) -> None:
    wire = Wire()
    first, second = wire.process("first"), wire.process("second")
    older = first.open()
    for process in (first, second):
        if late not in (process.hub.store.holder, "both"):
            await process.hear()
    newer = second.open()
    for process in (first, second):
        await process.hear()
    assert (older.replaced, newer.replaced) == (True, False)


async def test_a_page_gives_way_again_after_it_was_opened_twice() -> None:
    wire = Wire()
    first, second = wire.process("first"), wire.process("second")
    first.open()
    again = first.open()
    await first.hear()
    assert not again.replaced
    newer = second.open()
    await first.hear()
    await second.hear()
    assert (again.replaced, newer.replaced) == (True, False)


async def test_a_page_whose_signal_was_lost_gives_way_after_the_listener_came_back() -> None:
    wire = Wire()
    first, second = wire.process("first"), wire.process("second")
    older = first.open()
    wire.sent.clear()
    first.come_back()
    await asyncio.sleep(0)
    newer = second.open()
    await first.hear()
    await second.hear()
    assert (older.replaced, newer.replaced) == (True, False)
