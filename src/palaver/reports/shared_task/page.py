"""The board of a shared task as one page that needs nothing but itself."""

from typing import Any

from palaver import __version__
from palaver.analysis.figures.forest import ForestRow, forest
from palaver.evaluation.dialeval.boards import SIGNIFICANCE, MeasureBoard, TaskBoard
from palaver.evaluation.dialeval.shared_task import SharedTask
from palaver.metrics.distances import distance_title
from palaver.reports.pages import render
from palaver.reports.pictures import Drawing, drawing
from palaver.reports.shared_task.rows import board_tables, rank_rows, tau_rows

# A mark for runs that read the gold data.
ORACLE = "oracle"


def board_page(task: SharedTask) -> str:
    """The page of a shared task."""
    return render(
        "shared_task.html",
        task=task,
        boards=[_board(board) for board in task.boards],
        significance=SIGNIFICANCE,
        version=__version__,
    )


def _board(board: TaskBoard) -> dict[str, Any]:
    """What the page shows of one board."""
    return {
        "board": board,
        "measures": [_measure(board, each) for each in board.measures],
        "ranks": rank_rows(board),
        "rank_titles": [distance_title(each.measure) for each in board.measures],
        "taus": tau_rows(board),
        # Those of a single measure stand beside it.
        "tables": [table.file for table in board_tables(board) if "/" not in table.file],
    }


def _measure(board: TaskBoard, measured: MeasureBoard) -> dict[str, Any]:
    return {
        "name": measured.measure,
        "title": distance_title(measured.measure),
        "answer": measured.answer,
        "results": measured.results,
        "drawing": _drawing(board, measured),
    }


def _drawing(board: TaskBoard, measured: MeasureBoard) -> Drawing:
    rows = [
        ForestRow(
            f"{each.run} ({ORACLE})" if each.is_oracle else each.run,
            each.estimate.value,
            each.estimate.interval,
        )
        for each in measured.results
    ]
    return drawing(
        forest(
            rows,
            name=f"{board.key}-{measured.measure}",
            title=measured.answer,
            axis=f"mean {distance_title(measured.measure)}, lower is better",
        )
    )
