"""What to know of a recruitment at a glance: how full it is, what waits, what it cost, what it pays.

Recruitments and orders are found here within one study: an id of another study finds nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.errors import InputError, MissingError
from palaver.core.money import Money
from palaver.core.recruiting.payments import Payment, PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.serial import if_any
from palaver.core.words import counted
from palaver.crowds.panels import PANELS
from palaver.crowds.secrets import PROLIFIC_HOOK, known_secret
from palaver.storage.recruiting import payments as payment_rows
from palaver.storage.recruiting import recruitments as rows
from palaver.storage.recruiting.deliveries import last_delivery
from palaver.storage.recruiting.submissions import list_submissions
from palaver.studies.file.definition import Study
from palaver.studies.recruiting.books import (
    PaymentBooks,
    read_meter,
    read_payments,
    read_reconciliation,
)
from palaver.studies.recruiting.money.budget import Budget, read_budget
from palaver.studies.recruiting.money.costs import paid_for
from palaver.studies.recruiting.money.wages import WageMeter
from palaver.studies.recruiting.submissions.reconciliation import (
    Mismatch,
    PanelVisit,
    Reconciliation,
)

STATE_WORDS = {
    "creating": "Being created at",
    "unpublished": "A draft at",
    "scheduled": "To be published at",
    "publishing": "Being published at",
    "active": "Recruiting at",
    "paused": "Paused at",
    "awaiting_review": "No longer recruiting at",
    "completed": "Completed at",
    "missing": "Gone from",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecruitmentList:
    """The recruitments of a study, oldest first."""

    recruitments: tuple[Recruitment, ...]

    @property
    def current(self) -> Recruitment | None:
        """The one that a page shows first: the newest that is no trial and not gone, else the newest."""
        real = [each for each in self.recruitments if not each.is_trial]
        there = [each for each in real if each.state != "missing"]
        found = there or real or self.recruitments
        return found[-1] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecruitmentSheet:
    """A recruitment with what it came to; amounts in the smallest unit.

    `spent` is what rewards and bonuses cost so far with the panel's fees, as far as it told. `budget`
    is null where the study is not served here or says nothing of pay.
    """

    derived: ClassVar[tuple[str, ...]] = ("words", "held_words")

    recruitment: Recruitment
    # How many submissions are in each of the panel's states.
    states: dict[str, int]
    mismatches: int
    spent: int
    due: int
    unknown_orders: int
    meter: WageMeter
    budget: Budget | None = None
    # Whether the panel is believed to tell of what happens, and when it was heard last.
    has_hooks: bool = False
    heard: float | None = if_any(None)

    @property
    def waiting(self) -> int:
        """How many submissions wait for a decision."""
        return self.states.get("awaiting_review", 0)

    @property
    def held_words(self) -> str:
        """Why nobody new comes, in words; empty where somebody may."""
        mine = self.recruitment
        if mine.held_for:
            return f"Paused by itself: {mine.held_words}."
        if mine.wanted == "paused" and mine.state == "paused":
            return (
                "A person paused it, here or at the panel, and it goes on when a person resumes it."
            )
        if mine.wanted == "stopped":
            return "It was stopped: no place is given away any more."
        return ""

    @property
    def words(self) -> str:
        """How it stands, in a sentence."""
        mine, panel = self.recruitment, PANELS.get(self.recruitment.panel).title
        told = f"{STATE_WORDS.get(mine.state, f'“{mine.state[:40]}” at')} {panel}"
        if mine.published is None:
            return f"{told}: {counted(mine.places, 'place')}, and nobody sees it yet."
        told += f": {mine.taken:,} of {counted(mine.places, 'place')} taken"
        if self.waiting:
            told += f", {self.waiting:,} waiting for your decision"
        return f"{told}."


def read_recruitments(connection: Connection, study_id: int) -> RecruitmentList:
    """The recruitments of a study."""
    return RecruitmentList(recruitments=tuple(rows.list_recruitments(connection, study_id)))


def recruitment_of(connection: Connection, study_id: int, key: str) -> Recruitment:
    """The recruitment of a study with this key; MissingError if it has none such."""
    found = rows.find_recruitment(connection, key)
    if found.study_id != study_id:
        raise MissingError(f"There is no recruitment '{key[:40]}' here.")
    return found


def order_of(connection: Connection, recruitment: Recruitment, key: str) -> PayOrder:
    """The order of a recruitment with this key; MissingError if it has none such."""
    found = payment_rows.find_order(connection, key)
    if found.recruitment_id != recruitment.id:
        raise MissingError(f"There is no order '{key[:40]}' here.")
    return found


def payments_of(connection: Connection, order: PayOrder) -> tuple[Payment, ...]:
    """What an order pays, and to whom."""
    return tuple(payment_rows.payments_in(connection, order))


def read_sheet(
    connection: Connection, recruitment: Recruitment, study: Study | None, *, now: float
) -> RecruitmentSheet:
    """A recruitment with what it came to; `study` is its file, where it is served."""
    reconciled = read_reconciliation(connection, recruitment, now=now)
    books = read_payments(connection, recruitment)
    known = list_submissions(connection, recruitment.id)
    states: dict[str, int] = {}
    for each in known:
        states[each.state] = states.get(each.state, 0) + 1
    paid = study is not None and study.pay is not None
    return RecruitmentSheet(
        recruitment=recruitment,
        states=states,
        mismatches=len(reconciled.mismatches),
        spent=_spent(recruitment, known, books, study),
        due=books.due,
        unknown_orders=sum(each.state == "unknown" for each in books.orders),
        meter=read_meter(connection, recruitment),
        budget=read_budget(connection, recruitment.study_id, study) if paid and study else None,
        has_hooks=_has_hook_secret(),
        heard=last_delivery(connection, recruitment.panel),
    )


def _has_hook_secret() -> bool:
    """Whether hooks can be checked here; what is wrong with the file of secrets is said elsewhere."""
    try:
        return known_secret(PROLIFIC_HOOK) is not None
    except InputError:
        return False


def _spent(
    recruitment: Recruitment,
    known: Iterable[KeptSubmission],
    books: PaymentBooks,
    study: Study | None,
) -> int:
    """What was paid so far with the panel's fees, as far as it is known here."""
    total = sum(recruitment.with_fee(paid_for(recruitment, each, study)) for each in known)
    for order in books.orders:
        if order.state == "paid":
            total += recruitment.with_fee(order.amount) if order.total is None else order.total
    return total


