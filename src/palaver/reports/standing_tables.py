"""The tables of a board: as CSV with every digit, and as LaTeX that fits a paper."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from palaver.analysis.figures.figure import distinct
from palaver.core.estimates import Estimate
from palaver.core.serial import plain
from palaver.evaluation.standings.boards import SIGNIFICANCE, MeasureBoard, RunResult, TaskBoard
from palaver.reports.latex import latex_table
from palaver.reports.tables import cell_texts, csv_texts

Rows = list[dict[str, Any]]

# Marks of runs that are listed with the others and do not compete as they do.
ORACLE, BASELINE, LATE = "oracle", "baseline", "late"
# In a paper, the sets of a board with more runs than these are numbers, not names.
MOST_NAMED = 12
# A grid of more runs than these would fill a book: a paper has each run's neighbours instead.
MOST_IN_GRID = 40
# How many letters of a name stand beside a grid.
GRID_LETTERS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTable:
    """One table; `file` is its path without an ending. A paper has `paper` rows where it has others.

    `digits`, `keys` and `zeros` are how LaTeX shows it.
    """

    file: str
    title: str
    rows: Rows
    paper: Rows | None = None
    digits: int = 4
    keys: int = 1
    zeros: bool = True

    def latex(self, label: str) -> str:
        """The table for a paper."""
        return latex_table(
            self.rows if self.paper is None else self.paper,
            caption=self.title,
            label=label,
            digits=self.digits,
            keys=self.keys,
            zeros=self.zeros,
        )


def write_board_tables(board: TaskBoard, folder: Path) -> list[str]:
    """Write every table of a board; the paths of the LaTeX files below the folder."""
    for measured in board.measures:
        columns = [board.ids, *measured.matrix.T.tolist()]
        path = folder / "dialogue-by-run" / f"{measured.measure}.csv"
        csv_texts(["dialogue_id", *board.runs], [list(map(cell_texts, columns))], path)
    return write_tables(board_tables(board), folder, label=f"tab:{board.key}")


def write_tables(tables: Iterable[BoardTable], folder: Path, *, label: str) -> list[str]:
    """Write tables as CSV and as LaTeX; the paths of the LaTeX files below the folder."""
    written = []
    for table in tables:
        names = list(table.rows[0])
        columns = [[row[name] for row in table.rows] for name in names]
        csv_texts(names, [list(map(cell_texts, columns))], folder / f"{table.file}.csv")
        text = table.latex(f"{label}-{table.file.replace('/', '-')}")
        (folder / f"{table.file}.tex").write_text(text, encoding="utf-8")
        written.append(f"{table.file}.tex")
    return written


def board_tables(board: TaskBoard) -> list[BoardTable]:
    """Every table of a board, the matrices aside."""
    tables = [
        BoardTable(
            file="results",
            title=f"{board.title}: means over {noun_of(board)}, with 95 % intervals",
            rows=result_rows(board),
            paper=_paper_results(board),
        ),
        BoardTable(
            file="ranks",
            title=f"{board.title}: rank by each measure",
            rows=rank_rows(board),
            paper=_paper_ranks(board),
            digits=2,
        ),
        BoardTable(
            file="tied-sets",
            title=f"{board.title}: runs that cannot be distinguished{_numbered(board)}",
            rows=set_rows(board),
            paper=_paper_sets(board),
            keys=2,
        ),
        BoardTable(
            file="taus",
            title=f"{board.title}: Kendall's τ between measures, with 95 % intervals",
            rows=tau_rows(board),
            paper=_paper_taus(board),
            digits=3,
            keys=2,
        ),
    ]
    for measure in board.measures:
        tables += [_pair_table(board, measure, "p"), _pair_table(board, measure, "effect")]
    return [table for table in tables if table.rows]


def _pair_table(board: TaskBoard, measure: MeasureBoard, what: str) -> BoardTable:
    runs = tested_runs(measure)
    is_grid = len(runs) <= MOST_IN_GRID
    said = "p-values, randomised Tukey HSD" if what == "p" else "effect sizes"
    said += "" if what == "p" or not is_grid else ", row minus column"
    return BoardTable(
        file=f"{'p-values' if what == 'p' else 'effect-sizes'}/{measure.measure}",
        title=f"{board.title}, {measure.title}: {said}; runs are numbered by place",
        rows=pair_rows(measure, what),
        paper=(_paper_pairs if is_grid else _paper_neighbours)(measure, what),
        digits=4 if what == "p" else 2,
        keys=2,
        zeros=what != "p",
    )


def noun_of(board: TaskBoard) -> str:
    """What its runs were scored on, in words."""
    return "dialogues" if board.task else "items"


def kind_of(result: RunResult) -> str:
    """How a run is marked: an oracle, a baseline, late, or nothing."""
    marks = ((result.is_oracle, ORACLE), (result.is_baseline, BASELINE), (result.is_late, LATE))
    return ", ".join(mark for is_so, mark in marks if is_so)


def marked_name(result: RunResult) -> str:
    """The run's name, with its mark in brackets."""
    kind = kind_of(result)
    return f"{result.run} ({kind})" if kind else result.run


