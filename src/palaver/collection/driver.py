"""Who drives: exactly one process lets a dialogue's systems speak and watches its clocks.

The driver holds the leases of the dialogues it seated or took over. When somebody has spoken, it asks
the session of the system whose turn it is, evens out the delay, and posts the reply with the lease. A
failure becomes a recorded event and a sentence for the person. Once a second it renews its leases,
takes over dialogues that nobody drives, and looks for limits that have run out.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from palaver.collection.hub import Hub
from palaver.collection.limits import Overdue, overdue
from palaver.collection.room import Room
from palaver.core.clock import Clock
from palaver.core.errors import (
    ConflictError,
    InputError,
    LeaseLostError,
    MoveError,
    PalaverError,
    StoreUnavailableError,
    SystemFailureError,
)
from palaver.core.events import FAILURE, JOIN, NOBODY, NOTICE, TAKEOVER, Event, Move
from palaver.core.logs import get_log
from palaver.core.protocols import ClosingSession, Ending, Place, Session
from palaver.storage import Store
from palaver.storage.appending import Lease
from palaver.storage.dialogues import Occupant, add_seat
from palaver.storage.leases import (
    orphans,
    release_lease,
    renew_leases,
    surrender_leases,
    take_lease,
)

log = get_log(__name__)

TICK_SECONDS = 1.0
ENFORCED_AT_ONCE = 50
# After this many failures in a row the system is given up and the person goes on.
MAX_FAILURES = 3
# A page that is reloaded is back well within this time.
ABSENCE_SECONDS = 3.0

# Called when a dialogue has ended, with its room: what a study does then.
Ended = Callable[[Room], Awaitable[None]]


@dataclass(slots=True)
class _Driven:
    room: Room
    lease: Lease
    sessions: dict[int, Session] = field(default_factory=dict)
    composing: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    failures: int = 0
    # Up to here the sessions have been told.
    told: int = 0
    ending: bool = False


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
        self._driven: dict[int, _Driven] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # Group → when somebody last took a turn in one of its dialogues.
        self._active: dict[str, float] = {}
        # Dialogues that this process held at the last tick without driving them.
        self._undriven: set[int] = set()

    async def run(self) -> None:
        """Tick until cancelled."""
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
        driven = _Driven(room, lease)
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
        self._spawn(_close_sessions(driven))

    # Letting systems speak

    def _advance(self, driven: _Driven) -> None:
        """Tell the sessions what happened and let the system whose turn it is compose."""
        room = driven.room
        if room.dialogue.is_over:
            self._wind_up(driven)
            return
        if not any(seat.kind == "system" for seat in room.dialogue.seats):
            return  # people among themselves: nobody here to be told
        for seat in {seat.index for seat in room.dialogue.seats}:
            if room.dialogue.occupant(seat).kind == "system":
                self._session(driven, seat)
        fresh = room.dialogue.after(driven.told)
        driven.told = room.dialogue.position
        for event in fresh:
            for seat, session in driven.sessions.items():
                if event.visible_to(seat):
                    session.receive(event)
            if event.is_turn and event.seat in driven.sessions:
                driven.failures = 0
        for seat in driven.sessions:
            if self._is_next(room, seat) and seat not in driven.composing:
                task = asyncio.get_running_loop().create_task(self._compose(driven, seat))
                driven.composing[seat] = task

    def _session(self, driven: _Driven, seat: int) -> None:
        if seat in driven.sessions:
            return
        room = driven.room
        name = room.dialogue.occupant(seat).occupant
        system = room.plan.systems.get(name)
        if system is None:
            raise InputError(f"The study '{room.plan.study}' has no system '{name}' any more.")
        place = Place(
            dialogue=room.key,
            seat=seat,
            scenario=room.dialogue.scenario,
            clock=self.clock,
            rng=random.Random(f"{room.key}:{seat}"),
        )
        session = system.new_session(place)
        for event in room.dialogue.events[: driven.told]:
            if event.visible_to(seat):
                session.receive(event)
        driven.sessions[seat] = session

    @staticmethod
    def _is_next(room: Room, seat: int) -> bool:
        movers, last = room.conversation.movers(), room.dialogue.last_turn
        if last is None:
            return movers == {seat} and bool(room.dialogue.present)
        failed = any(
            e.action == FAILURE and e.seat == seat for e in room.dialogue.events[last.seq :]
        )
        return seat in movers and last.seat != seat and not failed

    async def _compose(self, driven: _Driven, seat: int) -> None:
        room = driven.room
        self._signal_typing(room, seat, True)
        try:
            await self._reply_or_record(driven, seat)
        except (LeaseLostError, ConflictError) as lost:
            # Another process drives this dialogue now and has answered.
            log.info("reply_dropped", dialogue=room.key, reason=str(lost))
            self._drop(room.id)
        except StoreUnavailableError as error:
            log.warning("reply_waits_for_store", dialogue=room.key, error=str(error))
            await self.clock.sleep(TICK_SECONDS)
        finally:
            driven.composing.pop(seat, None)
            self._signal_typing(room, seat, False)
        if room.id in self._driven:
            self._advance(driven)

    async def _reply_or_record(self, driven: _Driven, seat: int) -> None:
        try:
            await self._reply(driven, seat)
        except SystemFailureError as failure:
            await self._record_failure(driven, seat, failure)
        except MoveError as refusal:
            if not driven.room.dialogue.is_over:
                illegal = SystemFailureError("illegal", str(refusal))
                await self._record_failure(driven, seat, illegal)

    async def _reply(self, driven: _Driven, seat: int) -> None:
        room, last = driven.room, driven.room.dialogue.last_turn
        reply_to = last.seq if last else 0
        for n, move in enumerate(await self._ask(driven, seat)):
            marked = Move(
                action=move.action,
                data=move.data,
                audience=move.audience,
                reply_to=reply_to if n == 0 else None,
            )
            await room.move(seat, marked, lease=driven.lease)

    def _signal_typing(self, room: Room, seat: int, on: bool) -> None:
        if self.hub is not None:
            self.hub.signal_typing(room, seat, on)

    async def _ask(self, driven: _Driven, seat: int) -> Sequence[Move]:
        room = driven.room
        keeper, name = room.plan.keeper, room.dialogue.occupant(seat).occupant
        asked = self.clock.now()

        def draft(text: str) -> None:
            room.draft(seat, text)

        moves = await driven.sessions[seat].send(None if room.plan.blind else draft)
        if not moves:
            raise SystemFailureError("silent", f"system '{name}' had nothing to say")
        took = self.clock.now() - asked
        keeper.note(name, took)
        text = str((moves[0].data or {}).get("text", ""))
        rng = random.Random(f"{room.key}:{room.dialogue.position}")
        await self.clock.sleep(keeper.release_after(text, rng) - took)
        return moves

    async def _record_failure(
        self, driven: _Driven, seat: int, failure: SystemFailureError
    ) -> None:
        room = driven.room
        driven.failures += 1
        log.warning("system_failed", dialogue=room.key, kind=failure.kind, detail=str(failure))
        detail = {"kind": failure.kind, "detail": str(failure), "attempts": failure.attempts}
        recorded = Move(action=FAILURE, data=detail, audience=NOBODY)
        # Until this is stored it still looks as if the system had not been asked.
        await room.record(seat, recorded, lease=driven.lease)
        if driven.failures >= MAX_FAILURES:
            room.finish(Ending("system_failed", {"seat": seat}))
            return
        sentence = self._apologies.get(failure.kind, self._apologies["error"])
        room.note(None, Move(action=NOTICE, data={"text": sentence}), lease=driven.lease)

    # Limits

    def _enforce(self, driven: _Driven, now: float) -> None:
        room = driven.room
        if room.dialogue.is_over:
            self._wind_up(driven)
            return
        late = overdue(
            room.dialogue,
            room.conversation.movers(),
            room.people,
            room.plan.limits,
            now,
            busy_until=self._active.get(room.stored.group, 0.0),
        )
        if late is None:
            return
        if late.seat is not None and room.plan.partner_leaves and len(room.people) > 1:
            self._replace_person(driven, late)
        else:
            outcome = None if late.seat is None else {"seat": late.seat}
            room.finish(Ending(late.reason, outcome))

    def _replace_person(self, driven: _Driven, late: Overdue) -> None:
        """Let a blind system take the seat of a person who is gone; recorded as such."""
        room, seat, system = driven.room, late.seat or 0, driven.room.plan.partner_leaves or ""

        def also(connection: Connection) -> None:
            from_seq = room.dialogue.position + 1  # where the event goes
            add_seat(connection, room.id, seat, Occupant(system=system), from_seq=from_seq)

        takeover = Move(
            action=TAKEOVER, data={"system": system, "reason": late.reason}, audience=NOBODY
        )
        was_away = seat not in room.dialogue.present
        room.note(seat, takeover, lease=driven.lease, also=also)
        if was_away:
            # For the one who stayed, the partner is back.
            room.note(seat, Move(action=JOIN), lease=driven.lease)

    def _wind_up(self, driven: _Driven) -> None:
        if driven.ending:
            return
        driven.ending = True
        for task in driven.composing.values():
            if task is not asyncio.current_task():
                task.cancel()
        self._spawn(self._finish(driven))

    async def _finish(self, driven: _Driven) -> None:
        try:
            await self._ended(driven.room)
            await self.store.write(lambda c: release_lease(c, driven.lease))
        except StoreUnavailableError as error:
            log.warning("ending_waits_for_store", dialogue=driven.room.key, error=str(error))
            driven.ending = False  # the next tick tries again
            return
        await _close_sessions(driven)
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


async def _close_sessions(driven: _Driven) -> None:
    for session in driven.sessions.values():
        if isinstance(session, ClosingSession):
            await session.close()
