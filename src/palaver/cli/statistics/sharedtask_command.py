"""`palaver sharedtask`: score, compare and rank all runs of a shared task."""

import sys
from pathlib import Path

import click

from palaver.analysis.tukey import TRIALS
from palaver.cli import options
from palaver.cli.options import IN_FILE, IN_FOLDER, JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json, table_lines
from palaver.core.words import measured
from palaver.evaluation.dialeval.baselines import BASELINES, Baseline
from palaver.evaluation.dialeval.boards import TaskBoard
from palaver.evaluation.dialeval.gold import read_gold
from palaver.evaluation.dialeval.runs import RejectedFile
from palaver.evaluation.dialeval.shared_task import SharedTask, score_shared_task
from palaver.metrics.distances import distance_title
from palaver.reports.shared_task import write_shared_task

# How many problems of a file are printed.
_SHOWN = 5


@click.group("sharedtask")
def command() -> None:
    """Score, compare and rank all runs of a shared task."""


@command.command("dialeval")
@click.argument("runs_dir", type=IN_FOLDER)
@click.option("--gold", required=True, type=IN_FILE, help="A DCH-2 file with annotations.")
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    type=click.Choice(BASELINES),
    help="List this baseline among the runs; may be given several times.",
)
@click.option("--training", type=IN_FILE, help="A DCH-2 file for popularity-from-training.")
@click.option("--without-oracles", is_flag=True, help="Leave out runs that read the gold data.")
@click.option("--lenient", is_flag=True, help="Score what can be scored of files with problems.")
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=TRIALS,
    show_default=True,
    help="Trials of the randomised Tukey HSD test.",
)
@options.seed()
@click.option("--legacy", is_flag=True, help="p = b/B and one-way effect sizes, as published.")
@options.output(
    "Write matrices, tables (CSV and LaTeX) and an HTML board into this folder.",
    OUT_FOLDER,
    metavar="FOLDER",
)
@OVERWRITE
@JSON
def dialeval(
    runs_dir: Path,
    gold: Path,
    baselines: tuple[Baseline, ...],
    training: Path | None,
    without_oracles: bool,
    lenient: bool,
    trials: int,
    seed: int,
    legacy: bool,
    output: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Score all runs below RUNS_DIR: TEAM/runN/*.json, there or in its folder `runs`.

    A file with problems is listed and does not stop the others; exit status 1 if there is one,
    unless --lenient.
    """
    task = score_shared_task(
        runs_dir,
        read_gold(gold),
        lenient=lenient,
        baselines=baselines,
        training=read_gold(training) if training else None,
        trials=trials,
        seed=seed,
        legacy=legacy,
        oracles=not without_oracles,
    )
    if as_json:
        print_json(task)
    else:
        click.echo(_text(task))
    if output is not None:
        page = write_shared_task(task, output, overwrite=overwrite)
        click.echo(f"Wrote {page}", err=as_json)
    if not (lenient or task.is_complete):
        sys.exit(1)


def _text(task: SharedTask) -> str:
    lines: list[str] = []
    for board in task.boards:
        lines += [*_board(board), ""]
    lines += [line for each in task.rejected for line in _rejected(each)]
    if any(result.is_oracle for board in task.boards for result in board.measures[0].results):
        lines.append("* reads the gold data: an oracle, not a competitor.")
    lines.append(
        f"Lower is better. Distinguished: p < 0.05 of the randomised Tukey HSD test, {task.trials:,} "
        f"trials, dialogues treated as independent."
    )
    return "\n".join(lines)


def _board(board: TaskBoard) -> list[str]:
    """A board as a table: runs in the order of the first measure."""
    by_run = [{result.run: result for result in measured.results} for measured in board.measures]
    rows = [["run", *(distance_title(measure.measure) for measure in board.measures)]]
    for first in board.measures[0].results:
        mark = "*" if first.is_oracle else ""
        values = [results[first.run].estimate.value for results in by_run]
        rows.append([first.run + mark, *map(measured, values)])
    lines = [f"{board.title}: {len(board.runs)} runs, {len(board.ids)} dialogues", ""]
    lines += [*table_lines(rows), ""]
    lines += [f"{distance_title(measure.measure)}: {measure.answer}." for measure in board.measures]
    return lines + [f"Warning: {warning}" for warning in board.warnings]


def _rejected(each: RejectedFile) -> list[str]:
    state = "the rest is scored" if each.is_used else "not scored"
    lines = [f"{each.file}: {len(each.faults)} problems, {state}"]
    lines += [f"  {fault}" for fault in each.faults[:_SHOWN]]
    if len(each.faults) > _SHOWN:
        lines.append(f"  … and {len(each.faults) - _SHOWN} more.")
    return [*lines, ""]