def spent_words(sheet: RecruitmentSheet) -> str:
    """What it cost so far beside what is spoken for and the budget, in a sentence."""
    currency = sheet.recruitment.currency
    told = f"{Money(sheet.spent, currency)} paid so far"
    if sheet.budget is None:
        return f"{told}."
    told += f", {Money(sheet.budget.spoken_for, currency)} spoken for"
    if sheet.budget.limit is None:
        return f"{told}; the study file sets no budget."
    return f"{told} of a budget of {Money(sheet.budget.limit, currency)}."


def without_panel_ids(reconciled: Reconciliation) -> Reconciliation:
    """The same for somebody who may not see the panel's names for people, nor any code."""
    return replace(
        reconciled,
        rows=tuple(
            replace(
                row,
                visit=_bare_visit(row.visit),
                submission=_bare_submission(row.submission),
                mismatches=tuple(_bare_mismatch(each) for each in row.mismatches),
            )
            for row in reconciled.rows
        ),
    )


def payments_without_ids(books: PaymentBooks) -> PaymentBooks:
    """The same for somebody who may not see the panel's names for people."""
    return replace(
        books,
        payments=tuple(replace(p, submission=None, participant=None) for p in books.payments),
    )


def _bare_visit(visit: PanelVisit | None) -> PanelVisit | None:
    return None if visit is None else replace(visit, participant=None, session=None, code=None)


def _bare_submission(known: KeptSubmission | None) -> KeptSubmission | None:
    if known is None:
        return None
    return replace(known, panel_id=None, participant=None, code=None, detail={})


def _bare_mismatch(found: Mismatch) -> Mismatch:
    words = found.words
    if found.kind == "other_code":
        words = "Handed in with a code that is not theirs."
    return replace(
        found,
        words=words,
        visit=_bare_visit(found.visit),
        submission=_bare_submission(found.submission),
    )
