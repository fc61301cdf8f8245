"""The books of a recruitment: ours beside theirs, what to decide, what to pay, what it cost.

What pages, commands and the API show is read here, in one transaction each.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.evaluation.bonuses import RoundBonuses
from palaver.core.money import Money
from palaver.core.names import person_name
from palaver.core.recruiting.payments import HOLDING, Payment, PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.studies.outcomes import OUTCOMES, outcome_of
from palaver.core.studies.visits import ACTIVE
from palaver.crowds.panels import PANELS
from palaver.storage.dialogues.companies import companies
from palaver.storage.dialogues.dialogues import dialogues_of_assignment
from palaver.storage.evaluation.rounds import rounds_of_study
from palaver.storage.people.participants import Assignment
from palaver.storage.recruiting import payments as payment_rows
from palaver.storage.recruiting.submissions import list_submissions
from palaver.storage.recruiting.visits import marks_of, panel_visits
from palaver.studies.file.definition import Study
from palaver.studies.recruiting.money.entitlements import Earner, entitlements
from palaver.studies.recruiting.money.wages import Time, WageMeter, wage_meter
from palaver.studies.recruiting.offering.codes import screen_out_pay
from palaver.studies.recruiting.submissions.reconciliation import (
    PanelVisit,
    Reconciliation,
    reconcile,
)
from palaver.studies.recruiting.submissions.suggestions import Suggestion, suggest
from palaver.studies.run.round_bonuses import round_bonuses


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentBooks:
    """What people of a recruitment get on top: what is due, ordered and paid, in the smallest unit."""

    derived: ClassVar[tuple[str, ...]] = ("due", "ordered", "paid")

    currency: str
    payments: tuple[Payment, ...]
    orders: tuple[PayOrder, ...]

    @property
    def due(self) -> int:
        """What nobody has ordered yet."""
        return sum(each.amount for each in self.payments if each.order is None)

    @property
    def ordered(self) -> int:
        """What was ordered and is not surely paid."""
        holding = HOLDING - {"paid"}
        return sum(each.amount for each in self.payments if each.state in holding)

    @property
    def paid(self) -> int:
        """What the panel said it paid."""
        return sum(each.amount for each in self.payments if each.state == "paid")


def read_reconciliation(
    connection: Connection, recruitment: Recruitment, *, now: float
) -> Reconciliation:
    """Every visit that a panel sent to a study beside what the panel says of it.

    With several recruitments of one study a visit belongs to the one that knows its piece of work.
    """
    submissions = list_submissions(connection, recruitment.id)
    visits = [
        each
        for each in panel_visits(connection, recruitment.study_id, recruitment.panel)
        if _is_of(each, recruitment, submissions)
    ]
    return reconcile(
        [panel_visit(each) for each in visits],
        submissions,
        checked=recruitment.checked,
        codes=recruitment.codes,
        now=now,
    )


def _is_of(
    visit: Assignment, recruitment: Recruitment, submissions: Iterable[KeptSubmission]
) -> bool:
    if visit.panel_study is not None:
        return visit.panel_study == recruitment.panel_id
    return visit.created >= recruitment.created or any(
        each.panel_id == visit.external_id for each in submissions
    )


def panel_visit(visit: Assignment) -> PanelVisit:
    """A visit as far as its panel is concerned."""
    return PanelVisit(
        key=visit.key,
        name=person_name(visit.participant_id),
        participant=visit.person,
        session=visit.external_id,
        state=visit.state,
        reason=visit.reason,
        outcome=None if visit.state == ACTIVE else outcome_of(visit.reason),
        code=visit.code,
        created=visit.created,
        finished=visit.finished,
    )


def read_suggestions(
    connection: Connection, recruitment: Recruitment, study: Study | None, *, now: float
) -> tuple[Suggestion, ...]:
    """What might be decided of each submission that waits, with its evidence.

    `study` says what is paid to whoever did not come to the end; None where its file is not at hand.
    """
    marks = marks_of(connection, recruitment.study_id)
    keys = {
        each.id: each.key
        for each in panel_visits(connection, recruitment.study_id, recruitment.panel)
    }
    return suggest(
        read_reconciliation(connection, recruitment, now=now),
        failed={keys[visit]: mark.failed for visit, mark in marks.items() if visit in keys},
        reports={keys[visit]: mark.reports for visit, mark in marks.items() if visit in keys},
        pays={} if study is None else {each: screen_out_pay(study, each) for each in OUTCOMES},
    )


def intend_due(
    connection: Connection, study: Study, recruitment: Recruitment, *, now: float
) -> int:
    """Intend everything on top that the study's rules give by now; how many payments are new.

    Asking again adds what has come since: what was intended before stays as it was.
    """
    submissions = {
        each.panel_id: each
        for each in list_submissions(connection, recruitment.id)
        if each.panel_id
    }
    rules = None if study.pay is None else study.pay.bonuses
    talks = rules is not None and (rules.point is not None or rules.long_chat is not None)
    earners = [
        Earner(
            submissions[visit.external_id],
            visit,
            dialogues_of_assignment(connection, visit.id) if talks else (),
        )
        for visit in panel_visits(connection, recruitment.study_id, recruitment.panel)
        if visit.external_id in submissions and visit.state != ACTIVE
    ]
    rounds = _closed_rounds(connection, recruitment.study_id) if study.writes else []
    return payment_rows.intend(
        connection,
        recruitment.id,
        entitlements(study, earners, rounds=rounds),
        currency=recruitment.currency,
        account="",
        now=now,
    )


def _closed_rounds(connection: Connection, study_id: int) -> list[RoundBonuses]:
    """What rounds of writing owe that are closed: it does not change any more."""
    return [
        round_bonuses(connection, each)
        for each in rounds_of_study(connection, study_id)
        if each.result is not None
    ]


def read_payments(connection: Connection, recruitment: Recruitment) -> PaymentBooks:
    """What people of a recruitment get on top, and the orders in which it was paid."""
    return PaymentBooks(
        currency=recruitment.currency,
        payments=tuple(payment_rows.list_payments(connection, recruitment.id)),
        orders=tuple(payment_rows.list_orders(connection, recruitment.id)),
    )


def read_meter(connection: Connection, recruitment: Recruitment) -> WageMeter:
    """What an hour of people's time was paid in a recruitment, by those who did all steps.

    Who was paid a part of the reward is left out: of them it would say more than they got.
    """
    known = {
        each.panel_id: each.seconds
        for each in list_submissions(connection, recruitment.id)
        if each.state != "partially_approved"
    }
    company = companies(connection, recruitment.study_id)
    times = [
        Time(
            known.get(each.external_id) or (each.finished or 0.0) - each.created,
            company.get(each.id, each.id),
        )
        for each in panel_visits(connection, recruitment.study_id, recruitment.panel)
        if each.finished is not None
        and outcome_of(each.reason) == "completed"
        and each.external_id in known
    ]
    return wage_meter(
        reward=Money(recruitment.reward, recruitment.currency),
        minutes=recruitment.minutes,
        times=times,
        lines=PANELS.get(recruitment.panel).pay,
    )
