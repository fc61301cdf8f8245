"""Raising pay afterwards, so that an hour was paid as it was promised, or as a panel asks at least.

A panel judges a study by the median of the times that people really took. Where that was longer than
promised, everybody who did all steps gets the same on top, once for each line that is to be reached.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.words import counted
from palaver.storage.recruiting import payments as rows
from palaver.storage.recruiting.payments import Intent
from palaver.studies.recruiting.books import read_meter, read_reconciliation
from palaver.studies.recruiting.money.entitlements import ADJUSTMENT
from palaver.studies.recruiting.money.orders import LONGEST_WORDS, NOTHING_SENT

# What an hour shall have been paid: as promised, the panel's minimum, or what it recommends.
Line = Literal["promised", "minimum", "recommended"]
LINES: tuple[Line, ...] = ("promised", "minimum", "recommended")
WORDS: dict[Line, str] = {
    "promised": "what was promised",
    "minimum": "the panel's minimum",
    "recommended": "what the panel recommends",
}
# Whoever is in one of these did the work and is paid for it, or is to be.
COUNTED = frozenset({"approved", "partially_approved", "awaiting_review"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TopUp:
    """What people lack so that the median hour was paid as a line says: at most `each`, for so many."""

    derived: ClassVar[tuple[str, ...]] = ("words",)

    line: Line
    each: int
    people: int
    total: int
    currency: str

    @property
    def words(self) -> str:
        """What it comes to, in a sentence."""
        most = "" if self.total == self.each * self.people else "Up to "
        return (
            f"{most}{Money(self.each, self.currency)} each for "
            f"{counted(self.people, 'person', 'people')}, {Money(self.total, self.currency)} in all, "
            f"brings it to {WORDS[self.line]}."
        )


def read_top_ups(
    connection: Connection, recruitment: Recruitment, *, now: float
) -> tuple[TopUp, ...]:
    """What would still bring the median hour to each line that it does not reach."""
    found = []
    for line in LINES:
        lacking = _lacking(connection, recruitment, line, now=now)
        if lacking:
            amounts = lacking.values()
            found.append(
                TopUp(
                    line=line,
                    each=max(amounts),
                    people=len(amounts),
                    total=sum(amounts),
                    currency=recruitment.currency,
                )
            )
    return tuple(found)


def intend_adjustment(
    connection: Connection, recruitment: Recruitment, line: Line, *, actor: Actor, now: float
) -> int:
    """Intend what brings the median hour to a line, the same for all; how many payments are new.

    Who was given it for this line before gets nothing more for it, whatever the median is by now, so
    asking twice pays once.
    """
    if line not in LINES:
        raise InputError(
            f"There is no line '{str(line)[:40]}': choose promised, minimum or recommended. "
            f"{NOTHING_SENT}"
        )
    lacking = _lacking(connection, recruitment, line, now=now)
    words = f"a correction: the study took longer than was said ({WORDS[line]})"
    intents = [
        Intent(
            submission_id=submission,
            rule=ADJUSTMENT,
            subject=f"{line}/{submission}",
            amount=amount,
            words=words[:LONGEST_WORDS],
        )
        for submission, amount in lacking.items()
    ]
    return rows.intend(
        connection,
        recruitment.id,
        intents,
        currency=recruitment.currency,
        account=actor.name,
        now=now,
    )


def _lacking(
    connection: Connection, recruitment: Recruitment, line: Line, *, now: float
) -> dict[int, int]:
    """What each submission lacks to a line, beside what other lines have brought it already."""
    meter = read_meter(connection, recruitment)
    lines = {
        "promised": meter.promised,
        "minimum": meter.minimum,
        "recommended": meter.recommended,
    }
    wanted = lines[line]
    most = 0 if wanted is None else meter.top_up(wanted)
    known = [p for p in rows.list_payments(connection, recruitment.id) if p.rule == ADJUSTMENT]
    for_line = {each.subject for each in known}
    given: dict[int, int] = {}
    for each in known:
        given[each.submission_id] = given.get(each.submission_id, 0) + each.amount
    found = {
        each.id: most - given.get(each.id, 0)
        for each in _done(connection, recruitment, now=now)
        if f"{line}/{each.id}" not in for_line
    }
    return {submission: amount for submission, amount in found.items() if amount > 0}


def _done(connection: Connection, recruitment: Recruitment, *, now: float) -> list[KeptSubmission]:
    """Submissions of people who did all steps and are paid for them, or are to be decided on."""
    reconciled = read_reconciliation(connection, recruitment, now=now)
    return [
        row.submission
        for row in reconciled.rows
        if row.submission is not None
        and row.submission.panel_id is not None
        and row.submission.state in COUNTED
        and row.visit is not None
        and row.visit.is_complete
    ]