def result_rows(board: TaskBoard) -> Rows:
    """The mean of each measure with its interval, runs in the order of the first measure."""
    by_run = _by_run(board)
    rows: Rows = []
    for first in _first(board):
        row: dict[str, Any] = {"run": first.run, "team": first.team} | _marks(first)
        row[noun_of(board)] = min(results[first.run].estimate.n for results in by_run)
        for measured, results in zip(board.measures, by_run, strict=True):
            found = results[first.run].estimate
            row[measured.title] = plain(found.value)
            row[f"{measured.title} low"] = plain(found.interval.low) if found.interval else None
            row[f"{measured.title} high"] = plain(found.interval.high) if found.interval else None
        rows.append(row)
    return rows


def rank_rows(board: TaskBoard) -> Rows:
    """The rank of each run by each measure and their mean, best first."""
    by_run = _by_run(board)
    rows: Rows = []
    for first in _first(board):
        ranks = [results[first.run].rank for results in by_run]
        titles = [measure.title for measure in board.measures]
        row: dict[str, Any] = {"run": first.run} | _marks(first)
        row |= {title: plain(rank) for title, rank in zip(titles, ranks, strict=True)}
        rows.append(row | {"mean rank": plain(sum(ranks) / len(ranks))})
    return sorted(
        rows, key=lambda row: (row["mean rank"] is None, row["mean rank"] or 0.0, row["run"])
    )


def set_rows(board: TaskBoard) -> Rows:
    """The sets of runs that cannot be told apart; they may overlap."""
    return [
        {"measure": measure.title, "set": number, "runs": "; ".join(names)}
        for measure in board.measures
        for number, names in enumerate(measure.sets, start=1)
    ]


def tau_rows(board: TaskBoard) -> Rows:
    """Kendall's τ of each pair of measures, with both intervals."""
    titles = {measure.measure: measure.title for measure in board.measures}
    rows: Rows = []
    for tau in board.taus:
        ends, drawn = tau.found.tau.interval, tau.found.bootstrap
        rows.append(
            {
                "first": titles[tau.first],
                "second": titles[tau.second],
                "tau": plain(tau.found.tau.value),
                "asymptotic low": plain(ends.low) if ends else None,
                "asymptotic high": plain(ends.high) if ends else None,
                "bootstrap low": plain(drawn.low) if drawn else None,
                "bootstrap high": plain(drawn.high) if drawn else None,
                "runs": tau.found.tau.n,
            }
        )
    return rows


def pair_matrix(measured: MeasureBoard, what: str) -> list[list[float | None]]:
    """`p` or `effect` of each two runs that were tested, in their order; None where there is none."""
    places = {result.run: n for n, result in enumerate(tested_runs(measured))}
    cells: list[list[float | None]] = [[None] * len(places) for _ in places]
    for pair in measured.tukey.pairs if measured.tukey else ():
        value = float(getattr(pair, what))
        if isfinite(value):
            one, other = places[pair.a], places[pair.b]
            cells[one][other] = value
            cells[other][one] = -value if what == "effect" else value
    return cells


def tested_runs(measured: MeasureBoard) -> list[RunResult]:
    """The runs that the test has seen, best first."""
    seen = measured.tukey.means if measured.tukey else {}
    return [result for result in measured.results if result.run in seen]


def pair_rows(measured: MeasureBoard, what: str) -> Rows:
    """Runs × runs in rank order: `p` or `effect` of each pair; the diagonal is empty."""
    runs = [result.run for result in tested_runs(measured)]
    return [
        {"run": run} | dict(zip(runs, cells, strict=True))
        for run, cells in zip(runs, pair_matrix(measured, what), strict=True)
    ]


def _first(board: TaskBoard) -> tuple[RunResult, ...]:
    return board.measures[0].results if board.measures else ()


