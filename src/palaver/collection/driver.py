"""Who drives: exactly one process lets a dialogue's systems speak and watches its clocks.

The driver holds the leases of the dialogues it seated or took over (`driven`). When somebody has
spoken, it lets the system whose turn it is compose a reply (`replies`), posted with the lease. Once a
second it renews its leases, takes over dialogues that nobody drives, and looks for limits that have
run out (`enforcement`).
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence

from palaver.collection.driven import Driven
from palaver.collection.enforcement import enforce_limits
from palaver.collection.hub import Hub
from palaver.collection.replies import reply_or_record
from palaver.collection.room import Room
from palaver.core.clock import Clock
from palaver.core.errors import (
    ConflictError,
    LeaseLostError,
    PalaverError,
    StoreUnavailableError,
)
from palaver.core.events import JOIN, Event, Move
from palaver.core.logs import get_log
from palaver.storage import Store
from palaver.storage.dialogues.leases import (
    orphans,
    release_lease,
    renew_leases,
    surrender_leases,
    take_lease,
)
from palaver.storage.engine.appends import Lease

log = get_log(__name__)

TICK_SECONDS = 1.0
ENFORCED_AT_ONCE = 50
# A page that is reloaded is back well within this time.
ABSENCE_SECONDS = 3.0
# Of two people either may open the page first, and the other opens it soon after.
COMES_FIRST = 0.5
ARRIVAL_SECONDS = (0.2, 2.0)

# Called when a dialogue has ended, with its room: what a study does then.
Ended = Callable[[Room], Awaitable[None]]


class Driver:
    """The dialogues that this process drives."""

    def __init__(
        self, store: Store, *, clock: Clock, ended: Ended, apologies: dict[str, str]
    ) -> None:
        self.store = store
        self.clock = clock
        self.hub: Hub | None = None
        self._ended = ended
        self._apologies = apologies
        self._driven: dict[int, Driven] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # Group → when somebody last took a turn in one of its dialogues.
        self._active: dict[str, float] = {}
        # Dialogues that this process held at the last tick without driving them.
        self._undriven: set[int] = set()

    async def run(self) -> None:
        while True:
            try:
                await self.tick()
            except StoreUnavailableError as error:
                log.warning("driver_waits_for_store", error=str(error))
            except Exception as error:
                log.error("driver_stumbled", exc_info=error)
            await asyncio.sleep(TICK_SECONDS)

    async def drive(self, lease: Lease) -> Room:
        """Start driving a dialogue whose lease this process holds."""
        assert self.hub is not None
        room = await self.hub.open_by_id(lease.dialogue_id)
        driven = Driven(room, lease)
        self._note_activity(room)
        self._advance(driven)
        self._driven[room.id] = driven
        return room

    def happened(self, room: Room, events: Sequence[Event]) -> None:
        """Called by a room after events were applied."""
        driven = self._driven.get(room.id)
        if driven is not None:
            self._note_activity(room)
            self._advance(driven)
        elif room.dialogue.is_over and self.hub is not None:
            self.hub.forget(room)

    def _note_activity(self, room: Room) -> None:
        last = room.dialogue.last_turn
        if last is not None:
            self._active[room.stored.group] = last.time

    def absent(self, room: Room, seat: int) -> None:
        """A page was closed: record it unless the page comes back soon."""
        self._spawn(self._record_absence(room, seat))

    async def tick(self) -> None:
        """Renew, take over, and look for limits that have run out."""
        holder = self.store.holder
        if self.store.is_postgres:
            held = set(await self.store.write(lambda c: renew_leases(c, holder)))
            for dialogue_id in [d for d in self._driven if d not in held]:
                self._drop(dialogue_id)
            await self._pick_up(held - self._driven.keys())
        for dialogue_id in await self.store.read(lambda c: orphans(c, holder)):
            await self._take_over(dialogue_id)
        now = self.clock.now()
        for number, driven in enumerate(list(self._driven.values())):
            self._enforce(driven, now)
            if number % ENFORCED_AT_ONCE == 0:
                await asyncio.sleep(0)  # thousands of dialogues must not hold up a message

    async def _pick_up(self, undriven: set[int]) -> None:
        """Drive what this process holds and does not drive, if it was so a tick ago as well.

        A dialogue is dropped when its reply meets a conflict: usually another process has it now,
        but after a lost connection the reply may be this process's own, stored and never confirmed.
        """
        for dialogue_id in undriven & self._undriven:
            await self._take_over(dialogue_id)
        self._undriven = undriven

    async def close(self) -> None:
        """Stop driving; others may take over at once."""
        tasks = [*self._tasks, *(t for d in self._driven.values() for t in d.composing.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._driven.clear()
        try:
            await self.store.write(lambda c: surrender_leases(c, self.store.holder))
        except StoreUnavailableError as error:
            log.warning("leases_not_surrendered", error=str(error))

    async def _take_over(self, dialogue_id: int) -> None:
        holder = self.store.holder
        lease = await self.store.write(lambda c: take_lease(c, dialogue_id, holder))
        if lease is None or self.hub is None:
            return
        try:
            room = await self.drive(lease)
        except PalaverError as error:
            log.warning("not_taken_over", dialogue=dialogue_id, error=str(error))
            return
        log.info("taken_over", dialogue=room.key, epoch=lease.epoch)
        if not self.store.is_postgres:
            # The pages of the process that died are gone; those that live come back at once.
            for seat in room.people:
                self.absent(room, seat)

    async def _record_absence(self, room: Room, seat: int) -> None:
        await self.clock.sleep(ABSENCE_SECONDS)
        room.note_absence(seat)
        if room.dialogue.is_over and self.hub is not None:
            self.hub.forget(room)

    def _drop(self, dialogue_id: int) -> None:
        driven = self._driven.pop(dialogue_id, None)
        if driven is None:
            return
        for task in driven.composing.values():
            task.cancel()
        self._spawn(driven.close_sessions())

    def _advance(self, driven: Driven) -> None:
        """Tell the sessions what happened and let the system whose turn it is compose."""
        if driven.room.dialogue.is_over:
            self._wind_up(driven)
            return
        driven.tell_systems(self.clock)
        if driven.sessions and driven.room.plan.among_people:
            self._let_systems_in(driven)
        for seat in driven.sessions:
            if driven.is_next(seat, self.clock.now()) and seat not in driven.composing:
                task = asyncio.get_running_loop().create_task(self._compose(driven, seat))
                driven.composing[seat] = task

    def _let_systems_in(self, driven: Driven) -> None:
        """Let systems that pass for people come in as people do: some first, some a little later."""
        room = driven.room
        outside = driven.sessions.keys() - room.dialogue.present - driven.joining
        if not outside:
            return
        rng = random.Random(f"{room.key}:{room.id}:arrival")
        after = 0.0 if rng.random() < COMES_FIRST else rng.uniform(*ARRIVAL_SECONDS)
        somebody = not room.dialogue.present.isdisjoint(room.people)
        for seat in outside:
            if somebody or after == 0.0:
                driven.joining.add(seat)
                self._spawn(self._join(driven, seat, after))

    async def _join(self, driven: Driven, seat: int, after: float) -> None:
        await self.clock.sleep(after)
        if driven.room.id in self._driven and seat not in driven.room.dialogue.present:
            driven.room.note(seat, Move(action=JOIN), lease=driven.lease)

    async def _compose(self, driven: Driven, seat: int) -> None:
        room = driven.room

        def typing(on: bool) -> None:
            if self.hub is not None:
                self.hub.signal_typing(room, seat, on)

        try:
            await reply_or_record(
                driven, seat, clock=self.clock, apologies=self._apologies, typing=typing
            )
        except (LeaseLostError, ConflictError) as lost:
            # Another process drives this dialogue now and has answered.
            log.info("reply_dropped", dialogue=room.key, reason=str(lost))
            self._drop(room.id)
        except StoreUnavailableError as error:
            log.warning("reply_waits_for_store", dialogue=room.key, error=str(error))
            await self.clock.sleep(TICK_SECONDS)
        finally:
            driven.composing.pop(seat, None)
        if room.id in self._driven:
            self._advance(driven)

    def _enforce(self, driven: Driven, now: float) -> None:
        room = driven.room
        if room.dialogue.is_over:
            self._wind_up(driven)
            return
        if driven.sessions and room.dialogue.last_turn is None:
            self._advance(driven)  # a system may begin once the person has not for long enough
        enforce_limits(driven, now, busy_until=self._active.get(room.stored.group, 0.0))

    def _wind_up(self, driven: Driven) -> None:
        if driven.ending:
            return
        driven.ending = True
        for task in driven.composing.values():
            if task is not asyncio.current_task():
                task.cancel()
        self._spawn(self._finish(driven))

    async def _finish(self, driven: Driven) -> None:
        try:
            await self._ended(driven.room)
            await self.store.write(lambda c: release_lease(c, driven.lease))
        except StoreUnavailableError as error:
            log.warning("ending_waits_for_store", dialogue=driven.room.key, error=str(error))
            driven.ending = False  # the next tick tries again
            return
        await driven.close_sessions()
        self._forget(driven.room)

    def _forget(self, room: Room) -> None:
        self._driven.pop(room.id, None)
        group = room.stored.group
        if all(driven.room.stored.group != group for driven in self._driven.values()):
            self._active.pop(group, None)
        if self.hub is not None:
            self.hub.forget(room)

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
