"""Payments that nobody has ordered yet: chosen for an order, or taken back."""

from collections.abc import Collection

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.recruiting.payments import Payment
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.registry import near
from palaver.storage.recruiting import payments as rows


def choose_due(
    connection: Connection,
    recruitment: Recruitment,
    *,
    rules: Collection[str] = (),
    submissions: Collection[str] = (),
) -> tuple[Payment, ...]:
    """The payments that are due: all, or those under some rules or to some submissions.

    InputError if nothing is due like this.
    """
    due = rows.unordered(connection, recruitment.id)
    for rule in rules:
        if rule not in {each.rule for each in due}:
            hint = near(rule, {each.rule for each in due})
            raise InputError(f"Nothing is due under '{rule[:40]}'.{hint} Nothing was changed.")
    for submission in submissions:
        if submission not in {each.submission for each in due}:
            raise InputError(f"Nothing is due to '{submission[:40]}'. Nothing was changed.")
    chosen = [
        each
        for each in due
        if (not rules or each.rule in rules) and (not submissions or each.submission in submissions)
    ]
    if not chosen:
        raise InputError("Nothing is due. Work out what is due first; nothing was changed.")
    return tuple(chosen)


def take_back(connection: Connection, recruitment: Recruitment, payment_id: int) -> None:
    """Take back a payment that nobody has ordered; InputError if it is ordered by now."""
    if not rows.drop_payment(connection, recruitment.id, payment_id):
        raise InputError(
            "This payment was ordered meanwhile, or is not of this recruitment. Nothing was changed."
        )


def take_back_named(
    connection: Connection, recruitment: Recruitment, *, rule: str, subject: str
) -> Payment:
    """Take back the payment under this rule for this thing; InputError if it is not due."""
    for each in rows.unordered(connection, recruitment.id):
        if (each.rule, each.subject) == (rule, subject):
            take_back(connection, recruitment, each.id)
            return each
    raise InputError(f"Nothing is due under '{rule[:40]}' for this. Nothing was changed.")
