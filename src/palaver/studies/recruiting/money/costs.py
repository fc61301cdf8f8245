"""What a study cost: paid by a panel as its books say, or else owed as the study file promises.

Of a recruitment, what the panel said it pays counts, with its fees: rewards of submissions that were
approved, what screen-outs were paid, and the orders that surely were. What is still to be decided or
paid stands beside it. A study without a recruitment has what its ended visits are owed, and no fees:
what a panel by address takes for itself is not known here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from sqlalchemy import Connection

from palaver.core.money import Money, read_money, rounded_money
from palaver.core.recruiting.payments import HOLDING, Payment, PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import PAID, KeptSubmission
from palaver.core.serial import if_any
from palaver.core.studies.outcomes import OUTCOMES
from palaver.core.studies.visits import EndedVisit
from palaver.core.words import counted
from palaver.storage.dialogues.companies import companies
from palaver.storage.dialogues.summaries import count_studies, ended_visits
from palaver.storage.recruiting.payments import list_orders, list_payments
from palaver.storage.recruiting.recruitments import list_recruitments
from palaver.storage.recruiting.submissions import list_submissions
from palaver.studies.file.definition import Study
from palaver.studies.recruiting.books import read_meter
from palaver.studies.recruiting.money.budget import Budget, read_budget
from palaver.studies.recruiting.money.entitlements import ADJUSTMENT, WAITING
from palaver.studies.recruiting.money.wages import Time, WageMeter, wage_meter
from palaver.studies.recruiting.offering.codes import screen_out_pay
from palaver.studies.run.dues import owed

# Where the numbers come from: what a panel paid, or what visits are owed by the study file.
Source = Literal["panel", "promises"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCosts:
    """What a study cost so far, in the currency's smallest unit; `total` holds all of it.

    `open` is what may still come: submissions that wait for a decision, bonuses that are due or
    ordered, with fees. `unknown` is in orders of which nobody knows whether they were paid; it is in
    neither. `finished` people did all steps; `answers` and `dialogues` are those that count. What one
    of them cost is told with what may still come, as if all of it were paid.
    """

    derived: ClassVar[tuple[str, ...]] = (
        "total",
        "per_finished",
        "per_answer",
        "per_dialogue",
        "words",
    )

    source: Source
    currency: str
    finished: int
    answers: int
    dialogues: int
    rewards: int
    # What was paid to people who were screened out, turned away, stopped or paid in part by a decision.
    parts: int
    waiting: int
    bonuses: int
    adjustments: int
    fees: int
    open: int
    unknown: int = if_any(0)
    budget: Budget | None = None
    # One for each recruitment, oldest first; one of all visits where there is none.
    meters: tuple[WageMeter, ...] = ()
    warnings: tuple[str, ...] = if_any(())

    @property
    def total(self) -> int:
        """All that was paid, or is owed."""
        paid = self.rewards + self.parts + self.waiting + self.bonuses + self.adjustments
        return paid + self.fees

    @property
    def per_finished(self) -> float | None:
        """What each person who did all steps cost; None if nobody did."""
        return self._foreseen / self.finished if self.finished else None

    @property
    def per_answer(self) -> float | None:
        """What each answer that counts cost; None if there is none."""
        return self._foreseen / self.answers if self.answers else None

    @property
    def per_dialogue(self) -> float | None:
        """What each dialogue that is data cost; None if there is none."""
        return self._foreseen / self.dialogues if self.dialogues else None

    @property
    def _foreseen(self) -> int:
        return self.total + self.open

    @property
    def words(self) -> str:
        """What it cost, in a sentence."""
        total = Money(self.total, self.currency)
        verb = "was paid" if self.source == "panel" else "is owed by what the study promises"
        told = f"{total} {verb}"
        if self.source == "panel":
            told += f", {Money(self.fees, self.currency)} of it fees"
        if self.open:
            told += f"; {Money(self.open, self.currency)} may still come"
        if self.per_finished is not None:
            each = Money(round(self.per_finished), self.currency)
            people = counted(self.finished, "person", "people")
            told += f". That makes {each} for each of {people} who finished"
        return told + "."


def read_costs(connection: Connection, study_id: int, study: Study) -> StudyCosts | None:
    """What a study cost so far; None where its file says nothing of pay."""
    if study.pay is None:
        return None
    recruitments = [
        each
        for each in list_recruitments(connection, study_id)
        if not each.is_trial and each.published is not None
    ]
    visits = ended_visits(connection, study_id)
    if not recruitments:
        return _promised(connection, study_id, study, visits)
    return _paid(connection, study_id, study, visits, recruitments)


@dataclass(frozen=True, slots=True)
class _Counts:
    answers: int
    dialogues: int


def _counts(connection: Connection, study: Study) -> _Counts:
    found = count_studies(connection, study.name)
    return _Counts(found[0].labels, found[0].dialogues) if found else _Counts(0, 0)


def _promised(
    connection: Connection, study_id: int, study: Study, visits: Sequence[EndedVisit]
) -> StudyCosts:
    """What ended visits are owed; nobody here knows whether it was paid."""
    pay = study.pay
    assert pay is not None
    rewards = parts = waiting = 0
    for visit in visits:
        due = owed(pay, state=visit.state, reason=visit.reason, waited=visit.waited)
        if due is None:
            continue
        waited = rounded_money(due.waiting, pay.currency).minor
        work = rounded_money(due.amount, pay.currency).minor - waited
        waiting += waited
        rewards += work if due.share == "full" else 0
        parts += 0 if due.share == "full" else work
    counts, panel = _counts(connection, study), study.crowd.panel
    company = companies(connection, study_id)
    meter = wage_meter(
        reward=read_money(pay.amount, pay.currency),
        minutes=study.minutes_in_all,
        times=[
            Time(each.seconds or 0.0, company.get(each.id, each.id))
            for each in visits
            if each.is_complete
        ],
        lines=() if panel is None else panel.pay,
    )
    return StudyCosts(
        source="promises",
        currency=pay.currency,
        finished=sum(each.is_complete for each in visits),
        answers=counts.answers,
        dialogues=counts.dialogues,
        rewards=rewards,
        parts=parts,
        waiting=waiting,
        bonuses=0,
        adjustments=0,
        fees=0,
        open=0,
        budget=read_budget(connection, study_id, study) if pay.budget is not None else None,
        meters=(meter,),
        warnings=() if panel is None else ("The panel's own fees are not in these numbers.",),
    )


def _paid(
    connection: Connection,
    study_id: int,
    study: Study,
    visits: Sequence[EndedVisit],
    recruitments: Sequence[Recruitment],
) -> StudyCosts:
    """What the books of the recruitments say was paid."""
    rewards = parts = fees = still = unsure = 0
    paid: list[Payment] = []
    orders: list[PayOrder] = []
    for each in recruitments:
        for submission in list_submissions(connection, each.id):
            amount = paid_for(each, submission, study)
            if submission.state in ("screened_out", "partially_approved"):
                parts += amount
            else:
                rewards += amount
            fees += each.with_fee(amount) - amount
            unsure += submission.state == "partially_approved" and amount == each.reward
            if submission.state == "awaiting_review":
                still += each.with_fee(each.reward)
        payments = list_payments(connection, each.id)
        paid += [one for one in payments if one.state == "paid"]
        still += _still_due(each, payments)
        orders += list_orders(connection, each.id)
    fees += sum((one.total or one.amount) - one.amount for one in orders if one.state == "paid")
    counts, pay = _counts(connection, study), study.pay
    assert pay is not None
    return StudyCosts(
        source="panel",
        currency=recruitments[0].currency,
        finished=sum(each.is_complete for each in visits),
        answers=counts.answers,
        dialogues=counts.dialogues,
        rewards=rewards,
        parts=parts,
        waiting=_sum(paid, only=WAITING),
        adjustments=_sum(paid, only=ADJUSTMENT),
        bonuses=sum(one.amount for one in paid if one.rule not in (WAITING, ADJUSTMENT)),
        fees=fees,
        open=still,
        unknown=sum(one.total or one.amount for one in orders if one.state == "unknown"),
        budget=read_budget(connection, study_id, study),
        meters=tuple(read_meter(connection, each) for each in recruitments),
        warnings=tuple(_warnings(unsure, orders)),
    )


def _sum(payments: Iterable[Payment], *, only: str) -> int:
    return sum(one.amount for one in payments if one.rule == only)


def paid_for(recruitment: Recruitment, submission: KeptSubmission, study: Study | None) -> int:
    """What the panel pays for a submission as it stands, without bonuses and fees.

    Of a part the panel's own figure counts, once its list says another than the whole reward, and until
    then what was decided here. `study` is None where its file is not at hand.
    """
    if submission.state not in PAID:
        return 0
    if submission.state == "partially_approved":
        told, percent = submission.reward, submission.detail.get("percent")
        if told is not None and told != recruitment.reward:
            return told
        if submission.decision == "pay_part" and isinstance(percent, int):
            return recruitment.part(percent)
        return recruitment.reward
    if submission.state != "screened_out":
        return recruitment.reward
    chosen = submission.detail.get("pay")
    if submission.decision == "screen_out" and isinstance(chosen, int):
        return chosen
    outcome = next((o for o in OUTCOMES if recruitment.codes.get(o) == submission.code), None)
    return 0 if outcome is None or study is None else screen_out_pay(study, outcome)


def _still_due(recruitment: Recruitment, payments: Iterable[Payment]) -> int:
    """What is due or ordered on top and not paid, with the panel's fee."""
    waits = HOLDING - {"paid", "unknown"}
    due = sum(one.amount for one in payments if one.state is None or one.state in waits)
    return recruitment.with_fee(due)


def _warnings(unsure: int, orders: Sequence[PayOrder]) -> Iterable[str]:
    if unsure:
        yield (
            f"{counted(unsure, 'submission')} paid in part at the panel: counted with the whole "
            "reward, which is more than was paid."
        )
    if lost := sum(one.state == "unknown" for one in orders):
        yield (
            f"Of {counted(lost, 'order')} nobody here knows whether it was paid: look at the panel."
        )
