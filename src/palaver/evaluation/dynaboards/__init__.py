"""Boards of models: Dynascore with intervals, forks and snapshots."""

from palaver.evaluation.dynaboards.board_reader import DRAWS, Boards, read_board
from palaver.evaluation.dynaboards.columns import MEMORY_OFFSET, columns_of, parse_weights
from palaver.evaluation.dynaboards.dynabench_format import dynaboard, task_sheet
from palaver.evaluation.dynaboards.saved_boards import (
    find_fork_or_snapshot,
    read_saved,
    read_snapshot,
    save_fork,
    save_snapshot,
)
from palaver.evaluation.dynaboards.tables import average_rows, cell_rows
from palaver.storage.evaluation.boards import find_saved, list_saved

__all__ = [
    "DRAWS",
    "MEMORY_OFFSET",
    "Boards",
    "average_rows",
    "cell_rows",
    "columns_of",
    "dynaboard",
    "find_fork_or_snapshot",
    "find_saved",
    "list_saved",
    "parse_weights",
    "read_board",
    "read_saved",
    "read_snapshot",
    "save_fork",
    "save_snapshot",
    "task_sheet",
]