def _by_run(board: TaskBoard) -> list[dict[str, RunResult]]:
    return [{result.run: result for result in measured.results} for measured in board.measures]


def _marks(result: RunResult) -> dict[str, bool]:
    return {ORACLE: result.is_oracle, BASELINE: result.is_baseline, LATE: result.is_late}


def _paper_results(board: TaskBoard) -> Rows:
    """Mean and interval in one cell, which belong together where columns are split."""
    by_run = _by_run(board)
    rows: Rows = []
    for first in _first(board):
        row: dict[str, Any] = {"run": marked_name(first)}
        row[noun_of(board)] = min(results[first.run].estimate.n for results in by_run)
        for measured, results in zip(board.measures, by_run, strict=True):
            found = results[first.run].estimate
            row[measured.title] = _with_interval(found)
        rows.append(row)
    return rows


def _with_interval(found: Estimate) -> str | None:
    """`.2038 [.1793, .2281]`, as narrow as it can be."""
    if found.value != found.value:
        return None
    numbers = [found.value, *((found.interval.low, found.interval.high) if found.interval else ())]
    first, *ends = [re.sub(r"^(-?)0\.", r"\1.", f"{number:.4f}") for number in numbers]
    text = f"{first} [{', '.join(ends)}]" if ends else first
    return text.replace("-", "−")


def _paper_ranks(board: TaskBoard) -> Rows:
    names = {result.run: marked_name(result) for result in _first(board)}
    marks = {ORACLE, BASELINE, LATE}
    return [
        {
            name: names[value] if name == "run" else _whole(value)
            for name, value in row.items()
            if name not in marks
        }
        for row in rank_rows(board)
    ]


def _whole(value: float | None) -> float | int | None:
    """A rank that no run shares has no digits."""
    return int(value) if value is not None and value == int(value) else value


def _numbered(board: TaskBoard) -> str:
    return "; runs are numbered by place" if len(board.runs) > MOST_NAMED else ""


def _paper_sets(board: TaskBoard) -> Rows:
    rows: Rows = []
    for measure in board.measures:
        places = {result.run: n for n, result in enumerate(tested_runs(measure), start=1)}
        for number, names in enumerate(measure.sets, start=1):
            runs = "; ".join(names)
            if len(board.runs) > MOST_NAMED:
                runs = number_ranges([places[name] for name in names])
            rows.append({"measure": measure.title, "set": number, "runs": runs})
    return rows


def number_ranges(numbers: list[int]) -> str:
    """Numbers in ascending order, neighbours as a range: "1–3, 7"."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}–{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def _paper_taus(board: TaskBoard) -> Rows:
    return [
        {
            "measure": row["first"],
            "and": row["second"],
            "τ": row["tau"],
            "asymptotic": (row["asymptotic low"], row["asymptotic high"]),
            "bootstrap": (row["bootstrap low"], row["bootstrap high"]),
            "runs": row["runs"],
        }
        for row in tau_rows(board)
    ]


def _paper_pairs(measured: MeasureBoard, what: str) -> Rows:
    """Above the diagonal alone, as the rest says the same; columns are numbered as the rows are."""
    runs = [result.run for result in tested_runs(measured)]
    short = distinct(runs, GRID_LETTERS)
    cells = pair_matrix(measured, what)
    return [
        {"no.": place + 1, "run": short[run]}
        | {
            str(other + 1): cells[place][other] if other > place else ""
            for other in range(1, len(runs))
        }
        for place, run in enumerate(runs[:-1])
    ]


def _paper_neighbours(measured: MeasureBoard, what: str) -> Rows:
    """Each run beside the first and the next, and the places it cannot be distinguished from."""
    runs = [result.run for result in tested_runs(measured)]
    short = distinct(runs, GRID_LETTERS)
    rows: Rows = []
    for place, (run, cells) in enumerate(zip(runs, pair_matrix(measured, what), strict=True)):
        row: dict[str, Any] = {"no.": place + 1, "run": short[run]}
        row["against no. 1"] = cells[0]
        row["against the next"] = cells[place + 1] if place + 1 < len(runs) else None
        if what == "p":
            row["not distinguished from"] = near_places(cells)
        rows.append(row)
    return rows


def near_places(p_values: Sequence[float | None]) -> str:
    """The places of the runs that one is not told apart from: "2–4, 7"."""
    return number_ranges(
        [n for n, p in enumerate(p_values, start=1) if p is not None and p >= SIGNIFICANCE]
    )
