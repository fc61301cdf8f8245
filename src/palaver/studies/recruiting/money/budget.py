"""A study's budget: one place decides whether money may be spoken for, whoever asks.

Places on offer count with all they may cost, fees included, from before they are offered; bonuses from
before they are ordered. So what was spoken for is never less than what may be paid.
"""

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.money import Money, read_money
from palaver.core.serial import if_any
from palaver.storage.recruiting.spends import SpendKind, read_spent, spend
from palaver.studies.file.definition import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a study may cost, and what of it is spoken for, in the currency's smallest unit."""

    derived: ClassVar[tuple[str, ...]] = ("left",)

    currency: str
    limit: int | None
    spoken_for: int
    by_kind: dict[str, int] = if_any(factory=dict)

    @property
    def left(self) -> int | None:
        """What may still be spoken for; None where the study has no limit."""
        return None if self.limit is None else max(0, self.limit - self.spoken_for)


def read_budget(connection: Connection, study_id: int, study: Study) -> Budget:
    """The budget of a study and what of it is spoken for."""
    spent = read_spent(connection, study_id)
    return Budget(
        currency=currency_of(study),
        limit=_limit(study),
        spoken_for=spent.total,
        by_kind=spent.by_kind,
    )


def speak_for(
    connection: Connection,
    study_id: int,
    study: Study,
    *,
    kind: SpendKind,
    subject: str,
    amount: Money,
    what: str,
    now: float,
) -> None:
    """Speak for an amount in place of what was spoken for under this subject.

    InputError where the budget does not hold it; nothing has changed then. `what` says in words what
    it is for.
    """
    check_currency(study, amount.currency)
    left = spend(
        connection,
        study_id,
        kind=kind,
        subject=subject,
        amount=amount.minor,
        currency=amount.currency,
        limit=_limit(study),
        now=now,
    )
    if left is not None:
        raise InputError(
            f"{what} may cost {amount}, and {Money(left, amount.currency)} of the budget of "
            f"{Money(_limit(study) or 0, amount.currency)} is left for that. Nothing was changed. "
            "Ask for less, or raise 'budget' under 'pay' in the study file."
        )


def check_currency(study: Study, currency: str) -> None:
    """InputError if the panel pays in another currency than the study promises."""
    own = currency_of(study)
    if currency != own:
        raise InputError(
            f"The study pays in {own}, and the panel's workspace in {currency}. Nothing was changed. "
            f"Say 'pay: {{amount: …, currency: {currency}}}' in the study file, with what you mean "
            "to pay there."
        )


def currency_of(study: Study) -> str:
    """The currency of a study's pay; InputError where it says nothing of pay."""
    if study.pay is None:
        raise InputError(
            "The study says nothing of pay. Add 'pay: {amount: 1.50, currency: GBP}' to its file."
        )
    return study.pay.currency


def _limit(study: Study) -> int | None:
    pay = study.pay
    if pay is None or pay.budget is None:
        return None
    return read_money(pay.budget, pay.currency).minor
