"""The outbox of credits: what a panel is to give for a visit, and what it said to each.

A credit is written in the transaction that ends the visit, once for a visit. What the panel sent is
kept for as long as it is needed for the call, and not longer.
"""

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, and_, or_, select, update

from palaver.core.names import person_name
from palaver.core.studies.credits import Credit, CreditList
from palaver.storage.outbox.box import Outbox, count_states, newest, put, revive
from palaver.storage.schema import assignments, credits

MOST_LISTED = 500


def _credit(row: Row[Any]) -> Credit:
    values = dict(row._mapping)
    sent = values.pop("sent_values")
    person = person_name(values.pop("participant_id"))
    kept = msgspec.json.decode(sent, type=tuple[str, str, str]) if sent else ("", "", "")
    return Credit(**values, person=person, sent_values=kept)


def _forget_settled(connection: Connection, credit_id: int) -> None:
    """Take what a panel sent from a credit that was given, or that failed for somebody erased."""
    erased = select(assignments.c.id).where(assignments.c.external_id.is_(None))
    unneeded = or_(
        credits.c.state == "sent",
        and_(credits.c.state == "failed", credits.c.assignment_id.in_(erased)),
    )
    connection.execute(
        update(credits).where(credits.c.id == credit_id, unneeded).values(sent_values="")
    )


_UNREAD = ("key", "assignment_id", "lease")
CREDITS = Outbox(
    credits,
    select(
        *(column for column in credits.c if column.name not in _UNREAD),
        assignments.c.participant_id,
    ).join(assignments, assignments.c.id == credits.c.assignment_id),
    _credit,
    lease_seconds=120.0,
    settle=_forget_settled,
)


def credits_in(study_ids: Collection[int]) -> Outbox[Credit]:
    """The credits of these studies."""
    return CREDITS.where(credits.c.study_id.in_(list(study_ids)))


def enqueue_credit(
    connection: Connection,
    *,
    study_id: int,
    assignment_id: int,
    sent_values: tuple[str, str, str],
    now: float,
) -> bool:
    """Put a credit into the outbox, due at once; False if there is one of this visit already."""
    return put(
        connection,
        credits,
        key=f"visit:{assignment_id}",
        now=now,
        study_id=study_id,
        assignment_id=assignment_id,
        sent_values=msgspec.json.encode(sent_values).decode(),
    )


def revive_credits(connection: Connection, study_id: int, *, now: float) -> int:
    """Let credits of a study that failed be tried again, now; how many they are."""
    sendable = credits_in([study_id]).where(credits.c.sent_values != "")
    return revive(connection, sendable, now=now)


def list_credits(connection: Connection, study_id: int, *, most: int = MOST_LISTED) -> CreditList:
    """The credits of a study, newest first."""
    box = credits_in([study_id])
    listed = tuple(newest(connection, box, most=most))
    return CreditList(**count_states(connection, box), credits=listed)


def forget_credit(connection: Connection, assignment_id: int) -> None:
    """Take what a panel sent from a credit of somebody who is erased; one that waits is still sent."""
    connection.execute(
        update(credits)
        .where(credits.c.assignment_id == assignment_id, credits.c.state == "failed")
        .values(sent_values="")
    )
