"""Payments and the orders in which they are paid.

A payment is intended once for one thing under one rule. An order holds payments; while it may have
been sent, nothing of it can be in another. That it is being sent is committed before it is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from palaver.core.errors import ConflictError, MissingError
from palaver.core.recruiting.payments import OrderState, Payment, PayOrder
from palaver.storage.engine.keys import new_key
from palaver.storage.schema.recruiting import (
    panel_submissions,
    pay_orders,
    payments,
    recruitments,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What somebody is to get: for which submission, under which rule, for which thing, how much."""

    submission_id: int
    rule: str
    subject: str
    amount: int
    words: str = ""


def intend(
    connection: Connection,
    recruitment_id: int,
    intents: Sequence[Intent],
    *,
    currency: str,
    account: str,
    now: float,
) -> int:
    """Keep intents that are new; how many they are. One that was kept before stays as it was."""
    # Whoever intends the same at the same time waits here, and finds what the first kept.
    mine = select(recruitments.c.id).where(recruitments.c.id == recruitment_id)
    connection.execute(mine.with_for_update(key_share=True))
    rows = connection.execute(
        select(payments.c.rule, payments.c.subject).where(
            payments.c.recruitment_id == recruitment_id
        )
    )
    known = {(rule, subject) for rule, subject in rows}
    fresh = {(each.rule, each.subject): each for each in intents}
    new = [
        {
            "recruitment_id": recruitment_id,
            "submission_id": each.submission_id,
            "rule": each.rule,
            "subject": each.subject,
            "amount": each.amount,
            "currency": currency,
            "words": each.words,
            "account": account,
            "created": now,
        }
        for name, each in fresh.items()
        if name not in known and each.amount > 0
    ]
    if new:
        connection.execute(insert(payments), new)
    return len(new)


def list_payments(connection: Connection, recruitment_id: int) -> list[Payment]:
    """The payments of a recruitment, oldest first."""
    statement = _payments().where(payments.c.recruitment_id == recruitment_id)
    return [_payment(row) for row in connection.execute(statement.order_by(payments.c.id))]


def unordered(connection: Connection, recruitment_id: int) -> list[Payment]:
    """The payments that nobody has ordered yet."""
    statement = _payments().where(
        payments.c.recruitment_id == recruitment_id, payments.c.order_id.is_(None)
    )
    return [_payment(row) for row in connection.execute(statement.order_by(payments.c.id))]


def make_order(
    connection: Connection,
    recruitment_id: int,
    payment_ids: Collection[int],
    *,
    currency: str,
    account: str,
    now: float,
) -> PayOrder:
    """An order of these payments; ConflictError if one of them is in another order by now."""
    key = new_key("o")
    chosen = list(payment_ids)
    amount = connection.scalar(
        select(func.sum(payments.c.amount)).where(
            payments.c.id.in_(chosen), payments.c.order_id.is_(None)
        )
    )
    order_id = connection.execute(
        insert(pay_orders)
        .values(
            key=key,
            recruitment_id=recruitment_id,
            state="intended",
            amount=int(amount or 0),
            currency=currency,
            account=account,
            created=now,
        )
        .returning(pay_orders.c.id)
    ).scalar_one()
    taken = connection.execute(
        update(payments)
        .where(
            payments.c.id.in_(chosen),
            payments.c.order_id.is_(None),
            payments.c.recruitment_id == recruitment_id,
        )
        .values(order_id=order_id)
    )
    if taken.rowcount != len(chosen) or not chosen:
        raise ConflictError("Some of these payments were ordered by somebody else meanwhile.")
    return find_order(connection, key)


def payments_in(connection: Connection, order: PayOrder) -> list[Payment]:
    """The payments of an order, oldest first."""
    statement = _payments().where(payments.c.order_id == order.id)
    return [_payment(row) for row in connection.execute(statement.order_by(payments.c.id))]


def find_order(connection: Connection, key: str) -> PayOrder:
    """The order with this key; MissingError if there is none."""
    row = connection.execute(select(pay_orders).where(pay_orders.c.key == key)).one_or_none()
    if row is None:
        raise MissingError(f"There is no order '{key[:40]}' here.")
    return _order(row)


def list_orders(
    connection: Connection,
    recruitment_id: int | None = None,
    *,
    states: Collection[OrderState] = (),
) -> list[PayOrder]:
    """Orders to pay, oldest first: all, those of a recruitment, or those in some states."""
    statement = select(pay_orders).order_by(pay_orders.c.id)
    if recruitment_id is not None:
        statement = statement.where(pay_orders.c.recruitment_id == recruitment_id)
    if states:
        statement = statement.where(pay_orders.c.state.in_(list(states)))
    return [_order(row) for row in connection.execute(statement)]


def move_order(
    connection: Connection,
    order: PayOrder,
    state: OrderState,
    *,
    before: Collection[OrderState],
    **values: Any,
) -> PayOrder:
    """Bring an order on; ConflictError if it is not in one of the states `before`.

    The row is changed under its own condition: of two that would send it one gets here.
    """
    moved = connection.execute(
        update(pay_orders)
        .where(pay_orders.c.id == order.id, pay_orders.c.state.in_(list(before)))
        .values(state=state, **values)
    )
    if moved.rowcount != 1:
        now = find_order(connection, order.key)
        raise ConflictError(f"This order is {now.words} by now.")
    return find_order(connection, order.key)


def release_payments(connection: Connection, order: PayOrder) -> None:
    """Let the payments of an order that surely paid nothing be ordered again."""
    connection.execute(
        update(payments).where(payments.c.order_id == order.id).values(order_id=None)
    )


def drop_payment(connection: Connection, recruitment_id: int, payment_id: int) -> bool:
    """Take back a payment that nobody has ordered; False if it is ordered by now."""
    gone = connection.execute(
        payments.delete().where(
            payments.c.id == payment_id,
            payments.c.recruitment_id == recruitment_id,
            payments.c.order_id.is_(None),
        )
    )
    return gone.rowcount == 1


def _payments() -> Select[Any]:
    return (
        select(
            payments.c.id,
            payments.c.submission_id,
            panel_submissions.c.panel_id.label("submission"),
            panel_submissions.c.participant,
            payments.c.rule,
            payments.c.subject,
            payments.c.amount,
            payments.c.currency,
            payments.c.words,
            pay_orders.c.key.label("order"),
            pay_orders.c.state,
            payments.c.account,
            payments.c.created,
        )
        .join(panel_submissions, panel_submissions.c.id == payments.c.submission_id)
        .outerjoin(pay_orders, pay_orders.c.id == payments.c.order_id)
    )


def _payment(row: Row[Any]) -> Payment:
    return Payment(**row._mapping)


def _order(row: Row[Any]) -> PayOrder:
    return PayOrder(**row._mapping)
