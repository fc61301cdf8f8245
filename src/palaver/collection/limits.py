"""Time limits of a live dialogue, decided in pure code.

A person is late when it is their turn (they may move and did not speak last) and `message` or `idle`
seconds have passed since it became so. A person who left is gone after `disconnect` seconds, if
somebody else waits for them. The dialogue as a whole ends after `dialogue` seconds.
"""

from collections.abc import Collection
from dataclasses import dataclass

from palaver.core.dialogue import Dialogue
from palaver.core.events import JOIN, LEAVE

# Reasons after which a dialogue counts as held: its people go on to what comes next.
HELD = frozenset({"complete", "time_up"})
# A dialogue whose system could not go on.
SYSTEM_FAILED = "system_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds; None means no limit."""

    message: float | None = 180.0
    dialogue: float | None = 1200.0
    idle: float | None = 240.0
    disconnect: float | None = 45.0
    waiting: float | None = 180.0


@dataclass(frozen=True, slots=True)
class Overdue:
    """What has run out, and whose fault it is (None: nobody's)."""

    reason: str
    seat: int | None = None


def overdue(
    dialogue: Dialogue,
    movers: frozenset[int],
    people: Collection[int],
    limits: Limits,
    now: float,
    *,
    busy_until: float = 0.0,
) -> Overdue | None:
    """The limit that has been passed, or None.

    Until `busy_until` somebody was active in a conversation that belongs to this one, such as the
    one beside it on the screen; nobody's turn runs out meanwhile.
    """
    started = started_at(dialogue)
    if dialogue.is_over or started is None:
        return None
    if limits.dialogue is not None and now - started > limits.dialogue:
        return Overdue("time_up")
    gone = _gone(dialogue, people, limits, now)
    return gone or _late(dialogue, movers, people, limits, now, busy_until)


def started_at(dialogue: Dialogue) -> float | None:
    """When the first person came in; None before that."""
    machines = {s.index for s in dialogue.seats if s.kind == "system" and s.from_seq == 1}
    return next(
        (e.time for e in dialogue.events if e.action == JOIN and e.seat not in machines), None
    )


def remaining(dialogue: Dialogue, limits: Limits, now: float) -> float | None:
    """Seconds until the dialogue's own limit; None where there is none."""
    started = started_at(dialogue)
    if limits.dialogue is None:
        return None
    return limits.dialogue if started is None else max(0.0, started + limits.dialogue - now)


def _gone(
    dialogue: Dialogue, people: Collection[int], limits: Limits, now: float
) -> Overdue | None:
    if limits.disconnect is None or len(people) < 2:
        return None
    for seat in people:
        if seat in dialogue.present:
            continue
        left = max(
            (e.time for e in dialogue.events if e.action == LEAVE and e.seat == seat), default=None
        )
        since = left if left is not None else started_at(dialogue)
        if since is not None and now - since > limits.disconnect:
            return Overdue("disconnected", seat)
    return None


def _late(
    dialogue: Dialogue,
    movers: frozenset[int],
    people: Collection[int],
    limits: Limits,
    now: float,
    busy_until: float,
) -> Overdue | None:
    last = dialogue.last_turn
    since = max(last.time if last else 0.0, _all_here_since(dialogue, people), busy_until)
    for seat in people:
        if seat not in movers or (last is not None and last.seat == seat):
            continue
        if limits.message is not None and movers == {seat} and now - since > limits.message:
            return Overdue("message_timeout", seat)
        if limits.idle is not None and now - since > limits.idle:
            # Two people who never spoke are both to blame, and neither is.
            return Overdue("idle", None if last is None and movers > {seat} else seat)
    return None


def _all_here_since(dialogue: Dialogue, people: Collection[int]) -> float:
    # Nobody's turn runs before everybody has come in once.
    first_joins: dict[int, float] = {}
    for event in dialogue.events:
        if event.action == JOIN and event.seat is not None and event.seat in people:
            first_joins.setdefault(event.seat, event.time)
            if len(first_joins) >= len(people):
                break
    return max((first_joins.get(seat, 0.0) for seat in people), default=0.0)
