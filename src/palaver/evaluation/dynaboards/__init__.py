"""Boards of models: Dynascore with intervals, forks and snapshots."""

from palaver.evaluation.dynaboards.board import Board
from palaver.evaluation.dynaboards.columns import MEMORY_OFFSET, columns_of
from palaver.evaluation.dynaboards.reading import DRAWS, Boards, read_board
from palaver.evaluation.dynaboards.saving import save_fork, save_snapshot, saved_weights
from palaver.evaluation.dynaboards.tables import average_rows, cell_rows
from palaver.evaluation.dynaboards.upstream import dynaboard_json, task_json
from palaver.evaluation.dynaboards.weights import parse_weights

__all__ = [
    "DRAWS",
    "MEMORY_OFFSET",
    "Board",
    "Boards",
    "average_rows",
    "cell_rows",
    "columns_of",
    "dynaboard_json",
    "parse_weights",
    "read_board",
    "save_fork",
    "save_snapshot",
    "saved_weights",
    "task_json",
]
