"""`palaver sharedtask`: score, compare and rank all runs of a shared task."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palaver.analysis.tukey import TRIALS
from palaver.cli import options
from palaver.cli.options import IN_FILE, IN_FOLDER, JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json, table_lines
from palaver.core.words import measured
from palaver.evaluation.dialeval.baselines import BASELINES, Baseline
from palaver.evaluation.dialeval.gold import read_gold
from palaver.evaluation.dialeval.runs import RejectedFile
from palaver.evaluation.dialeval.shared_task import SharedTask, score_shared_task
from palaver.evaluation.standings.boards import TaskBoard
from palaver.metrics.distances import distance_title
from palaver.reports import manifest
from palaver.reports.packaging import check_destination
from palaver.reports.shared_task import write_shared_task

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

# How many problems of a file are printed.
_SHOWN = 5
# How finely progress is told.
_STEPS = 1000


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
@click.option("--training", type=IN_FILE, help="A DCH-2 file for baselines that learn from one.")
@click.option(
    "--without-baselines",
    is_flag=True,
    help="List baselines without a rank, and leave them out of the test of differences.",
)
@click.option(
    "--without-oracles",
    is_flag=True,
    help="List runs that read the gold data without a rank, and leave them out of the test.",
)
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
    without_baselines: bool,
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

    A file with problems is listed and does not stop the others; exit status 1 if there is one, or
    something that may be a submission in a wrong place, unless --lenient.
    """
    if output is not None:
        check_destination(output, overwrite=overwrite)
    with _progress() as bar:
        task = score_shared_task(
            runs_dir,
            read_gold(gold),
            lenient=lenient,
            baselines=baselines,
            training=read_gold(training) if training else None,
            trials=trials,
            seed=seed,
            legacy=legacy,
            test_baselines=not without_baselines,
            test_oracles=not without_oracles,
            known=[gold, *_written_before(runs_dir)],
            progress=lambda done, total: bar.update(done * _STEPS // total - bar.pos),
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


def _progress() -> "ProgressBar[int]":
    return click.progressbar(
        length=_STEPS, label="Trials", file=sys.stderr, hidden=not sys.stderr.isatty()
    )


def _written_before(folder: Path) -> list[Path]:
    """What this command wrote into the folder of the runs at another time."""
    return [path for path in folder.iterdir() if (path / manifest.NAME).is_file()]


def _text(task: SharedTask) -> str:
    lines: list[str] = []
    for board in task.boards:
        lines += [*_board(board), ""]
    lines += [line for each in task.rejected for line in _rejected(each)]
    if task.stray:
        lines += ["Not scored, because it belongs to no run:"]
        lines += [f"  {each.path} {each.reason}" for each in task.stray]
        lines.append("")
    results = [result for board in task.boards for result in board.measures[0].results]
    if any(result.is_oracle for result in results):
        lines.append("* reads the gold data: an oracle, not a competitor.")
    if any(result.is_baseline for result in results):
        lines.append("† a baseline.")
    lines += _hints(task)
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
        mark = ("*" if first.is_oracle else "") + ("†" if first.is_baseline else "")
        values = [results[first.run].estimate.value for results in by_run]
        rows.append([first.run + mark, *map(measured, values)])
    lines = [f"{board.title}: {len(board.runs)} runs, {len(board.ids)} dialogues", ""]
    lines += [*table_lines(rows), ""]
    lines += [f"{distance_title(measure.measure)}: {measure.answer}." for measure in board.measures]
    return lines + [f"Warning: {warning}" for warning in board.warnings]


def _hints(task: SharedTask) -> list[str]:
    """Which options would show differences that runs in the test hide."""
    hiding = [board for board in task.boards if board.more_apart]
    names = {name for board in hiding for m in board.measures if m.tukey for name in m.tukey.means}
    tested = [r for board in hiding for r in board.measures[0].results if r.run in names]
    options_ = [
        option
        for option, is_there in (
            ("--without-baselines", any(result.is_baseline for result in tested)),
            ("--without-oracles", any(result.is_oracle for result in tested)),
        )
        if is_there
    ]
    return [f"{' and '.join(options_)}: test the other runs alone."] if options_ else []


def _rejected(each: RejectedFile) -> list[str]:
    state = "the rest is scored" if each.is_used else "not scored"
    lines = [f"{each.file}: {len(each.faults)} problems, {state}"]
    lines += [f"  {fault}" for fault in each.faults[:_SHOWN]]
    if len(each.faults) > _SHOWN:
        lines.append(f"  … and {len(each.faults) - _SHOWN} more.")
    return [*lines, ""]
