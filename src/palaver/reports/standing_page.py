"""A board as a page shows it: for each measure the sentence, the picture, the means and the p-values."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from palaver.analysis.figures import Figure, SignificanceRow, significance
from palaver.evaluation.standings.boards import SIGNIFICANCE, MeasureBoard, RunResult, TaskBoard
from palaver.reports.pages import Drawing, drawing
from palaver.reports.standing_tables import (
    MOST_IN_GRID,
    kind_of,
    near_places,
    noun_of,
    pair_matrix,
    rank_rows,
    tau_rows,
    tested_runs,
)

# Below each of these a p-value is shaded a step darker.
LEVELS = (0.001, 0.01, SIGNIFICANCE)
# Of more runs than a grid shows whole, a table begins with these and opens for the rest.
FIRST_ROWS = 10
# The side of a cell of the overview of a large grid, in its own units.
CELL = 4


@dataclass(frozen=True, slots=True)
class GridCell:
    """A p-value in a grid: what is written, how dark it is (-1: there is none), and the whole of it."""

    text: str
    level: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class GridRow:
    """A run and its p-values beside those of every run; `place` is its number in this grid."""

    place: int
    run: str
    kind: str
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """Neighbouring cells of the same shade, in the overview of a large grid."""

    x: int
    y: int
    width: int
    level: int


@dataclass(frozen=True, slots=True)
class PGrid:
    """Runs × runs, best first. A large grid has only what stands above its diagonal, and an overview."""

    rows: tuple[GridRow, ...]
    is_large: bool
    bands: tuple[Band, ...] = ()

    @property
    def side(self) -> int:
        """The width and height of the overview."""
        return len(self.rows) * CELL


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A run in the table of one measure; `near` are the places it cannot be told apart from."""

    place: int | None
    result: RunResult
    kind: str
    near: str


def board_page(board: TaskBoard, *, base: str) -> dict[str, Any]:
    """What the template of a board needs; its files lie below `base`."""
    return {
        "base": base,
        "board": board,
        "noun": noun_of(board),
        "measures": [_measure(board, measure) for measure in board.measures],
        "ranks": rank_rows(board),
        "rank_titles": [measure.title for measure in board.measures],
        "taus": tau_rows(board),
        # Those of a single measure stand beside it.
        "tables": _files(board),
        "first_rows": FIRST_ROWS if len(board.runs) > MOST_IN_GRID else len(board.runs),
    }


def _measure(board: TaskBoard, measured: MeasureBoard) -> dict[str, Any]:
    return {
        "name": measured.measure,
        "title": measured.title,
        "direction": measured.direction,
        "answer": measured.answer,
        "lines": standing_lines(measured),
        "drawing": _drawing(board, measured),
        "grid": p_grid(measured),
    }


def _files(board: TaskBoard) -> list[str]:
    """The tables that are about all measures."""
    has_sets = any(measure.sets for measure in board.measures)
    return ["results", "ranks", *["tied-sets"] * has_sets, *["taus"] * bool(board.taus)]


def standing_lines(measured: MeasureBoard) -> list[StandingLine]:
    """Every run, best first, with the places of those it cannot be told apart from."""
    cells = pair_matrix(measured, "p")
    places = {result.run: n for n, result in enumerate(tested_runs(measured))}
    lines = []
    for result in measured.results:
        place = places.get(result.run)
        near = "" if place is None else near_places(cells[place]) or "none"
        lines.append(
            StandingLine(None if place is None else place + 1, result, kind_of(result), near)
        )
    return lines


def p_grid(measured: MeasureBoard) -> PGrid | None:
    """The p-values of all pairs; None where nothing was tested."""
    runs = tested_runs(measured)
    if len(runs) < 2:
        return None
    values = pair_matrix(measured, "p")
    is_large = len(runs) > MOST_IN_GRID
    rows = []
    for place, result in enumerate(runs):
        # In a large grid a cell says nothing but its number: the heads stay in view.
        first = place + 1 if is_large else 0
        cells = tuple(
            _cell(result.run, "" if is_large else other.run, value)
            for other, value in zip(runs[first:], values[place][first:], strict=True)
        )
        rows.append(GridRow(place + 1, result.run, kind_of(result), cells))
    return PGrid(tuple(rows), is_large, _bands(values) if is_large else ())


def p_text(value: float) -> str:
    """A p-value in a cell: three digits without the zero.

    >>> p_text(0.0312), p_text(0.0001), p_text(1.0), p_text(0.9999)
    ('.031', '<.001', '1', '1')
    """
    if value < 0.001:
        return "<.001"
    text = f"{value:.3f}"
    return "1" if text == "1.000" else text[1:]


def _cell(run: str, other: str, value: float | None) -> GridCell:
    if value is None:
        return GridCell("", -1)
    said = f"{run} and {other}: p = {value:.4f}" if other else ""
    return GridCell(p_text(value), _level(value), said)


def _level(value: float | None) -> int:
    return 0 if value is None else len(LEVELS) - bisect_right(LEVELS, value)


def _bands(values: Sequence[Sequence[float | None]]) -> tuple[Band, ...]:
    """The grid as bands of one shade; what is not shaded has none."""
    bands = []
    for row, cells in enumerate(values):
        x = 0
        for level, held in groupby(map(_level, cells)):
            width = len(list(held))
            if level:
                bands.append(Band(x * CELL, row * CELL, width * CELL, level))
            x += width
    return tuple(bands)


def _drawing(board: TaskBoard, measured: MeasureBoard) -> Drawing:
    return drawing(significance_figure(board, measured))


def significance_figure(board: TaskBoard, measured: MeasureBoard) -> Figure:
    """The runs on the axis of the measure, with bars over those that cannot be told apart."""
    rows = [
        SignificanceRow(
            result.run, result.estimate.value, result.estimate.interval, kind_of(result)
        )
        for result in measured.results
    ]
    return significance(
        rows,
        measured.sets,
        name=f"{board.key}-{measured.measure}",
        title=measured.answer,
        axis=f"mean {measured.title}, {measured.direction} is better",
    )
