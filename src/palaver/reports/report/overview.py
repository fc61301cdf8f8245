"""The overview of a study: what each system got on every question, panels by what is measured.

The report draws it as one part, the desk as figures that answer to the pointer; both read this.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.figures import Figure, GridPoint, dot_grid
from palaver.core.estimates import Interval
from palaver.core.words import counted
from palaver.reports.report.parts import (
    EVIDENCE,
    Form,
    ReportColumn,
    ReportPart,
    ResultTable,
    known,
)
from palaver.reports.report.subject import Subject

# The tables that tell what each system got: the columns of the value, its interval and n.
ESTIMATES = {"means-": ("mean", "interval", "n"), "ranking-": ("rate", "rate_interval", "votes")}
OVERVIEW = "overview"
WIN_RATE, SHARE = "Win rate", "Share of answers"


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """What a system got on a question."""

    value: float
    interval: Interval | None
    n: int
    form: Form
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A question and what each system got there."""

    part: ReportPart
    systems: Mapping[str, SystemEstimate]


@dataclass(frozen=True, slots=True)
class FigurePanel:
    """Questions that are measured on the same scale; `ends` where the scale has some."""

    title: str
    rows: tuple[PanelRow, ...]
    ends: tuple[float, float] | None = None

    @property
    def is_percent(self) -> bool:
        return self.title in (WIN_RATE, SHARE)

    @property
    def noun(self) -> str:
        """What a row is."""
        return "label" if self.title == SHARE else "question"

    @property
    def reference(self) -> float | None:
        """Where two systems would be equal, if that is one place."""
        return 0.5 if self.title == WIN_RATE else None


@dataclass(frozen=True, slots=True)
class Overview:
    """All panels; `systems` are in the order of their marks."""

    panels: tuple[FigurePanel, ...]
    systems: tuple[str, ...]


def overview_of(parts: Sequence[ReportPart], subject: Subject) -> Overview:
    """The questions in which systems have a value, by what is measured and its scale."""
    scales = {f"question-{each.slug}": each.order for each in subject.ratings}
    panels: dict[str, list[PanelRow]] = {}
    ends: dict[str, tuple[float, float] | None] = {}
    for part in parts:
        for table in part.tables:
            kind = next((each for each in ESTIMATES if table.slug.startswith(each)), None)
            if kind is None:
                continue
            found = _estimates(table, *ESTIMATES[kind])
            if not found:
                continue
            scale = scales.get(part.anchor, ())
            name = _panel_name(part, kind, found, scale)
            panels.setdefault(name, []).append(PanelRow(part, found))
            ends[name] = _scale_ends(scale) if name not in (WIN_RATE, SHARE) else None
    systems = sorted({name for rows in panels.values() for row in rows for name in row.systems})
    return Overview(
        tuple(FigurePanel(name, tuple(rows), ends[name]) for name, rows in panels.items()),
        tuple(systems),
    )


def overview_part(overview: Overview) -> ReportPart | None:
    """The first part of a report; None where no system has a value."""
    if not overview.panels:
        return None
    rows = sum(len(panel.rows) for panel in overview.panels)
    return ReportPart(
        anchor=OVERVIEW,
        title="All questions at a glance",
        lead=(
            f"What each of {counted(len(overview.systems), 'system')} got on "
            f"{counted(rows, 'question or label', 'questions and labels')}, with 95 % intervals."
        ),
        figures=tuple(_figures(overview)),
        tables=(_table(overview),),
    )


def _figures(overview: Overview) -> Iterator[Figure]:
    for n, panel in enumerate(overview.panels, start=1):
        yield dot_grid(
            {
                row.part.title.removeprefix("Ranking: "): {
                    system: GridPoint(each.value, each.interval)
                    for system, each in row.systems.items()
                }
                for row in panel.rows
            },
            overview.systems,
            name=f"overview-{n}",
            title=f"{panel.title} of each system",
            axis=f"{panel.title}, 95 % interval",
            ends=panel.ends,
            reference=panel.reference,
            percent=panel.is_percent,
        )


def _table(overview: Overview) -> ResultTable:
    """One row per question and system: it can be as long as that is."""
    rows: list[dict[str, Any]] = [
        {
            "question": row.part.title,
            "system": system,
            "measured": panel.title,
            "value": each.value,
            "interval": each.interval,
            "n": each.n,
            EVIDENCE: each.evidence,
        }
        for panel in overview.panels
        for row in panel.rows
        for system, each in row.systems.items()
    ]
    return ResultTable(
        slug="overview",
        title="What each system got",
        columns=(
            ReportColumn("question", "Question"),
            ReportColumn("system", "System"),
            ReportColumn("measured", "Measured"),
            ReportColumn("value", "Value", "number"),
            ReportColumn("interval", "95 % interval", "number"),
            ReportColumn("n", "n", "whole"),
        ),
        rows=rows,
        note="Shares and win rates are parts of 1.",
    )


def _panel_name(
    part: ReportPart, kind: str, found: Mapping[str, SystemEstimate], scale: Sequence[str]
) -> str:
    if kind == "ranking-":
        return WIN_RATE
    if any(each.form == "percent" for each in found.values()):
        return SHARE
    return "Mean" + (f" ({scale[0]} to {scale[-1]})" if scale else f" of {part.title}")


def _scale_ends(scale: Sequence[str]) -> tuple[float, float] | None:
    try:
        return (float(scale[0]), float(scale[-1])) if scale else None
    except ValueError:
        return None


def _estimates(table: ResultTable, value: str, interval: str, n: str) -> dict[str, SystemEstimate]:
    forms = {column.key: column.form for column in table.columns}
    return {
        str(row["system"]): SystemEstimate(
            row[value], row[interval], row[n], forms[value], str(row.get(EVIDENCE, ""))
        )
        for row in table.rows
        if known(row[value])
    }
