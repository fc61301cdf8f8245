"""Writes the results of a shared task: a folder per board, one page, everything as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver import __version__
from palaver.core.serial import encode
from palaver.evaluation.dialeval.runs import RejectedFile
from palaver.evaluation.dialeval.shared_task import SharedTask, SharedTeam
from palaver.evaluation.standings.boards import SIGNIFICANCE, TaskBoard
from palaver.reports import manifest
from palaver.reports.packaging import check_free, place_folder, staging_folder
from palaver.reports.pages import render, write_figure
from palaver.reports.standing_page import board_page, significance_figure
from palaver.reports.standing_tables import write_board_tables

PAGE = "index.html"
# A document that has every table, to look at them and to take from.
PAPER = "tables.tex"
DIALEVAL_METHODS = (
    "Predicted and true distributions are divided by their sums. Nugget detection: JSD (base 2) and "
    "RNSS of each turn; a dialogue’s score is half the mean over the customer’s turns plus half the "
    "mean over the helpdesk’s. Dialogue quality: RSNOD and NMD of accomplishment (A), satisfaction (S) "
    "and effectiveness (E). Every measure is between 0 (the same distribution) and 1.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResults:
    """What a page of results is made of; `methods` says how the measures are made, a paragraph each."""

    title: str
    lead: str
    boards: Sequence[TaskBoard]
    teams: Sequence[SharedTeam]
    rejected: Sequence[RejectedFile] = ()
    methods: Sequence[str] = ()
    notes: Sequence[str] = ()
    trials: int
    seed: int


def write_shared_task(task: SharedTask, destination: Path, *, overwrite: bool = False) -> Path:
    """Write everything into a folder, which appears complete or not at all; the page's path."""
    check_free(destination, overwrite=overwrite, folder=True)
    results = TaskResults(
        title="DialEval: results",
        lead=f"{len(task.teams)} teams, scored against {task.gold}.",
        boards=task.boards,
        teams=task.teams,
        rejected=task.rejected,
        methods=DIALEVAL_METHODS,
        trials=task.trials,
        seed=task.seed,
    )
    with staging_folder(destination) as staged:
        write_results(results, staged)
        found = msgspec.json.format(encode(task), indent=2)
        (staged / manifest.NAME).write_bytes(found)
        place_folder(staged, destination, overwrite=overwrite)
    return destination / PAGE


def write_results(results: TaskResults, folder: Path) -> None:
    """Write the page, the tables and the figures of all boards into a folder."""
    tables: list[str] = []
    for board in results.boards:
        inside = folder / board.key
        tables += [f"{board.key}/{file}" for file in write_board_tables(board, inside)]
        for measured in board.measures:
            write_figure(significance_figure(board, measured), inside / "figures")
    (folder / PAPER).write_text(_paper(tables), encoding="utf-8")
    (folder / PAGE).write_text(results_page(results), encoding="utf-8")


def results_page(results: TaskResults, *, below: bool = False) -> str:
    """All boards as one page that needs nothing but itself; one board's page lies `below`, beside it."""
    return render(
        "shared_task.html",
        task=results,
        boards=[
            board_page(board, base="" if below else f"{board.key}/") for board in results.boards
        ],
        top="../" if below else "",
        significance=SIGNIFICANCE,
        version=__version__,
    )


def _paper(tables: Sequence[str]) -> str:
    inputs = [f"\\input{{{table}}}\n\\clearpage" for table in tables] or ["There are no tables."]
    return "\n".join(
        [
            "% Every table in one document: pdflatex tables.tex. A paper takes single ones by \\input.",
            r"\documentclass{article}",
            r"\begin{document}",
            *inputs,
            r"\end{document}",
            "",
        ]
    )
