"""Standings: a rater's record across studies, under the name of a qualification. Appended only."""

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, insert, select

from palaver.core.studies.raters import BARRED, LIFTED, PASSED, WARNED, QualificationEntry
from palaver.storage.engine.prepared import Prepared
from palaver.storage.schema import standings


def record(
    connection: Connection,
    *,
    participant_id: int,
    name: str,
    state: str,
    study_id: int,
    reason: str = "",
    now: float,
) -> None:
    """Append an entry."""
    connection.execute(
        insert(standings).values(
            participant_id=participant_id,
            name=name,
            state=state,
            study_id=study_id,
            reason=reason,
            time=now,
        )
    )


def standing(connection: Connection, participant_id: int, name: str) -> str | None:
    """The newest state under a name, or None."""
    return _NEWEST.scalar(connection, participant=participant_id, name=name)  # type: ignore[no-any-return]


def is_barred(connection: Connection, participant_id: int, name: str) -> bool:
    """Whether a person is barred under a name: the newest state that is no warning says so."""
    return bool(_HELD.scalar(connection, participant=participant_id, name=name) == BARRED)


def entries_of(connection: Connection, participant_id: int) -> list[QualificationEntry]:
    """The whole record of a person, oldest first."""
    return [QualificationEntry(*row) for row in _RECORD.all(connection, participant=participant_id)]


def verdict(entries: Iterable[QualificationEntry], name: str) -> QualificationEntry | None:
    """What holds under a name: passed, failed or barred; None if nothing does.

    A warning changes nothing. Lifting takes back a bar or a failure: what held before holds again.
    """
    held: list[QualificationEntry] = []
    for entry in entries:
        if entry.name != name or entry.state == WARNED:
            continue
        if entry.state == LIFTED:
            held = [earlier for earlier in held if earlier.state == PASSED]
        else:
            held.append(entry)
    return held[-1] if held else None


_STATE = (
    select(standings.c.state)
    .where(
        standings.c.participant_id == bindparam("participant"),
        standings.c.name == bindparam("name"),
    )
    .order_by(standings.c.id.desc())
    .limit(1)
)
_NEWEST = Prepared(_STATE)
_HELD = Prepared(_STATE.where(standings.c.state != WARNED))
_RECORD = Prepared(
    select(
        standings.c.name,
        standings.c.state,
        standings.c.study_id,
        standings.c.reason,
        standings.c.time,
    )
    .where(standings.c.participant_id == bindparam("participant"))
    .order_by(standings.c.id)
)
