"""A dialogue is its events, folded.

`Dialogue` holds the scenario, who sits where, and the events so far. Everything else about it (whose
turn, how long, whether it is over) is computed from the events as they are applied, never stored.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from palaver.core.events import (
    END,
    ERASE,
    JOIN,
    LEAVE,
    MESSAGE,
    SHORTCOMINGS,
    TAKEOVER,
    Event,
)
from palaver.core.scenario import Scenario

SeatKind = Literal["person", "system"]
# Why a dialogue that was held elsewhere is over; and who sat at a seat of which nobody says who.
IMPORTED = "imported"
UNNAMED = "person"
# What the data of a message says where a file told two turns of one side apart.
NEW_TURN = "new_turn"


def tells_times(reason: str, first: float, last: float) -> bool:
    """Whether times say when a dialogue was held; in most files that are imported none do."""
    return reason != IMPORTED or last > first


class Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who sits where."""

    index: Annotated[int, Meta(description="the seat, from 0")]
    kind: Annotated[SeatKind, Meta(description="`person` or `system`")]
    occupant: Annotated[str, Meta(description="a participant's alias, or the name of a system")]
    name: Annotated[str, Meta(description="what people call the participant here, such as P07")] = (
        ""
    )
    from_seq: Annotated[
        int,
        Meta(description="from which event on; more than 1 for a system that took over"),
    ] = 1

    @property
    def called(self) -> str:
        """What a page calls whoever sits here."""
        return self.name or self.occupant


def seed_events(scenario: Scenario, now: float) -> list[Event]:
    """The messages that stand in a dialogue before anybody speaks."""
    return [
        Event(
            seq=n, seat=seed.seat, action=MESSAGE, data={"text": seed.text, "seed": True}, time=now
        )
        for n, seed in enumerate(scenario.seeds, start=1)
    ]


@dataclass(slots=True)
class Turn:
    """A run of events by one seat: a view, never a key."""

    seat: int
    events: list[Event]

    @property
    def text(self) -> str:
        """The messages of this turn, one per line."""
        return "\n".join(event.text for event in self.events if event.action == MESSAGE)


@dataclass(slots=True)
class Dialogue:
    """A dialogue so far; `apply` is the fold."""

    id: str
    study: str = ""
    condition: str = ""
    scenario: Scenario = field(default_factory=Scenario)
    seats: list[Seat] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    # Folded from the events:
    message_counts: dict[int, int] = field(default_factory=dict)
    present: set[int] = field(default_factory=set)
    last_turn: Event | None = None
    ending: Event | None = None
    client_seqs: dict[tuple[int | None, str], int] = field(default_factory=dict)
    # Where the house recorded something that no seat may notice, not even by a gap.
    silent: list[int] = field(default_factory=list)

    @property
    def position(self) -> int:
        """The sequence number of the last event; 0 before the first."""
        return len(self.events)  # sequence numbers start at 1 and have no gaps

    @property
    def message_count(self) -> int:
        """How many messages all seats have sent, seed utterances included."""
        return sum(self.message_counts.values())

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def reason(self) -> str:
        """Why the dialogue ended; empty while it runs."""
        return str((self.ending.data or {}).get("reason", "")) if self.ending else ""

    @property
    def shortcomings(self) -> dict[int, str]:
        """What people did too little of for it to count, by seat; empty where it counts."""
        said = (self.ending.data or {}).get(SHORTCOMINGS) if self.ending else None
        return {int(seat): str(words) for seat, words in (said or {}).items()}

    @property
    def tells_times(self) -> bool:
        """Whether its times say when it was held."""
        if self.ending is None:
            return True
        return tells_times(self.reason, self.events[0].time, self.ending.time)

    @property
    def outcome(self) -> dict[str, Any]:
        """What came of it, the reward of each seat under "reward"; empty where nothing did."""
        outcome = (self.ending.data or {}).get("outcome") if self.ending else None
        return outcome if isinstance(outcome, dict) else {}

    def apply(self, event: Event) -> None:
        """Fold one event in; it must be the next one."""
        if event.seq != len(self.events) + 1:
            raise ValueError(f"event {event.seq} after {self.position} in dialogue {self.id}")
        self.events.append(event)
        if event.is_silent:
            self.silent.append(event.seq)
        if event.client_id is not None:
            self.client_seqs[event.seat, event.client_id] = event.seq
        if event.is_turn:
            self.last_turn = event
        if event.action == MESSAGE and event.seat is not None:
            self.message_counts[event.seat] = self.message_counts.get(event.seat, 0) + 1
        elif event.action == JOIN and event.seat is not None:
            self.present.add(event.seat)
        elif event.action == LEAVE and event.seat is not None:
            self.present.discard(event.seat)
        elif event.action == END:
            self.ending = event
        elif event.action == TAKEOVER and event.seat is not None and event.data:
            self._reseat(event)
        elif event.action == ERASE and event.data:
            self._erase(int(event.data.get("seat", -1)))

    def _reseat(self, event: Event) -> None:
        system = str((event.data or {}).get("system", ""))
        newcomer = Seat(index=event.seat or 0, kind="system", occupant=system, from_seq=event.seq)
        if newcomer not in self.seats:
            self.seats.append(newcomer)

    def _erase(self, seat: int) -> None:
        # What a system said after it took the seat over is not the person's.
        until = min(
            (s.from_seq for s in self.seats if s.index == seat and s.from_seq > 1),
            default=self.position,
        )
        for n, event in enumerate(self.events[:until]):
            if event.seat == seat and event.seq < until:
                self.events[n] = msgspec.structs.replace(event, data=None)

    def extend(self, events: Iterable[Event]) -> None:
        for event in events:
            self.apply(event)

    def followed_by(self, events: Iterable[Event]) -> "Dialogue":
        """Another dialogue: this one as it would be with these events behind it."""
        then = Dialogue(
            self.id, self.study, self.condition, scenario=self.scenario, seats=list(self.seats)
        )
        then.extend([*self.events, *events])
        return then

    def occupant(self, seat: int) -> Seat:
        """Who sits at `seat` now."""
        return max((s for s in self.seats if s.index == seat), key=lambda s: s.from_seq)

    def after(self, seq: int, *, seat: int | None = None) -> list[Event]:
        """The events behind position `seq`, as one seat (or the researcher) sees them."""
        tail = self.events[seq:] if seq >= 0 else self.events
        if seat is None:
            return list(tail)
        return [seen for event in tail if (seen := event.seen_by(seat)) is not None]

    def number(self, seq: int) -> int:
        """The number under which the seats know an event: silent records take none."""
        return seq - bisect_right(self.silent, seq) if self.silent else seq

    def seq_of(self, number: int) -> int:
        """The sequence number of the event that the seats know under `number`."""
        seq = number
        for silent in self.silent:
            if silent > seq:
                break
            seq += 1
        return seq

    def turns(self) -> Iterator[Turn]:
        """The events grouped into runs of one seat, housekeeping left out.

        A run that a file told apart (`NEW_TURN`) is as many turns as it had there.
        """
        turn: Turn | None = None
        for event in self.events:
            if not event.is_turn or event.seat is None:
                continue
            if turn is None or turn.seat != event.seat or (event.data and NEW_TURN in event.data):
                if turn is not None:
                    yield turn
                turn = Turn(event.seat, [])
            turn.events.append(event)
        if turn is not None:
            yield turn
