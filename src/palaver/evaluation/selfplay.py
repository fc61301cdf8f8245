"""Self-play: two systems talk on virtual time, without a room, a browser or a database.

The same conversation decides here as in the live room. A dialogue depends on its seed and its id
and on nothing else, so that it can be played again, alone or beside a thousand others.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from palaver.core.clock import Clock, VirtualClock
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat, seed_events
from palaver.core.errors import InputError, MoveError, SystemFailureError
from palaver.core.events import FAILURE, NOBODY, Event, Move
from palaver.core.protocols import (
    CorrectableSession,
    Ending,
    Place,
    Rules,
    Session,
    System,
    close_session,
)
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue, dialogue_records
from palaver.storage.engine.appends import Append, append

# Where stored dialogues of self-play say that they come from.
SELFPLAY = "selfplay"
# A system that fails this often without a move in between ends the dialogue.
FAILURES = 3

# How long a system seems to type a move, in seconds.
Pause = Callable[[Move], float]


async def play(
    rules: Rules,
    systems: Sequence[System],
    scenario: Scenario,
    *,
    names: Sequence[str],
    dialogue_id: str,
    seed: int | str,
    clock: Clock,
    max_turns: int,
    pause: Pause | None = None,
) -> Dialogue:
    """The dialogue of two systems, played to its end.

    It ends as the rules say, or with the reason `stalled` (two turns in a row were not taken),
    `system_failed` (a system failed three times in a row) or `max_turns` (moves made, seed
    utterances not counted). Whoever made `systems` closes them.
    """
    if max_turns < 1:
        raise InputError(f"'max_turns' must be 1 or more; got {max_turns}.")
    seats = [Seat(index=i, kind="system", occupant=name) for i, name in enumerate(names)]
    dialogue = Dialogue(id=dialogue_id, scenario=scenario, seats=seats)
    sessions = [
        system.new_session(_place(dialogue, seat.index, clock, seed))
        for seat, system in zip(seats, systems, strict=True)
    ]
    rng = random.Random(f"{seed}:{dialogue_id}:first")
    table = _Table(Conversation(dialogue, rules), sessions, clock, rng, max_turns, pause)
    try:
        table.record(seed_events(scenario, clock.now()))
        while not dialogue.is_over:
            await table.offer_turn()
    finally:
        await table.close()
    return dialogue


@dataclass(frozen=True, slots=True)
class Deal:
    """What a dialogue of a given number is about, and whether the systems change their seats."""

    dialogue: str
    scenario: Scenario
    swapped: bool


def deal(
    number: int,
    *,
    seed: int | str,
    draw: Callable[[random.Random], Scenario],
    scenarios: Sequence[Scenario] = (),
    swap: bool = False,
) -> Deal:
    """The dialogue of a number, from 0.

    Given `scenarios` are played in their order, again and again; else each is drawn. With `swap` two
    dialogues in a row have the same scenario, and in the second the systems change their seats.
    """
    turn = number // 2 if swap else number
    if scenarios:
        scenario = scenarios[turn % len(scenarios)]
    else:
        scenario = draw(random.Random(f"{_name(seed, turn)}:scenario"))
    return Deal(_name(seed, number), scenario, swap and number % 2 == 1)


def _name(seed: int | str, number: int) -> str:
    return f"selfplay-{seed}-{number}"


async def play_many(
    rules: Rules,
    systems: Sequence[System],
    *,
    names: Sequence[str],
    seed: int | str,
    count: int,
    max_turns: int,
    first: int = 0,
    concurrency: int = 8,
    draw_scenario: Callable[[random.Random], Scenario] | None = None,
    scenarios: Sequence[Scenario] = (),
    swap: bool = False,
    start: float = 0.0,
    pause: Pause | None = None,
) -> AsyncIterator[Dialogue]:
    """`count` dialogues in order of their number, at most `concurrency` of them at a time.

    Each has an id, a scenario and a clock of its own (from `start`), all from the seed and its
    number: the same dialogues come whatever the concurrency, and whether they are played at once or
    from the number `first` on. For scenarios and seats see `deal`.
    """
    if concurrency < 1:
        raise InputError(f"'concurrency' must be 1 or more; got {concurrency}.")
    draw = draw_scenario or rules.new_scenario

    async def play_one(number: int) -> Dialogue:
        dealt = deal(number, seed=seed, draw=draw, scenarios=scenarios, swap=swap)
        turned = -1 if dealt.swapped else 1
        return await play(
            rules,
            systems[::turned],
            dealt.scenario,
            names=names[::turned],
            dialogue_id=dealt.dialogue,
            seed=seed,
            clock=VirtualClock(start),
            max_turns=max_turns,
            pause=pause,
        )

    playing: deque[asyncio.Task[Dialogue]] = deque()
    try:
        for number in range(first, first + count):
            if len(playing) == concurrency:
                yield await playing.popleft()
            playing.append(asyncio.create_task(play_one(number)))
        while playing:
            yield await playing.popleft()
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


def store_dialogue(
    connection: Connection,
    study_id: int,
    dialogue: Dialogue,
    *,
    stage: int = 0,
    condition: str = "",
    group: str | None = None,
    position: int = 0,
) -> str:
    """Store a self-play dialogue with its seats and events; the key it has in the store."""
    if not dialogue.events:
        raise InputError(f"The dialogue '{dialogue.id}' has no events; there is nothing to store.")
    created = dialogue.events[0].time
    seeds = seed_events(dialogue.scenario, created)
    if dialogue.events[: len(seeds)] != seeds:
        raise InputError(f"The dialogue '{dialogue.id}' does not begin with its scenario's seeds.")
    dialogue_id, key = create_dialogue(
        connection,
        study_id=study_id,
        stage=stage,
        condition=condition or dialogue.condition,
        scenario=dialogue.scenario,
        occupants=_occupants(dialogue),
        now=created,
        group=group,
        position=position,
        source_id=dialogue.id,
        source=SELFPLAY,
    )
    # The store has written the seeds already.
    append(connection, Append(dialogue_id, dialogue.events[len(seeds) :]))
    return key


def stored_selfplay(connection: Connection, study: str, condition: str) -> Iterator[DialogueRecord]:
    """The dialogues of self-play that a study holds under a condition."""
    for record in dialogue_records(connection, study):
        if record.source == SELFPLAY and record.condition == condition:
            yield record


def _place(dialogue: Dialogue, seat: int, clock: Clock, seed: int | str) -> Place:
    rng = random.Random(f"{seed}:{dialogue.id}:{seat}")
    scenario = dialogue.scenario.seen_by(seat)
    return Place(dialogue=dialogue.id, seat=seat, scenario=scenario, clock=clock, rng=rng)


@dataclass(slots=True)
class _Table:
    """A conversation with its sessions around it."""

    conversation: Conversation
    sessions: Sequence[Session]
    clock: Clock
    rng: random.Random
    max_turns: int
    pause: Pause | None
    asked: int | None = None
    turns: int = 0
    # Seat → failures since its last move.
    failures: Counter[int] = field(default_factory=Counter)

    async def offer_turn(self) -> None:
        """Ask the next seat for its moves, and make them."""
        seat = self._next_seat()
        if seat is None:
            self._finish(Ending("stalled"))
            return
        self.asked = seat
        try:
            moves = await self.sessions[seat].send()
        except SystemFailureError as error:
            self._fail(seat, kind=error.kind, detail=str(error), attempts=error.attempts)
            return
        if not moves:
            self.record(self.conversation.stay_silent(self.clock.now()))
        for move in moves:
            if self.conversation.dialogue.is_over or not await self._make(seat, move):
                return

    def record(self, events: Iterable[Event]) -> None:
        """Fold events in and show each seat those it may see."""
        for event in events:
            self.conversation.apply([event])
            for seat, session in enumerate(self.sessions):
                seen = event.seen_by(seat)
                if seen is not None:
                    session.receive(seen)

    async def close(self) -> None:
        """Let go of what sessions hold for this dialogue alone."""
        for session in self.sessions:
            await close_session(session)

    def _next_seat(self) -> int | None:
        """A seat that may move, rather not the one asked last; the first by lot."""
        movers = sorted(self.conversation.movers())
        if not movers:
            return None
        if self.asked is None:
            return self.rng.choice(movers)
        return next((seat for seat in movers if seat != self.asked), movers[0])

    async def _make(self, seat: int, move: Move) -> bool:
        """Make one move; False if it was refused."""
        if self.pause is not None:
            await self.clock.sleep(self.pause(move))
        try:
            events = self.conversation.consider(seat, move, self.clock.now())
        except MoveError as error:
            session = self.sessions[seat]
            if isinstance(session, CorrectableSession):
                session.refused(move, str(error))
            self._fail(seat, kind="illegal", detail=str(error), code=error.code)
            return False
        self.record(events)
        self.failures[seat] = 0
        self.turns += 1
        if self.turns >= self.max_turns:
            self._finish(Ending("max_turns"))
        return True

    def _fail(self, seat: int, **what: str | int) -> None:
        failure = Move(action=FAILURE, data=dict(what), audience=NOBODY)
        self.record(self.conversation.note(seat, failure, self.clock.now()))
        self.failures[seat] += 1
        if self.failures[seat] >= FAILURES:
            self._finish(Ending("system_failed", {"seat": seat}))

    def _finish(self, ending: Ending) -> None:
        self.record(self.conversation.finish(ending, self.clock.now()))


def _occupants(dialogue: Dialogue) -> list[Occupant]:
    people = [seat.index for seat in dialogue.seats if seat.kind != "system"]
    if people:
        raise InputError(
            f"Seat {people[0]} of the dialogue '{dialogue.id}' belongs to a person; self-play has "
            "no people."
        )
    return [Occupant(system=seat.occupant) for seat in dialogue.seats]
