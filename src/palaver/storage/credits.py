"""The outbox of credits: which wait, who is sending which, and what the panel said to each.

A credit is written in the transaction that ends the visit, once for a visit. Whoever sends takes it
under a lease; the lease of a process that has ended is taken back at once. What the panel sent is kept
for as long as it is needed for the call, and not longer.
"""

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.names import person_name
from palaver.core.studies.credits import Credit, CreditList
from palaver.storage.engine.holders import is_gone
from palaver.storage.engine.statements import store_now
from palaver.storage.schema import assignments, credits

# Longer than every step of sending one credit may take together.
LEASE_SECONDS = 120.0
MOST_LISTED = 500


def enqueue_credit(
    connection: Connection,
    *,
    study_id: int,
    assignment_id: int,
    sent_values: tuple[str, str, str],
    now: float,
) -> bool:
    """Put a credit into the outbox, due at once; False if there is one of this visit already."""
    values = {
        "key": f"visit:{assignment_id}",
        "study_id": study_id,
        "assignment_id": assignment_id,
        "sent_values": msgspec.json.encode(sent_values).decode(),
        "state": "waiting",
        "due": now,
        "created": now,
    }
    if connection.execute(select(credits.c.id).where(credits.c.key == values["key"])).scalar():
        return False
    try:
        with connection.begin_nested():
            connection.execute(insert(credits).values(values))
    except IntegrityError:
        return False  # another process wrote it in between
    return True


def has_due_credit(connection: Connection, study_ids: Collection[int], *, now: float) -> bool:
    """Whether a credit waits that nobody is sending: a look that locks nothing."""
    if connection.execute(_claimable(study_ids, now).limit(1)).scalar() is not None:
        return True
    return bool(_dead_holders(connection))


def claim_credit(
    connection: Connection,
    study_ids: Collection[int],
    holder: str,
    *,
    now: float,
    lease: float = LEASE_SECONDS,
) -> Credit | None:
    """Take the credit of these studies that is due for longest; None if there is none."""
    _release_dead(connection)
    found = connection.execute(
        _claimable(study_ids, now).limit(1).with_for_update(skip_locked=True, key_share=True)
    ).scalar()
    if found is None:
        return None
    connection.execute(
        update(credits)
        .where(credits.c.id == found)
        .values(holder=holder, lease=store_now() + lease)
    )
    return _credit(connection.execute(_select().where(credits.c.id == found)).one())


def mark_sent(connection: Connection, credit: Credit, *, reason: str, now: float) -> None:
    """The panel gave a credit, whoever holds it by now; what it was sent with is forgotten."""
    connection.execute(
        update(credits)
        .where(credits.c.id == credit.id, credits.c.state != "sent")
        .values(
            state="sent",
            sent=now,
            attempts=credits.c.attempts + 1,
            reason=reason,
            sent_values="",
            holder=None,
            lease=None,
        )
    )


def postpone(connection: Connection, credit: Credit, reason: str, *, due: float) -> None:
    """A credit could not be sent now: it is tried again at `due`."""
    _note(connection, credit, reason=reason, attempts=credit.attempts + 1, due=due)


def refuse(connection: Connection, credit: Credit, reason: str) -> None:
    """The panel does not give a credit: somebody must look."""
    _note(connection, credit, state="failed", reason=reason, attempts=credit.attempts + 1)
    forget_failed(connection, credit.id)


def revive(connection: Connection, study_id: int, *, now: float) -> int:
    """Let credits of a study that failed be tried again, now; how many they are."""
    changed = connection.execute(
        update(credits)
        .where(credits.c.study_id == study_id, credits.c.state == "failed")
        .where(credits.c.sent_values != "")
        .values(state="waiting", attempts=0, due=now)
    )
    return changed.rowcount


def list_credits(connection: Connection, study_id: int, *, most: int = MOST_LISTED) -> CreditList:
    """The credits of a study, newest first."""
    counted = select(credits.c.state, func.count()).where(credits.c.study_id == study_id)
    rows_by_state = connection.execute(counted.group_by(credits.c.state))
    known = {row.state: row[1] for row in rows_by_state}
    rows = connection.execute(
        _select().where(credits.c.study_id == study_id).order_by(credits.c.id.desc()).limit(most)
    )
    return CreditList(
        waiting=known.get("waiting", 0),
        sent=known.get("sent", 0),
        failed=known.get("failed", 0),
        credits=tuple(_credit(row) for row in rows),
    )


def forget_credit(connection: Connection, assignment_id: int) -> None:
    """Take what a panel sent from a credit of somebody who is erased; one that waits is still sent."""
    connection.execute(
        update(credits)
        .where(credits.c.assignment_id == assignment_id, credits.c.state == "failed")
        .values(sent_values="")
    )


def forget_failed(connection: Connection, credit_id: int) -> None:
    """The same once it has failed, where its person was erased while it waited."""
    erased = select(assignments.c.id).where(assignments.c.external_id.is_(None))
    connection.execute(
        update(credits)
        .where(
            credits.c.id == credit_id,
            credits.c.state == "failed",
            credits.c.assignment_id.in_(erased),
        )
        .values(sent_values="")
    )


def _select() -> Select[Any]:
    return select(*(credits.c[name] for name in _KEPT), assignments.c.participant_id).join(
        assignments, assignments.c.id == credits.c.assignment_id
    )


_KEPT = (
    *("id", "study_id", "sent_values", "state", "attempts", "due", "holder", "reason"),
    *("created", "sent"),
)


def _claimable(study_ids: Collection[int], now: float) -> Select[tuple[int]]:
    free = or_(credits.c.holder.is_(None), credits.c.lease < store_now())
    return (
        select(credits.c.id)
        .where(
            credits.c.state == "waiting",
            credits.c.study_id.in_(list(study_ids)),
            credits.c.due <= now,
            free,
        )
        .order_by(credits.c.due, credits.c.id)
    )


def _release_dead(connection: Connection) -> None:
    """Take credits back from processes of this machine that have ended."""
    if gone := _dead_holders(connection):
        connection.execute(
            update(credits)
            .where(credits.c.state == "waiting", credits.c.holder.in_(gone))
            .values(holder=None, lease=None)
        )


def _dead_holders(connection: Connection) -> list[str]:
    held = select(credits.c.holder).where(
        credits.c.state == "waiting", credits.c.holder.is_not(None)
    )
    return [holder for holder in connection.execute(held.distinct()).scalars() if is_gone(holder)]


def _note(connection: Connection, credit: Credit, **values: Any) -> None:
    """Note what came of a credit; nothing if another process has taken it since."""
    mine = and_(credits.c.id == credit.id, credits.c.holder == credit.holder)
    connection.execute(
        update(credits)
        .where(mine, credits.c.state == "waiting")
        .values(**values, holder=None, lease=None)
    )


def _credit(row: Row[Any]) -> Credit:
    values = dict(row._mapping)
    sent = values.pop("sent_values")
    person = person_name(values.pop("participant_id"))
    kept = msgspec.json.decode(sent, type=tuple[str, str, str]) if sent else ("", "", "")
    return Credit(**values, person=person, sent_values=kept)
