"""A live dialogue in this process: one append under way at a time, then everybody is told.

A post waits until the one before it is stored. The conversation then decides, the store appends, and
only after the commit are the events applied, acknowledged and broadcast. If another process appended
first, the room folds what it missed and asks the rules again.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec
from sqlalchemy import Connection

from palaver.collection import frames
from palaver.collection.limits import SYSTEM_FAILED, remaining
from palaver.collection.plan import ChatPlan
from palaver.core.clock import Clock
from palaver.core.conversation import Conversation
from palaver.core.errors import (
    ConflictError,
    MoveError,
    PalaverError,
    StoreError,
    StoreUnavailableError,
)
from palaver.core.events import END, FAILURE, JOIN, LEAVE, MESSAGE, TAKEOVER, Event, Move
from palaver.core.protocols import Ending
from palaver.formats.rich_places import placed_tree
from palaver.formats.rich_text import Node, rich_tree
from palaver.games.game import game_of
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import StoredDialogue, events_after
from palaver.storage.engine.appends import Append, Lease

# How often a post is tried again when other processes keep appending first.
ATTEMPTS = 8
# How long a room that could not read what it missed waits before it reads again.
RETRY_SECONDS = 1.0

COMINGS_AND_GOINGS = frozenset({LEAVE, TAKEOVER})

Decide = Callable[[], list[Event]]
Settled = Callable[[Sequence[Event], PalaverError | None], None]


class SeatPage(Protocol):
    """One open page at a seat of this room."""

    seat: int

    def deliver(self, frame: bytes) -> None: ...

    def replace(self) -> None:
        """Tell the page that another tab took its place."""
        ...

    def dismiss(self) -> None:
        """Tell the page that its seat is somebody else's now."""
        ...


class Watcher(Protocol):
    """Somebody in this process who must know what happened in a room: the driver."""

    def happened(self, room: "Room", events: Sequence[Event]) -> None:
        """Called after events were applied."""
        ...


@dataclass(slots=True)
class _Post:
    decide: Decide
    settled: Settled
    lease: Lease | None = None
    also: Callable[[Connection], None] | None = None
    client: tuple[int, str] | None = None
    attempts: int = 0


