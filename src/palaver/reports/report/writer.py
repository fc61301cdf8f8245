"""Writes a report: the page, the labels behind it, tables, figures and the manifest.

Every number is computed from the rows as they are written, cells as texts: a command that is run on
the written files finds the same cells.
"""

import importlib.metadata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from palaver.analysis.figures import Figure
from palaver.core.errors import InputError
from palaver.core.garbage import uncollected
from palaver.core.registry import near
from palaver.formats.frames import Frame
from palaver.reports.latex import latex_table
from palaver.reports.manifest import ReportManifest, file_entry, write_report_manifest
from palaver.reports.packaging import check_free, place_folder, staging_folder
from palaver.reports.pages import Drawing, draw_all, render
from palaver.reports.report.contents import Report, Told, report_of, untold
from palaver.reports.report.evidence import EvidencePage, evidence_page
from palaver.reports.report.parts import ReportPart
from palaver.reports.report.subject import ReportSettings, Subject, Table
from palaver.reports.report.transcripts import PATH as DIALOGUES
from palaver.reports.report.transcripts import TranscriptPlaces
from palaver.reports.report.validity import LONG_COLUMNS, long_columns
from palaver.reports.tables import cell_texts, csv_table, csv_texts

PAGE = "index.html"
# From so many rows on, figures are drawn in a process of their own: the memory is for the rows.
LARGE = 50_000
PACKAGES = ("numpy", "scipy", "vl-convert-python")


@dataclass(frozen=True, slots=True)
class Origin:
    """How a report was asked for: the command, where it was run, what it was pointed at."""

    command: str
    directory: str
    source: str
    options: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    page: Path
    report: Report
    drawings: dict[str, Drawing]


def write_report(
    subject: Subject,
    destination: Path,
    *,
    settings: ReportSettings,
    origin: Origin,
    now: float,
    overwrite: bool = False,
    told: Told = untold,
) -> Written:
    """Write the report of a subject into a folder, which appears complete or not at all.

    `told` hears of each step before it is taken.
    """
    check_free(destination, overwrite=overwrite, folder=True)
    _check_quality(subject, settings)
    with staging_folder(destination) as staging, uncollected():
        folder = staging / "report"
        folder.mkdir()
        told("Writing down every answer")
        pages = _evidence_pages(subject)
        # From here on only what is written is held.
        subject = _as_written(subject)
        inputs = _write_rows(subject, folder)
        report = report_of(subject, settings, told)
        told("Drawing figures")
        figures = list(_write_tables(report.parts, folder))
        is_large = sum(len(table.frame) for table in subject.tables) > LARGE
        drawings = draw_all(figures, folder / "figures", beside=is_large)
        told("Writing the pages")
        _write_evidence(subject, pages, folder)
        (folder / PAGE).write_text(_report_page(report, drawings, now=now), encoding="utf-8")
        write_report_manifest(folder, _manifest(origin, settings, inputs, now))
        place_folder(folder, destination, overwrite=overwrite)
    return Written(destination / PAGE, report, drawings)


def _as_written(subject: Subject) -> Subject:
    """The subject with the rows as whoever opens the written files reads them.

    The labels of one set share units, raters and times: a column that is the same is held once.
    """
    held: dict[int, list[str | None]] = {}

    def texts(cells: list[Any]) -> list[str | None]:
        if id(cells) not in held:
            held[id(cells)] = cell_texts(cells)
        return held[id(cells)]

    def written(table: Table) -> Table:
        columns = {name: texts(cells) for name, cells in table.frame.columns.items()}
        return replace(table, frame=Frame(Path(table.file).name, columns, first_row=2))

    votes = tuple(map(written, subject.votes))
    return replace(subject, ratings=tuple(map(written, subject.ratings)), votes=votes)


def _write_rows(subject: Subject, folder: Path) -> dict[str, str]:
    """Write every answer, by question and all in one; the files of the questions with their hashes."""
    for table in subject.tables:
        columns = table.columns
        csv_texts(columns, [list(columns.values())], folder / table.file)
    csv_texts(LONG_COLUMNS, long_columns(subject.ratings), folder / "tables" / "labels.csv")
    return {table.file: file_entry(folder / table.file).sha256 for table in subject.tables}


def _write_tables(parts: tuple[ReportPart, ...], folder: Path) -> Iterator[Figure]:
    """Write the tables of all parts; the figures of all parts."""
    for part in parts:
        for table in part.tables:
            stem = folder / "tables" / table.slug
            csv_table(table.rows, stem.with_suffix(".csv"), columns=table.headings)
            text = latex_table(
                table.rows, columns=table.headings, caption=table.title, label=f"tab:{table.slug}"
            )
            stem.with_suffix(".tex").write_text(text, encoding="utf-8")
        yield from part.figures
        yield from _write_tables(part.parts, folder)


def _evidence_pages(subject: Subject) -> dict[str, EvidencePage]:
    """The pages of the labels, by their paths."""
    places = TranscriptPlaces(subject.transcripts)
    return {table.page: evidence_page(table, places) for table in subject.tables}


def _write_evidence(subject: Subject, pages: Mapping[str, EvidencePage], folder: Path) -> None:
    """The pages of the labels, and of what was said where that is asked for."""
    for name, page in pages.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(_labels_page(page, title=subject.title), encoding="utf-8")
    if subject.transcripts:
        places = TranscriptPlaces(subject.transcripts)
        text = _dialogues_page(subject, places)
        (folder / DIALOGUES).write_text(text, encoding="utf-8")


def _check_quality(subject: Subject, settings: ReportSettings) -> None:
    known = [rating.name for rating in subject.ratings if rating.has_means]
    if settings.quality is not None and settings.quality not in known:
        hint = near(settings.quality, known) or f" Known: {', '.join(known) or 'none'}."
        raise InputError(f"No numeric ratings are called '{settings.quality}'.{hint}")


def _report_page(report: Report, drawings: dict[str, Drawing], *, now: float) -> str:
    made = datetime.fromtimestamp(now, UTC)
    return render(
        "report.html",
        report=report,
        drawings=drawings,
        made=made.strftime("%Y-%m-%d %H:%M UTC"),
        made_iso=made.isoformat(timespec="seconds"),
    )


def _labels_page(page: EvidencePage, *, title: str) -> str:
    return render("evidence.html", page=page, title=title)


def _dialogues_page(subject: Subject, places: TranscriptPlaces) -> str:
    return render(
        "dialogues.html",
        transcripts=subject.transcripts,
        masking=subject.masking,
        places=places,
        title=subject.title,
    )


def _manifest(
    origin: Origin, settings: ReportSettings, inputs: dict[str, str], now: float
) -> ReportManifest:
    return ReportManifest(
        packages={name: importlib.metadata.version(name) for name in PACKAGES},
        command=origin.command,
        directory=origin.directory,
        source=origin.source,
        options=origin.options,
        seed=settings.seed,
        made=now,
        inputs=inputs,
        files={},
    )
