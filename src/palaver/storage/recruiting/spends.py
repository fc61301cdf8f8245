"""A study's budget: what is spoken for, counted under a lock: two cannot spend the same money."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, func, insert, select, update

from palaver.storage.schema.recruiting import spends
from palaver.storage.studies.studies import hold_study

SpendKind = Literal["places", "bonus", "adjustment"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What of a budget is spoken for, by kind, in the currency's smallest unit."""

    by_kind: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_kind.values())


def spend(
    connection: Connection,
    study_id: int,
    *,
    kind: SpendKind,
    subject: str,
    amount: int,
    currency: str,
    limit: int | None,
    now: float,
) -> int | None:
    """Speak for an amount in place of what was spoken for under this subject.

    None where it fits; how much is left for it where it does not, and then nothing has changed. The
    study is held until the commit: whoever spends at the same time waits and counts this one.
    """
    hold_study(connection, study_id)
    mine = (
        spends.c.study_id == study_id,
        spends.c.kind == kind,
        spends.c.subject == subject,
    )
    others = connection.scalar(
        select(func.coalesce(func.sum(spends.c.amount), 0)).where(
            spends.c.study_id == study_id,
            ~((spends.c.kind == kind) & (spends.c.subject == subject)),
        )
    )
    known = connection.scalar(select(spends.c.amount).where(*mine))
    left = None if limit is None else max(0, limit - int(others or 0))
    # Less than before always fits: whoever is over the budget already can come down.
    if left is not None and amount > left and amount > (known or 0):
        return left
    if known is None:
        connection.execute(
            insert(spends).values(
                study_id=study_id,
                kind=kind,
                subject=subject,
                amount=amount,
                currency=currency,
                time=now,
            )
        )
    else:
        connection.execute(update(spends).where(*mine).values(amount=amount, time=now))
    return None


def free_spend(connection: Connection, study_id: int, *, kind: SpendKind, subject: str) -> None:
    """Give back what was spoken for under a subject."""
    connection.execute(
        delete(spends).where(
            spends.c.study_id == study_id, spends.c.kind == kind, spends.c.subject == subject
        )
    )


def read_spent(connection: Connection, study_id: int) -> Spent:
    """What of a study's budget is spoken for."""
    rows = connection.execute(
        select(spends.c.kind, func.sum(spends.c.amount))
        .where(spends.c.study_id == study_id)
        .group_by(spends.c.kind)
        .order_by(spends.c.kind)
    )
    return Spent({kind: int(amount) for kind, amount in rows})