class Room:
    """One dialogue, the pages that show it, and the order in which things happen."""

    def __init__(
        self,
        stored: StoredDialogue,
        plan: ChatPlan,
        *,
        store: Store,
        clock: Clock,
        watcher: Watcher,
    ) -> None:
        self.id = stored.id
        self.key = stored.key
        self.stored = stored
        self.plan = plan
        self.conversation = Conversation(stored.dialogue, plan.rules)
        self.dialogue = stored.dialogue
        self.game = game_of(stored.dialogue.scenario)
        self.pages: dict[int, SeatPage] = {}
        self._store = store
        self._clock = clock
        self._watcher = watcher
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Post] = deque()
        self._current: _Post | None = None
        self._catching_up = False
        # The highest sequence number this room has been told of.
        self._heard = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def people(self) -> list[int]:
        """The seats that people hold now."""
        seats = {seat.index for seat in self.dialogue.seats}
        return [seat for seat in sorted(seats) if self.dialogue.occupant(seat).kind == "person"]

    # What pages do

    def attach(self, page: SeatPage, after: int) -> None:
        """Bring a page up to date and keep it so; an older page of the same seat gives way."""
        older = self.pages.get(page.seat)
        if older is not None and older is not page:
            older.replace()
        self.pages[page.seat] = page
        state = self._states()[page.seat]
        for event in self.dialogue.after(self.dialogue.seq_of(after), seat=page.seat):
            page.deliver(self._frame(event, state, page.seat))
        left = remaining(self.dialogue, self.plan.limits, self._clock.now())
        position = self.dialogue.number(self.dialogue.position)
        page.deliver(frames.ready_frame(position, state, left))
        if page.seat not in self.dialogue.present:
            self.note(page.seat, Move(action=JOIN))

    def detach(self, page: SeatPage) -> None:
        """Forget a page that was closed."""
        if self.pages.get(page.seat) is page:
            del self.pages[page.seat]

    def note_absence(self, seat: int) -> None:
        """Record that a seat has no page any more."""
        if seat not in self.pages and seat in self.dialogue.present:
            self.note(seat, Move(action=LEAVE))

    def typing(self, seat: int, on: bool) -> None:
        """Pass a typing signal on; it is never stored."""
        self.broadcast(frames.typing_frame(seat, on), but=seat)

    def draft(self, seat: int, text: str) -> None:
        """Show a reply that is still being written; it is never stored."""
        self.broadcast(frames.draft_frame(seat, text), but=seat)

    def broadcast(self, frame: bytes, *, but: int | None = None) -> None:
        """Send a frame to every page except one seat's."""
        for seat, page in list(self.pages.items()):
            if seat != but:
                page.deliver(frame)

    # What seats and the house do

    def post(self, seat: int, move: Move, settled: Settled, *, lease: Lease | None = None) -> None:
        """Make a move; `settled(events, error)` is called once it is stored or refused."""
        now = self._clock.now
        self._enqueue(
            _Post(
                decide=lambda: self.conversation.consider(seat, move, now()),
                settled=settled,
                lease=lease,
                client=None if move.client_id is None else (seat, move.client_id),
            )
        )

    def note(
        self,
        seat: int | None,
        move: Move,
        settled: Settled | None = None,
        *,
        lease: Lease | None = None,
        also: Callable[[Connection], None] | None = None,
    ) -> None:
        """Record something that is nobody's move: a join, a failure, a takeover."""
        self._enqueue(
            _Post(
                decide=lambda: self.conversation.note(seat, move, self._clock.now()),
                settled=settled or _ignore,
                lease=lease,
                also=also,
            )
        )

    async def record(self, seat: int | None, move: Move, *, lease: Lease | None = None) -> None:
        """Record something that is nobody's move and wait until it is stored."""
        future: asyncio.Future[Sequence[Event]] = self._loop.create_future()
        self.note(seat, move, _settling(future), lease=lease)
        await future

    def finish(self, ending: Ending) -> None:
        self._finish(ending, _ignore)

    def _finish(self, ending: Ending, settled: Settled) -> None:
        self._enqueue(
            _Post(
                decide=lambda: self.conversation.finish(ending, self._clock.now()),
                settled=settled,
            )
        )

    async def end(self, ending: Ending) -> None:
        """End the dialogue and wait until that is stored."""
        future: asyncio.Future[Sequence[Event]] = self._loop.create_future()
        self._finish(ending, _settling(future))
        await future

    async def move(self, seat: int, move: Move, *, lease: Lease | None = None) -> Sequence[Event]:
        """Make a move and wait until it is stored."""
        future: asyncio.Future[Sequence[Event]] = self._loop.create_future()
        self.post(seat, move, _settling(future), lease=lease)
        return await future

    def behind(self, seq: int) -> None:
        """Another process appended up to `seq`: catch up unless that is known here."""
        self._heard = max(self._heard, seq)
        self._catch_up_if_behind()

    # One thing at a time

    def _enqueue(self, post: _Post) -> None:
        self._waiting.append(post)
        self._pump()

    def _pump(self) -> None:
        while self._waiting and self._current is None and not self._catching_up:
            self._start(self._waiting.popleft())

    def _start(self, post: _Post) -> None:
        if post.client is not None and post.client in self.dialogue.client_seqs:
            self._answer_again(post, self.dialogue.client_seqs[post.client])
            return
        try:
            if post.attempts and post.client is not None:
                self._check_occupant(post.client[0])
            events = post.decide()
        except MoveError as error:
            post.settled([], error)
            return
        if not events:
            post.settled([], None)
            return
        self._current = post

        def stored(_: None, error: BaseException | None) -> None:
            self._stored(post, events, error)

        self._store.append(Append(self.id, events, post.lease, post.also), stored, self._loop)

    def _check_occupant(self, seat: int) -> None:
        # What was missed may hold the news that a system took the seat over.
        if self.dialogue.occupant(seat).kind != "person":
            raise MoveError("replaced", "You were away, and somebody else took your seat.")

    def _answer_again(self, post: _Post, seq: int) -> None:
        # A retry is answered with the first result, so that it never doubles.
        event = self.dialogue.events[seq - 1]
        page = self.pages.get(post.client[0]) if post.client else None
        if page is not None:
            state = self._states()[page.seat]
            page.deliver(self._frame(event, state, page.seat))
        post.settled([event], None)

    def _stored(self, post: _Post, events: list[Event], error: BaseException | None) -> None:
        self._current = None
        if error is None:
            self._apply(events)
            post.settled(events, None)
        elif isinstance(error, ConflictError) and post.attempts < ATTEMPTS:
            post.attempts += 1
            self._waiting.appendleft(post)
            self._heard = max(self._heard, events[0].seq)
        else:
            post.settled([], error if isinstance(error, PalaverError) else StoreError(str(error)))
        self._catch_up_if_behind()
        self._pump()

    def _apply(self, events: Sequence[Event]) -> None:
        self.conversation.apply(events)
        states = self._states()
        for event in events:
            self._show(event, states)
            if event.action in COMINGS_AND_GOINGS and event.seat in self.pages:
                self._correct(event.seat, event.action)
        self._watcher.happened(self, events)

    def _show(self, event: Event, states: Mapping[int, frames.State]) -> None:
        """Send an event to the pages that may see it; the others learn only what it changes."""
        if event.is_silent and (event.action != FAILURE or self.plan.among_people):
            return  # it changes nothing that a page shows
        signed, framed = b"", None
        for seat, page in list(self.pages.items()):
            state, seen = states[seat], event.seen_by(seat)
            if seen is None:
                page.deliver(frames.state_frame(state))
            elif event.action == MESSAGE:
                if framed is not state:
                    signed, framed = self._frame(event, state, event.seat), state
                own = seat == event.seat
                page.deliver(signed if own else frames.without_id(signed, event.client_id))
            else:
                page.deliver(self._frame(seen, state, seat))

    def _frame(self, event: Event, state: frames.State, seat: int | None) -> bytes:
        """An event as one seat is told of it."""
        own, number = event.seat == seat, self.dialogue.number(event.seq)
        if event.action == MESSAGE or seat is None:
            return frames.event_frame(event, number, state, "", self._rich(event), own=own)
        shown = self._as_of_a_person(event) if event.action == END else event
        return frames.event_frame(shown, number, state, self.game.words(shown, seat), own=own)

    def _as_of_a_person(self, end: Event) -> Event:
        """The end of a dialogue; a system that gave up among people looks like one who went silent."""
        if not self.plan.among_people or not end.data or end.data.get("reason") != SYSTEM_FAILED:
            return end
        return msgspec.structs.replace(end, data={**end.data, "reason": "idle"})

    def _rich(self, event: Event) -> list[Node] | None:
        """What a message in Markdown shows, with its places where words of it are marked."""
        if event.action != MESSAGE or event.seat not in self.plan.rich_seats:
            return None
        placed = placed_tree(event.text) if self.plan.marks_words else None
        return rich_tree(event.text) if placed is None else placed

    def _states(self) -> dict[int, frames.State]:
        """The state as each seat with a page is told it; one object for all who may write."""
        movers = self.conversation.movers()
        usual, states = frames.State(movers), {}
        for seat in self.pages:
            composer = self.conversation.composer(seat)
            states[seat] = usual if composer.is_open else frames.State(movers, composer)
        return states

    def _correct(self, seat: int, action: str) -> None:
        """Set right what an event says about a seat whose page is open here."""
        if action == LEAVE:
            # Another process saw an older page of this seat go.
            self.note(seat, Move(action=JOIN))
        else:
            self.pages.pop(seat).dismiss()

    def _catch_up_if_behind(self) -> None:
        if self._current is not None or self._catching_up:
            return  # looked at again when that is done
        if self._heard > self.dialogue.position:
            self._catching_up = True
            self._task = self._loop.create_task(self._catch_up())

    async def _catch_up(self) -> None:
        position, announced = self.dialogue.position, self._heard
        # From here on `_heard` is what is announced while this reads, and may have missed.
        self._heard = 0
        try:
            missed = await self._store.read(
                lambda connection: events_after(connection, self.id, position)
            )
            self._apply(missed)
        except StoreUnavailableError as error:
            self._heard = max(self._heard, announced)
            self._loop.call_later(RETRY_SECONDS, self._catch_up_if_behind)
            while self._waiting:
                self._waiting.popleft().settled([], error)
            return
        finally:
            self._catching_up = False
        self._catch_up_if_behind()
        self._pump()


def _settling(future: asyncio.Future[Sequence[Event]]) -> Settled:
    """Settle a future with what became of a post."""

    def settled(events: Sequence[Event], error: PalaverError | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(events)

    return settled


def _ignore(events: Sequence[Event], error: PalaverError | None) -> None:
    """Nobody waits for this post."""
