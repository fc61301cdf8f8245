"""Boards of models: Dynascore with intervals, forks and snapshots."""

from palaver.evaluation.dynaboards.board_reader import DRAWS, DYNASCORE, Boards, read_board
from palaver.evaluation.dynaboards.columns import MEMORY_OFFSET, columns_of, parse_weights
from palaver.evaluation.dynaboards.dynabench_format import dynaboard, task_sheet
from palaver.evaluation.dynaboards.round_scores import ScoresByRound
from palaver.evaluation.dynaboards.rounds import counted_rounds
from palaver.evaluation.dynaboards.saved_boards import (
    find_fork_or_snapshot,
    read_saved,
    read_snapshot,
    save_fork,
    save_snapshot,
)
from palaver.evaluation.dynaboards.tables import (
    average_rows,
    board_caption,
    cell_rows,
    shown_models,
)
from palaver.storage.evaluation.boards import find_saved, list_saved

__all__ = [
    "DRAWS",
    "DYNASCORE",
    "MEMORY_OFFSET",
    "Boards",
    "ScoresByRound",
    "average_rows",
    "board_caption",
    "cell_rows",
    "columns_of",
    "counted_rounds",
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
    "shown_models",
    "task_sheet",
]
