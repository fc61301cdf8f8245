"""Events: the only thing a dialogue is made of.

An event has a sequence number (its place in the dialogue, from 1), the seat that caused it (None:
the house), an action, and data. Its audience says which seats may see it: None means everybody, an
empty tuple means nobody but the researcher. A move is an event that somebody would like to happen.
"""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

MESSAGE = "message"
JOIN = "join"
LEAVE = "leave"
END = "end"
FAILURE = "failure"
NOTICE = "notice"
TAKEOVER = "takeover"
ERASE = "erase"
# A reply that came after the common time, and one that gave its system away: see collection.
LATE = "late"
DISGUISE = "disguise"
# After the end of a dialogue whose writer meant to fool a model: the writer takes an example back, or
# whoever owns the task says what it is worth.
RETRACT = "retract"
VERDICT = "verdict"

# Actions that are part of the record but are nobody's turn.
HOUSEKEEPING = frozenset(
    {JOIN, LEAVE, END, FAILURE, NOTICE, TAKEOVER, ERASE, LATE, DISGUISE, RETRACT, VERDICT}
)

NOBODY: tuple[int, ...] = ()

# A game came to its end as complete, but somebody did too little for the dialogue to count. The end
# says under SHORTCOMINGS at which seats, and in which words.
COMPLETE = "complete"
INSUFFICIENT = "insufficient"
SHORTCOMINGS = "shortcomings"


# An event can be part of no cycle: the collector need not look at millions of them.
class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One thing that happened in a dialogue. `data` is None after an erasure."""

    seq: Annotated[int, Meta(description="its place in the dialogue, from 1, without gaps")]
    seat: Annotated[int | None, Meta(description="who caused it; null: the house")]
    action: Annotated[
        str,
        Meta(
            description="`message`, `quit`, `finish` and the moves of games; and the record of the "
            "house: `join`, `leave`, `end`, `failure`, `notice`, `takeover`, `erase`, `late`, "
            "`disguise`, `retract`, `verdict`"
        ),
    ]
    data: Annotated[
        dict[str, Any] | None,
        Meta(
            description='of a message `{"text": …}`, with `"seed": true` where it was there before; '
            "null after an erasure"
        ),
    ] = None
    time: Annotated[
        float,
        Meta(description="when; of an imported dialogue without times, when it was taken in"),
    ]
    audience: Annotated[
        tuple[int, ...] | None,
        Meta(description="which seats may see it; absent: all; empty: the researcher alone"),
    ] = None
    client_id: Annotated[str | None, Meta(description="the id that the browser gave it")] = None
    reply_to: Annotated[int | None, Meta(description="the event that a system answered")] = None

    @property
    def text(self) -> str:
        """The words of a message; empty for anything else."""
        return str(self.data.get("text", "")) if self.data else ""

    @property
    def is_turn(self) -> bool:
        """Whether somebody did something, as opposed to the house keeping its record."""
        return self.action not in HOUSEKEEPING

    @property
    def is_silent(self) -> bool:
        """Whether this is a record of the house that no seat may notice."""
        return self.audience == NOBODY and self.action in HOUSEKEEPING

    def visible_to(self, seat: int) -> bool:
        """Whether the occupant of `seat` may see this event."""
        return self.audience is None or seat in self.audience

    def seen_by(self, seat: int) -> "Event | None":
        """The event as the occupant of `seat` sees it.

        At the end of the rewards only its own; and of what was too little nothing that is not its.
        """
        if self.audience is not None and seat not in self.audience:
            return None
        if self.action != END or self.data is None:
            return self
        data = _own_shortcoming(self.data, str(seat))
        outcome = data.get("outcome")
        if isinstance(outcome, dict) and isinstance(outcome.get("reward"), dict):
            own = {key: value for key, value in outcome["reward"].items() if key == str(seat)}
            data = {**data, "outcome": {**outcome, "reward": own}}
        return self if data is self.data else msgspec.structs.replace(self, data=data)


def _own_shortcoming(data: dict[str, Any], seat: str) -> dict[str, Any]:
    said = data.get(SHORTCOMINGS)
    if not isinstance(said, dict):
        return data
    if seat in said:
        return {**data, SHORTCOMINGS: {seat: said[seat]}}
    others = {key: value for key, value in data.items() if key != SHORTCOMINGS}
    return {**others, "reason": COMPLETE}


class Move(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat would like to do next; it becomes an event when the rules allow it."""

    action: str
    data: dict[str, Any] | None = None
    audience: tuple[int, ...] | None = None
    client_id: str | None = None
    reply_to: int | None = None


def say(text: str, **data: Any) -> Move:
    """The move that sends a message."""
    return Move(action=MESSAGE, data={"text": text, **data})


def messages(events: Iterable[Event]) -> list[Event]:
    """The messages among `events`, in order, without those that were erased."""
    return [event for event in events if event.action == MESSAGE and event.data is not None]
