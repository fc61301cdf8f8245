"""Turns a report and its evidence into pages that need nothing but themselves."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from palaver.reports.drawing import Drawing
from palaver.reports.report.contents import Report
from palaver.reports.report.evidence import EvidencePage
from palaver.reports.report.transcripts import Transcript, TranscriptPlaces

TEMPLATES = Path(__file__).parents[1] / "templates"


def report_page(report: Report, drawings: dict[str, Drawing], *, now: float) -> str:
    """The page of a report."""
    made = datetime.fromtimestamp(now, UTC)
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            drawings=drawings,
            css=_css(),
            made=made.strftime("%Y-%m-%d %H:%M UTC"),
            made_iso=made.isoformat(timespec="seconds"),
        )
    )


def labels_page(page: EvidencePage, *, title: str) -> str:
    """The page of the labels behind a question's numbers."""
    return _environment().get_template("evidence.html").render(page=page, title=title, css=_css())


def dialogues_page(
    transcripts: Sequence[Transcript], places: TranscriptPlaces, *, title: str
) -> str:
    """The page of what was said."""
    template = _environment().get_template("dialogues.html")
    return template.render(transcripts=transcripts, places=places, title=title, css=_css())


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@lru_cache(maxsize=1)
def _css() -> Markup:
    """Our own style sheet, which is written into each page."""
    return Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))
