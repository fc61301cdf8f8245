"""The process that computes a study's results: `python -m palaver.web.desk.results.worker FOLDER`.

It reads its task from standard input and writes into the folder: the whole report as `palaver
report` writes it, the head of the desk's page, and the parts of the page as HTML.
"""

import shlex
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from palaver.core.errors import PalaverError
from palaver.reports.pages import Drawing
from palaver.reports.report import of_study, write_report
from palaver.reports.report.contents import STEPS, Report
from palaver.reports.report.overview import OVERVIEW, Overview
from palaver.reports.report.parts import ReportPart, written
from palaver.reports.report.subject import QuestionTable, ReportSettings
from palaver.reports.report.writer import Origin
from palaver.reports.target import OpenStudy, opened_store
from palaver.web.desk.beside import give_way
from palaver.web.desk.results.shelf import (
    FRAGMENT,
    HEAD,
    PROGRESS,
    REPORT,
    Head,
    ResultsTask,
    StepProgress,
)
from palaver.web.rendering import Renderer


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultParts:
    """The overview and the parts of a report as the desk shows them."""

    template: ClassVar[str] = "desk/results/_results.html"
    parts: tuple[ReportPart, ...]
    overview: Overview
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
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=ResultsTask)
    try:
        compute(task, folder)
    except PalaverError as error:
        sys.exit(str(error))


def compute(task: ResultsTask, folder: Path) -> None:
    """Write the report of a study, and what its page on the desk needs, into a folder."""
    file = Path(task.file) if task.file else folder
    with opened_store(task.database, file, task.study) as opened:
        _compute(task, opened, folder)


def _compute(task: ResultsTask, opened: OpenStudy, folder: Path) -> None:
    steps = count(1)

    def tell(step: str) -> None:
        """Say which step is being taken; the page asks for it."""
        progress = StepProgress(number=next(steps), of=STEPS, step=step)
        (folder / PROGRESS).write_bytes(msgspec.json.encode(progress))

    tell("Reading the answers")
    settings, now = ReportSettings(), time.time()
    written = write_report(
        of_study(opened, raters=task.raters),
        folder / REPORT,
        settings=settings,
        origin=_origin(task, settings),
        now=now,
        told=tell,
    )
    report = written.report
    fragment = Renderer(root=task.root).render(
        ResultParts(
            parts=tuple(part for part in report.parts if part.anchor != OVERVIEW),
            overview=report.overview,
            drawings=written.drawings,
            files=f"{task.address}/results",
            raters="" if task.raters == "all" else f"?raters={task.raters}",
            questions=_questions(report.sources, task.address),
        )
    )
    (folder / FRAGMENT).write_text(fragment, encoding="utf-8")
    (folder / HEAD).write_bytes(msgspec.json.encode(_head(report, now)))


def _head(report: Report, now: float) -> Head:
    return Head(
        headline=report.headline,
        state=report.state,
        facts=report.facts,
        methods=list(report.methods),
        contents=[(part.anchor, part.title) for part in report.parts],
        seed=report.seed,
        made=now,
        empty=not any(len(table.frame) for table in report.sources),
    )


def _questions(tables: Iterable[QuestionTable], address: str) -> dict[str, str]:
    """The pages of labels in a report, and the page of that question on the desk."""
    return {table.page: f"{address}/questions/{quote(table.question)}" for table in tables}


def _origin(task: ResultsTask, settings: ReportSettings) -> Origin:
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
