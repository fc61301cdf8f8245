"""Writes the results of a round: the page, the board as JSON, tables, figures, lines, all as a ZIP."""

import tempfile
from pathlib import Path

import msgspec

from palaver.core.audit import Actor
from palaver.core.serial import encode
from palaver.evaluation.home import EvaluationHome
from palaver.formats.advice.results import results_of, write_results
from palaver.reports import manifest
from palaver.reports.advice.figures import advice_figures
from palaver.reports.advice.page import (
    RoundResultsPage,
    examples_of,
    page_html,
    rater_groups,
)
from palaver.reports.advice.tables import advice_tables
from palaver.reports.packaging import check_free, place_folder, staging_folder, zip_folder
from palaver.reports.pages import draw_all
from palaver.reports.standing_tables import write_tables
from palaver.studies.advice.board_records import AdviceBoard
from palaver.studies.advice.closing import FinalRound, close_round
from palaver.studies.advice.kept_rounds import (
    BOARD_FILE,
    RoundResults,
    round_file,
    round_results,
)
from palaver.studies.file.definition import Study

PAGE, LINES, ARCHIVE = "index.html", "results.jsonl", "results.zip"
FIGURES, TABLES = "figures", "tables"


def close_and_write(
    home: EvaluationHome, study: Study, *, by: Actor, now: float, early: bool = False
) -> RoundResults:
    """Close a round with the page and the files of its results."""
    return close_round(home, study, writer=write_final, by=by, now=now, early=early)


def write_final(final: FinalRound, folder: Path) -> None:
    """Write everything that is kept of a round into an empty folder."""
    lines = results_of(final.situations, final.answers, final.judgements)
    write_results(folder / LINES, lines)
    page = RoundResultsPage(
        board=final.board,
        tables=advice_tables(final.board),
        groups=rater_groups(final.judgements),
        examples=examples_of(final),
        closed=final.closed,
        has_lines=True,
        archive=ARCHIVE,
    )
    _write(page, folder)
    with tempfile.TemporaryFile() as packed:
        zip_folder(folder, packed, now=final.closed)
        packed.seek(0)
        (folder / ARCHIVE).write_bytes(packed.read())


def write_board(board: AdviceBoard, destination: Path, *, overwrite: bool = False) -> Path:
    """Write a board that is not final, or of a file, into a folder; the page's path."""
    check_free(destination, overwrite=overwrite, folder=True)
    with staging_folder(destination) as staged:
        _write(RoundResultsPage(board=board, tables=advice_tables(board)), staged)
        place_folder(staged, destination, overwrite=overwrite)
    return destination / PAGE


def write_kept(
    home: EvaluationHome, study: str, destination: Path, *, overwrite: bool = False
) -> Path:
    """Write the results of a closed round as they were kept into a folder; the page's path."""
    check_free(destination, overwrite=overwrite, folder=True)
    with staging_folder(destination) as staged:
        for file in round_results(home, study).files:
            target = staged / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(round_file(home, study, file.path))
        place_folder(staged, destination, overwrite=overwrite)
    return destination / PAGE


def _write(page: RoundResultsPage, folder: Path) -> None:
    board = page.board
    write_tables(page.tables, folder / TABLES, label=f"tab:{board.study or 'advice'}")
    drawings = draw_all(advice_figures(board), folder / FIGURES, beside=False)
    (folder / PAGE).write_text(page_html(page, drawings), encoding="utf-8")
    content = msgspec.json.format(encode(board), indent=2)
    (folder / BOARD_FILE).write_bytes(content)
    told = {"format": "palaver-advice", "study": board.study, "closed": page.closed}
    (folder / manifest.NAME).write_bytes(msgspec.json.format(encode(told), indent=2))
