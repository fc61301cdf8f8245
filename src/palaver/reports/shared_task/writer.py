"""Writes a shared task: one folder per board, the board as a page, and everything as JSON."""

from pathlib import Path

import msgspec

from palaver.core.serial import encode
from palaver.evaluation.dialeval.boards import TaskBoard
from palaver.evaluation.dialeval.shared_task import SharedTask
from palaver.reports import manifest
from palaver.reports.packaging import check_free, place_folder, staging_folder
from palaver.reports.shared_task.page import board_page
from palaver.reports.shared_task.rows import board_tables, matrix_rows, mean_rows
from palaver.reports.tables import csv_table, latex_table

PAGE = "index.html"


def write_shared_task(task: SharedTask, destination: Path, *, overwrite: bool = False) -> Path:
    """Write everything into a folder, which appears complete or not at all; the page's path."""
    check_free(destination, overwrite=overwrite, folder=True)
    with staging_folder(destination) as staged:
        for board in task.boards:
            _write_board(board, staged / board.key)
        (staged / PAGE).write_text(board_page(task), encoding="utf-8")
        found = msgspec.json.format(encode(task), indent=2)
        (staged / manifest.NAME).write_bytes(found)
        place_folder(staged, destination, overwrite=overwrite)
    return destination / PAGE


def _write_board(board: TaskBoard, folder: Path) -> None:
    for measured in board.measures:
        matrix = folder / "dialogue-by-run" / f"{measured.measure}.csv"
        csv_table(matrix_rows(board, measured), matrix)
    for table in board_tables(board):
        csv_table(table.rows, folder / f"{table.file}.csv")
        # Means, intervals and all do not fit the width of a paper: there the means stand alone.
        rows = mean_rows(board) if table.file == "results" else table.rows
        label = f"tab:{board.key}-{table.file.replace('/', '-')}"
        text = latex_table(rows, caption=table.title, label=label, digits=table.digits)
        (folder / f"{table.file}.tex").write_text(text, encoding="utf-8")
