"""Whose turns were judged: the role of whoever spoke in a unit that is a part of a dialogue."""

from sqlalchemy import Connection, and_, bindparam, select

from palaver.core.questions.turns import Role, role_among
from palaver.storage.engine.prepared import Prepared
from palaver.storage.schema import events, labels, seats, units

_judged = select(labels.c.unit_id).where(labels.c.study_id == bindparam("study"))
_SPOKEN = Prepared(
    select(units.c.id, units.c.dialogue_id, events.c.seat)
    .join(
        events,
        and_(events.c.dialogue_id == units.c.dialogue_id, events.c.seq == units.c.first_seq),
    )
    .where(units.c.id.in_(_judged), events.c.seat.is_not(None))
    .order_by(units.c.id)
)
_SEATS = Prepared(
    select(seats.c.dialogue_id, seats.c.seat, seats.c.kind)
    .where(
        seats.c.dialogue_id.in_(
            select(units.c.dialogue_id).where(
                units.c.id.in_(_judged), units.c.first_seq.is_not(None)
            )
        ),
        seats.c.from_seq == 1,
    )
    .order_by(seats.c.dialogue_id, seats.c.seat)
)


def speakers_of_units(connection: Connection, study_id: int) -> dict[int, Role]:
    """The role of the speaker of each turn that was judged in a study, by the unit's id."""
    spoken = _SPOKEN.all(connection, study=study_id)
    if not spoken:
        return {}
    kinds: dict[int, dict[int, str]] = {}
    for dialogue_id, seat, kind in _SEATS.all(connection, study=study_id):
        kinds.setdefault(dialogue_id, {})[seat] = kind
    return {
        unit_id: role_among(kinds.get(dialogue_id, {}), seat)
        for unit_id, dialogue_id, seat in spoken
    }
