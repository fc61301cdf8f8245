"""Writes a shared task: one folder per board, the board as a page, and everything as JSON."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from palaver import __version__
from palaver.analysis.figures.forest import ForestRow, forest
from palaver.core.serial import encode, plain
from palaver.evaluation.dialeval.boards import SIGNIFICANCE, MeasureBoard, TaskBoard
from palaver.evaluation.dialeval.shared_task import SharedTask
from palaver.metrics.distances import distance_title
from palaver.reports import manifest
from palaver.reports.packaging import check_free, place_folder, staging_folder
from palaver.reports.pages import Drawing, drawing, render
from palaver.reports.tables import csv_table, latex_table

PAGE = "index.html"
# A mark for runs that read the gold data.
ORACLE = "oracle"

Rows = list[dict[str, Any]]


def write_shared_task(task: SharedTask, destination: Path, *, overwrite: bool = False) -> Path:
    """Write everything into a folder, which appears complete or not at all; the page's path."""
    check_free(destination, overwrite=overwrite, folder=True)
    with staging_folder(destination) as staged:
        for board in task.boards:
            _write_board(board, staged / board.key)
        (staged / PAGE).write_text(_page(task), encoding="utf-8")
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


@dataclass(frozen=True, slots=True)
class SharedTaskTable:
    """One table; `file` is its path without an ending, `digits` how many LaTeX shows."""

    file: str
    title: str
    rows: Rows
    digits: int = 4


def board_tables(board: TaskBoard) -> list[SharedTaskTable]:
    """Every table of a board, the matrices aside."""
    tables = [
        SharedTaskTable("results", f"{board.title}: means over dialogues", result_rows(board)),
        SharedTaskTable(
            "ranks", f"{board.title}: rank by each measure", rank_rows(board), digits=2
        ),
        SharedTaskTable(
            "tied-sets", f"{board.title}: runs that cannot be distinguished", set_rows(board)
        ),
        SharedTaskTable("taus", f"{board.title}: Kendall's τ between measures", tau_rows(board)),
    ]
    for measure in board.measures:
        name = distance_title(measure.measure)
        tables += [
            SharedTaskTable(
                f"p-values/{measure.measure}",
                f"{board.title}, {name}: p-values, randomised Tukey HSD",
                pair_rows(measure, "p"),
            ),
            SharedTaskTable(
                f"effect-sizes/{measure.measure}",
                f"{board.title}, {name}: effect sizes, row minus column",
                pair_rows(measure, "effect"),
            ),
        ]
    return [table for table in tables if table.rows]


def result_rows(board: TaskBoard) -> Rows:
    """The mean of each measure with its interval, runs in the order of the first measure."""
    by_run = [{result.run: result for result in measured.results} for measured in board.measures]
    rows: Rows = []
    for first in board.measures[0].results:
        row: dict[str, Any] = {"run": first.run, "team": first.team, "oracle": first.is_oracle}
        row["dialogues"] = min(results[first.run].estimate.n for results in by_run)
        for measured, results in zip(board.measures, by_run, strict=True):
            found = results[first.run].estimate
            name = distance_title(measured.measure)
            row[name] = plain(found.value)
            row[f"{name} low"] = plain(found.interval.low) if found.interval else None
            row[f"{name} high"] = plain(found.interval.high) if found.interval else None
        rows.append(row)
    return rows


def mean_rows(board: TaskBoard) -> Rows:
    """The same without the intervals, which is what fits a page."""
    return [
        {
            name: value
            for name, value in row.items()
            if not name.endswith((" low", " high")) and name != "team"
        }
        for row in result_rows(board)
    ]


def rank_rows(board: TaskBoard) -> Rows:
    """The rank of each run by each measure and their mean, best first."""
    by_run = [{result.run: result for result in measured.results} for measured in board.measures]
    rows: Rows = []
    for run in board.runs:
        ranks = [results[run].rank for results in by_run]
        titles = [distance_title(measure.measure) for measure in board.measures]
        row: dict[str, Any] = {"run": run, "oracle": by_run[0][run].is_oracle}
        row |= {title: plain(rank) for title, rank in zip(titles, ranks, strict=True)}
        rows.append(row | {"mean rank": plain(sum(ranks) / len(ranks))})
    return sorted(rows, key=lambda row: (row["mean rank"] is None, row["mean rank"], row["run"]))


def set_rows(board: TaskBoard) -> Rows:
    """The sets of runs that cannot be told apart; they may overlap."""
    return [
        {"measure": distance_title(measure.measure), "set": number, "runs": "; ".join(names)}
        for measure in board.measures
        for number, names in enumerate(measure.sets, start=1)
    ]


def tau_rows(board: TaskBoard) -> Rows:
    """Kendall's τ of each pair of measures, with both intervals."""
    rows: Rows = []
    for tau in board.taus:
        ends, drawn = tau.found.tau.interval, tau.found.bootstrap
        rows.append(
            {
                "first": distance_title(tau.first),
                "second": distance_title(tau.second),
                "tau": plain(tau.found.tau.value),
                "asymptotic low": plain(ends.low) if ends else None,
                "asymptotic high": plain(ends.high) if ends else None,
                "bootstrap low": plain(drawn.low) if drawn else None,
                "bootstrap high": plain(drawn.high) if drawn else None,
                "runs": tau.found.tau.n,
            }
        )
    return rows


def pair_rows(measured: MeasureBoard, what: str) -> Rows:
    """Runs × runs in rank order: `p` or `effect` of each pair; the diagonal is empty."""
    if measured.tukey is None:
        return []
    cells: dict[tuple[str, str], float] = {}
    for pair in measured.tukey.pairs:
        value = float(getattr(pair, what))
        cells[pair.a, pair.b] = value
        cells[pair.b, pair.a] = -value if what == "effect" else value
    runs = [result.run for result in measured.results]
    return [
        {"run": row} | {column: plain(cells.get((row, column))) for column in runs} for row in runs
    ]


def matrix_rows(board: TaskBoard, measured: MeasureBoard) -> Rows:
    """Dialogues × runs: every score, in the order of the gold data."""
    return [
        {"dialogue_id": id_} | dict(zip(board.runs, map(plain, scores), strict=True))
        for id_, scores in zip(board.ids, measured.matrix, strict=True)
    ]


def _page(task: SharedTask) -> str:
    return render(
        "shared_task.html",
        task=task,
        boards=[_board(board) for board in task.boards],
        significance=SIGNIFICANCE,
        version=__version__,
    )


def _board(board: TaskBoard) -> dict[str, Any]:
    return {
        "board": board,
        "measures": [_measure(board, measure) for measure in board.measures],
        "ranks": rank_rows(board),
        "rank_titles": [distance_title(measure.measure) for measure in board.measures],
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
            f"{result.run} ({ORACLE})" if result.is_oracle else result.run,
            result.estimate.value,
            result.estimate.interval,
        )
        for result in measured.results
    ]
    return drawing(
        forest(
            rows,
            name=f"{board.key}-{measured.measure}",
            title=measured.answer,
            axis=f"mean {distance_title(measured.measure)}, lower is better",
        )
    )
