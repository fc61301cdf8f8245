"""What happens when a limit of a live dialogue has run out: it ends, or a system takes a seat."""

from sqlalchemy import Connection

from palaver.collection.driven import Driven
from palaver.collection.limits import Overdue, overdue
from palaver.core.events import JOIN, NOBODY, TAKEOVER, Move
from palaver.core.protocols import Ending
from palaver.storage.dialogues.dialogues import Occupant, add_seat


def enforce_limits(driven: Driven, now: float, *, busy_until: float) -> None:
    """End the dialogue, or replace whoever is gone, where a limit has run out."""
    room = driven.room
    late = overdue(
        room.dialogue,
        room.conversation.movers(),
        room.people,
        room.plan.limits,
        now,
        busy_until=busy_until,
    )
    if late is None:
        return
    if late.seat is not None and room.plan.partner_leaves and len(room.people) > 1:
        _replace_person(driven, late)
    else:
        outcome = None if late.seat is None else {"seat": late.seat}
        room.finish(Ending(late.reason, outcome))


def _replace_person(driven: Driven, late: Overdue) -> None:
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
        driven.joining.add(seat)
        room.note(seat, Move(action=JOIN), lease=driven.lease)
