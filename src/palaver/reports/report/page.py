"""Turns a report and its evidence into pages that need nothing but themselves."""

from collections.abc import Sequence
from datetime import UTC, datetime

from palaver.reports.pages import render
from palaver.reports.pictures import Drawing
from palaver.reports.report.contents import Report
from palaver.reports.report.evidence import EvidencePage
from palaver.reports.report.transcripts import ReportTranscript, TranscriptPlaces


def report_page(report: Report, drawings: dict[str, Drawing], *, now: float) -> str:
    """The page of a report."""
    made = datetime.fromtimestamp(now, UTC)
    return render(
        "report.html",
        report=report,
        drawings=drawings,
        made=made.strftime("%Y-%m-%d %H:%M UTC"),
        made_iso=made.isoformat(timespec="seconds"),
    )


def labels_page(page: EvidencePage, *, title: str) -> str:
    """The page of the labels behind a question's numbers."""
    return render("evidence.html", page=page, title=title)


def dialogues_page(
    transcripts: Sequence[ReportTranscript], places: TranscriptPlaces, *, title: str
) -> str:
    """The page of what was said."""
    return render("dialogues.html", transcripts=transcripts, places=places, title=title)
