"""The rooms that are open in this process, and what it hears from the others.

Within one process a room tells its own pages. Across processes PostgreSQL carries the news: a room
that is open here and hears of a newer event reads it from the database.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar

from sqlalchemy import Connection

from palaver.collection.plan import ChatPlan
from palaver.collection.room import Room, Watcher
from palaver.core.clock import Clock
from palaver.core.errors import InputError
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import StoredDialogue, load_dialogue, load_dialogue_by_id

T = TypeVar("T")
Plans = Mapping[tuple[str, int], ChatPlan]


class Hub:
    """Opens rooms on demand and keeps each one only once."""

    def __init__(self, store: Store, *, clock: Clock, plans: Plans, watcher: Watcher) -> None:
        self.store = store
        self.clock = clock
        self.rooms: dict[int, Room] = {}
        self._plans = plans
        self._watcher = watcher
        # While rooms are being read: what was announced of dialogues that have no room here yet.
        self._opening = 0
        self._announced: dict[int, int] = {}
        # Whether the listener was away while rooms were being read: anything may have been missed.
        self._unsure = False
        # The pages that were opened here and whose signal has not come back yet, by room and seat.
        self._unheard: dict[tuple[int, int], int] = {}
        self._signals = 0
        self._loop = asyncio.get_running_loop()
        self._listener = store.listen(
            heard=self._on_loop(self._heard),
            signalled=self._on_loop(self._signalled),
            resynchronise=lambda: self._on_loop(self._resynchronise)(None),
        )

    async def open(self, key: str) -> Room:
        return await self._read(lambda c: load_dialogue(c, key))

    async def open_by_id(self, dialogue_id: int) -> Room:
        known = self.rooms.get(dialogue_id)
        if known is not None:
            return known
        return await self._read(lambda c: load_dialogue_by_id(c, dialogue_id))

    def forget(self, room: Room) -> None:
        """Let go of a room that nobody looks at."""
        if not room.pages:
            self.rooms.pop(room.id, None)

    def reload(self, dialogue_id: int) -> None:
        """Forget what a room remembers: its events were erased in the store."""
        self.rooms.pop(dialogue_id, None)

    def signal_opened(self, room: Room, seat: int) -> None:
        """Let older pages of a seat give way, wherever they are.

        Signals come to all processes, the one that sent them too, in the same order: a page whose
        own has not come back yet is newer than those that others tell of.
        """
        if self.store.is_postgres:
            self._signals += 1
            self._unheard[room.id, seat] = self._signals
            self.store.signal(f"opened {room.id} {seat} {self._signals} {self.store.holder}")

    def signal_typing(self, room: Room, seat: int, on: bool) -> None:
        """Pass a typing signal to the pages of a room, wherever they are."""
        room.typing(seat, on)
        if self.store.is_postgres:
            payload = f"typing {room.id} {seat} {int(on)} {self.store.holder}"
            self.store.signal(payload)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()

    async def _read(self, load: Callable[[Connection], StoredDialogue]) -> Room:
        self._opening += 1
        try:
            return self._adopt(await self.store.read(load))
        finally:
            self._opening -= 1
            if not self._opening:
                self._announced.clear()
                self._unsure = False

    def _adopt(self, stored: StoredDialogue) -> Room:
        # A room that is open here is the one. Its news may still be on the way: a page that comes
        # from another process has seen what the store has, and must not be refused for it.
        known = self.rooms.get(stored.id)
        if known is not None:
            known.behind(stored.dialogue.position)
            return known
        plan = self._plans.get((stored.study, stored.stage))
        if plan is None:
            raise InputError(f"The study '{stored.study}' is not served here.")
        room = Room(stored, plan, store=self.store, clock=self.clock, watcher=self._watcher)
        self.rooms[room.id] = room
        # What was stored after the read and announced before the room was there to hear it.
        unsure = room.dialogue.position + 1 if self._unsure else 0
        room.behind(max(unsure, self._announced.get(room.id, 0)))
        return room

    def _heard(self, pairs: list[tuple[int, int]]) -> None:
        for dialogue_id, seq in pairs:
            room = self.rooms.get(dialogue_id)
            if room is not None:
                room.behind(seq)
            elif self._opening:
                self._announced[dialogue_id] = max(seq, self._announced.get(dialogue_id, 0))

    def _signalled(self, payload: str) -> None:
        kind, dialogue_id, place, number, holder = payload.split()
        room_id, seat, own = int(dialogue_id), int(place), holder == self.store.holder
        room = self.rooms.get(room_id)
        if own and kind == "opened" and self._unheard.get((room_id, seat)) == int(number):
            del self._unheard[room_id, seat]
        if own or room is None:
            return
        if kind == "typing":
            room.typing(seat, number == "1")
        elif kind == "opened" and seat in room.pages and (room_id, seat) not in self._unheard:
            room.pages.pop(seat).replace()

    def _resynchronise(self, _: None) -> None:
        self._unheard.clear()
        for room in list(self.rooms.values()):
            room.behind(room.dialogue.position + 1)
        self._unsure = self._opening > 0

    def _on_loop(self, call: Callable[[T], None]) -> Callable[[T], None]:
        def from_any_thread(argument: T) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(call, argument)

        return from_any_thread
