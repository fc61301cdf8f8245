"""Submissions and payments of a recruitment as tables that a spreadsheet may open."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.formats.spreadsheets import escaped_row
from palaver.studies.recruiting.books import PaymentBooks
from palaver.studies.recruiting.submissions.reconciliation import PanelVisit, Reconciliation

SUBMISSIONS = (
    *("person", "here", "outcome", "arrived", "ended"),
    *("participant", "submission", "state", "started", "completed", "seconds", "reward", "bonus"),
    *("decision", "decision_state", "decided_by", "currency", "mismatches"),
)
PAYMENTS = (
    *("person", "participant", "submission", "rule", "for", "amount", "currency", "order"),
    *("state", "created"),
)


def submissions_csv(
    recruitment: Recruitment, reconciled: Reconciliation, *, spreadsheet: bool = True
) -> str:
    """Ours beside theirs, a line for each; with `spreadsheet` no cell is taken for a formula."""

    lines = (
        (
            *_of_visit(row.visit),
            *_of_submission(row.submission, row.visit, recruitment.currency),
            recruitment.currency,
            " ".join(found.kind for found in row.mismatches),
        )
        for row in reconciled.rows
    )
    return _written(SUBMISSIONS, lines, spreadsheet=spreadsheet)


def payments_csv(books: PaymentBooks, names: Mapping[str, str], *, spreadsheet: bool = True) -> str:
    """What people get on top, a line for each; `names` are ours by the panel's submissions."""
    lines = (
        (
            names.get(each.submission or "", ""),
            each.participant or "",
            each.submission or "",
            each.rule,
            each.words,
            Money(each.amount, each.currency).major,
            each.currency,
            each.order or "",
            each.state or "due",
            _moment(each.created),
        )
        for each in books.payments
    )
    return _written(PAYMENTS, lines, spreadsheet=spreadsheet)


def _written(head: Sequence[str], lines: Iterable[Sequence[object]], *, spreadsheet: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows(escaped_row(line) if spreadsheet else line for line in lines)
    return out.getvalue()


def _of_visit(visit: PanelVisit | None) -> tuple[str, ...]:
    if visit is None:
        return ("",) * 5
    outcome = visit.outcome or ""
    return (visit.name, visit.state, outcome, _moment(visit.created), _moment(visit.finished))


def _of_submission(
    known: KeptSubmission | None, visit: PanelVisit | None, currency: str
) -> tuple[object, ...]:
    if known is None:
        came = ("", "") if visit is None else (visit.participant or "", visit.session or "")
        return (*came, *("",) * 9)

    def amount(minor: int | None) -> str:
        return "" if minor is None else Money(minor, currency).major

    return (
        known.participant or "",
        known.panel_id or "",
        known.state,
        _moment(known.started),
        _moment(known.completed),
        "" if known.seconds is None else known.seconds,
        amount(known.reward),
        amount(known.bonus),
        known.decision,
        known.decision_state,
        known.decided_by,
    )


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
