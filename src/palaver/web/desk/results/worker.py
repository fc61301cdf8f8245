"""The process that computes a study's results: `python -m palaver.web.desk.results.worker FOLDER`.

It reads its task from standard input and writes into the folder: the whole report as `palaver
report` writes it, the head of the desk's page, and the parts of the page as HTML.
"""

import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from palaver.core.errors import PalaverError
from palaver.core.estimates import Interval
from palaver.reports.pages import Drawing
from palaver.reports.report import Subject, of_study, write_report
from palaver.reports.report.contents import Report
from palaver.reports.report.parts import Form, ReportPart, ResultTable, known, written
from palaver.reports.report.subject import ReportSettings
from palaver.reports.report.writer import Origin
from palaver.reports.target import OpenStudy, opened_store
from palaver.web.desk.beside import give_way
from palaver.web.desk.results.shelf import FRAGMENT, HEAD, REPORT, Head, Task
from palaver.web.rendering import Renderer

# The tables that tell what each system got: the columns of the value, its interval and n.
ESTIMATES = {"means-": ("mean", "interval", "n"), "ranking-": ("rate", "rate_interval", "votes")}


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """What a system got on a question."""

    value: float
    interval: Interval | None
    n: int
    form: Form


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A question and what each system got there."""

    part: ReportPart
    systems: dict[str, SystemEstimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultParts:
    """The parts of a report as the desk shows them; `panels` are questions with the same scale."""

    template: ClassVar[str] = "desk/results/_results.html"
    parts: tuple[ReportPart, ...]
    panels: dict[str, list[PanelRow]]
    # Every system, in the order of its mark.
    systems: list[str]
    drawings: dict[str, Drawing]
    files: str
    raters: str
    questions: dict[str, str]

    written = staticmethod(written)

    def source(self, link: str) -> str:
        """The desk's address of the labels behind a number; empty where it has none."""
        return self.questions.get(link.partition("#")[0], "")

    def file(self, name: str) -> str:
        """The address of a table or a figure of the report."""
        return f"{self.files}/{name}{self.raters}"


def main() -> None:
    """Compute what standard input asks for; on a mistake one line on standard error."""
    give_way()
    folder = Path(sys.argv[1])
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
    try:
        compute(task, folder)
    except PalaverError as error:
        sys.exit(str(error))


def compute(task: Task, folder: Path) -> None:
    """Write the report of a study, and what its page on the desk needs, into a folder."""
    file = Path(task.file) if task.file else folder
    with opened_store(task.database, file, task.study) as opened:
        _compute(task, opened, folder)


def _compute(task: Task, opened: OpenStudy, folder: Path) -> None:
    subject = of_study(opened, raters=task.raters)
    settings, now = ReportSettings(), time.time()
    written = write_report(
        subject, folder / REPORT, settings=settings, origin=_origin(task, settings), now=now
    )
    report = written.report
    panels = panels_of(report.parts, subject)
    rows = [row for panel in panels.values() for row in panel]
    fragment = Renderer(root=task.root).render(
        ResultParts(
            parts=report.parts,
            panels=panels,
            systems=sorted({name for row in rows for name in row.systems}),
            drawings=written.drawings,
            files=f"{task.address}/results",
            raters="" if task.raters == "all" else f"?raters={task.raters}",
            questions=_questions(subject, task.address),
        )
    )
    (folder / FRAGMENT).write_text(fragment, encoding="utf-8")
    (folder / HEAD).write_bytes(msgspec.json.encode(_head(report, now, empty=subject.is_empty)))


def panels_of(parts: Sequence[ReportPart], subject: Subject) -> dict[str, list[PanelRow]]:
    """The questions in which systems have a value, by the name of what is measured and its scale."""
    ends = {f"question-{each.slug}": each.order for each in subject.ratings}
    panels: dict[str, list[PanelRow]] = {}
    for part in parts:
        for table in part.tables:
            kind = next((each for each in ESTIMATES if table.slug.startswith(each)), None)
            if kind is None:
                continue
            found = _estimates(table, *ESTIMATES[kind])
            is_share = any(each.form == "percent" for each in found.values())
            scale = ends.get(part.anchor, ())
            name = "Mean" + (f", {scale[0]} to {scale[-1]}" if scale else f" of {part.title}")
            name = "Win rate" if kind == "ranking-" else "Share of answers" if is_share else name
            panels.setdefault(name, []).append(PanelRow(part, found))
    return panels


def _estimates(table: ResultTable, *keys: str) -> dict[str, SystemEstimate]:
    forms = {column.key: column.form for column in table.columns}
    rows = {str(row["system"]): [row[key] for key in keys] for row in table.rows}
    return {
        system: SystemEstimate(value, interval, n, forms[keys[0]])
        for system, (value, interval, n) in rows.items()
        if known(value)
    }


def _head(report: Report, now: float, *, empty: bool) -> Head:
    return Head(
        headline=report.headline,
        state=report.state,
        facts=report.facts,
        methods=list(report.methods),
        contents=[(part.anchor, part.title) for part in report.parts],
        seed=report.seed,
        made=now,
        empty=empty,
    )


def _questions(subject: Subject, address: str) -> dict[str, str]:
    """The pages of labels in a report, and the page of that question on the desk."""
    return {table.page: f"{address}/questions/{quote(table.question)}" for table in subject.tables}


def _origin(task: Task, settings: ReportSettings) -> Origin:
    words = ["palaver", "report", task.file, "--study", task.study, "-o", REPORT]
    if task.raters != "all":
        words += ["--raters", task.raters]
    options: dict[str, Any] = {
        "study": task.study,
        "raters": task.raters,
        "home": None,
        "questions": [],
        "title": None,
        "seed": settings.seed,
        "bootstrap": settings.resamples,
        "quality": settings.quality,
        "pay": settings.pay,
    }
    return Origin(shlex.join(words), str(Path.cwd()), task.file, options)


if __name__ == "__main__":
    main()
