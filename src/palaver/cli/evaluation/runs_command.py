"""`palaver runs`: list runs, look at one, cancel it, try it again."""

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import get_args

import click
from sqlalchemy import Connection

from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.options import HOME, JSON
from palaver.cli.output import print_json, sheet_lines, table_lines, with_interval
from palaver.core.evaluation.runs import Run, RunScore, RunSheet, RunState
from palaver.core.raw_answers import RawAnswer
from palaver.core.words import counted, measured
from palaver.evaluation.runs.outcomes import cancel_run, retry_failed, retry_run
from palaver.evaluation.runs.results import read_run, read_runs, run_sheet


class RunsGroup(click.Group):
    """A group that lists runs when its first word is not a subcommand."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand, or the list."""
        if args and args[0] not in self.commands:
            args = ["list", *args]
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options belong to the list, too."""
        if not args or (args[0].startswith("-") and args[0] not in ("-h", "--help")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group("runs", cls=RunsGroup)
def command() -> None:
    """List runs: palaver runs [TASK] [--state STATE] [--json]. Or look at one and change it."""


@command.command("list")
@click.argument("task", required=False)
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(get_args(RunState)),
    help="Only runs in this state; may be given several times.",
)
@JSON
@HOME
def list_command(
    task: str | None, states: tuple[RunState, ...], as_json: bool, home: Path | None
) -> None:
    """List the runs of TASK, or of every task, oldest first."""
    with existing(home) as opened:
        runs = opened.store.read_now(lambda c: read_runs(c, task=task, states=states))
    if as_json:
        print_json({"runs": runs.runs})
    elif runs.runs:
        click.echo(results_table(runs.runs))
    else:
        click.echo("There are no such runs. Runs are planned when a model or a data set is added.")


@command.command("show")
@click.argument("key")
@JSON
@HOME
def show_command(key: str, as_json: bool, home: Path | None) -> None:
    """Show everything about the run KEY: states, failed attempts, refused answers, scores."""
    with existing(home) as opened:
        sheet = opened.store.read_now(lambda c: run_sheet(c, key))
    if as_json:
        print_json(sheet)
    else:
        click.echo(run_text(sheet))


@command.command("cancel")
@click.argument("key")
@HOME
def cancel_command(key: str, home: Path | None) -> None:
    """Cancel the run KEY, even while a server works on it; its answers are kept."""
    with existing(home) as opened:
        opened.store.write_now(lambda c: cancel_run(c, read_run(c, key), now=time.time()))
    retry, work = at_home(f"palaver runs retry {key}"), at_home("palaver evaluate")
    click.echo(f"Cancelled. To go on with it: {retry}, then {work}")


@command.command("retry")
@click.argument("key", required=False)
@click.option("--failed", is_flag=True, help="Every run that has failed.")
@click.option("--task", metavar="TASK", help="With --failed: only those of this task.")
@HOME
def retry_command(key: str | None, failed: bool, task: str | None, home: Path | None) -> None:
    """Continue a failed or cancelled run: only items without a good answer are asked again."""
    if failed == (key is not None):
        raise click.UsageError("Give the key of a run, or --failed for every run that has failed.")
    with existing(home) as opened:
        count = opened.store.write_now(lambda c: _retry(c, key, task))
    if not count:
        click.echo("No run has failed.")
        return
    click.echo(
        f"{counted(count, 'run')} will be tried again: by a running server, or now with "
        + at_home("palaver evaluate")
    )


def _retry(connection: Connection, key: str | None, task: str | None) -> int:
    if key is None:
        return len(retry_failed(connection, task=task))
    retry_run(connection, read_run(connection, key))
    return 1


HEAD = (
    *("model", "data set", "state", "answered"),
    *("metric", with_interval("score"), "seconds", "key"),
)
# The column of keys: they are there to be copied.
KEY = 7
# How much of what a model sent is shown; with --json it is all that is kept.
SHOWN = 300


def results_table(results: Sequence[Run]) -> str:
    """One line per run, and below them in full why some have no score."""
    rows = [HEAD, *(_row(result) for result in results)]
    lines = list(table_lines(rows, names=2, whole={KEY}))
    reasons = [_reason(result) for result in results if result.reason]
    undefined = [
        f"{result.title}: {result.metric} is undefined: {result.performance.reason}"
        for result in results
        if result.performance is not None and result.performance.value is None
    ]
    bare = [
        f"{result.title}: {result.metric} has {score_note(result.performance)}"
        for result in results
        if result.performance is not None
        and result.performance.value is not None
        and result.performance.low is None
        and result.performance.reason
    ]
    told = [*reasons, *undefined, *bare]
    return "\n".join([*lines, *(["", *told] if told else [])])


def run_text(run: RunSheet) -> str:
    """A run in full."""
    told = {
        "key": run.key,
        "model": f"{run.model}, version {run.model_version}",
        "data set": f"{run.dataset}, version {run.dataset_version}",
        "state": run.state,
        "reason": run.reason,
        "answered": f"{run.answered:,} of {run.items:,}, {run.refused:,} refused",
        "time": _speed(run),
        "planned": _moment(run.created),
        "started": _moment(run.started),
        "finished": _moment(run.finished),
    }
    lines = [f"{run.title}  (task {run.task})", *sheet_lines(told)]
    lines += _scores(run)
    lines += _attempts(run)
    if run.refused_answers:
        lines += ["", f"Refused answers, the first of {run.refused:,}:"]
        for refused_answer in run.refused_answers:
            lines += [f"  {refused_answer.problem}", *_came(refused_answer.raw)]
    return "\n".join(lines)


def score_words(score: RunScore | None) -> str:
    """A score with its interval; empty where there is none yet."""
    return "" if score is None else measured(score.value, score.low, score.high)


def score_note(score: RunScore) -> str:
    """Why a score is undefined, or why it has no interval; that it rests on few variants."""
    is_bare = score.value is not None and score.low is None and score.reason
    why = f"no interval: {score.reason}" if is_bare else score.reason
    return "; ".join(note for note in (why, score.warning) if note)


def _speed(run: RunSheet) -> str:
    if run.busy_seconds <= 0:
        return ""
    speed = run.answered / run.busy_seconds
    return f"{run.busy_seconds:.1f} s ({speed:,.1f}/s) after {run.start_seconds:.1f} s of start-up"


def _row(run: Run) -> tuple[str, ...]:
    score = run.performance
    return (
        run.model,
        run.dataset,
        run.state,
        f"{run.answered:,}/{run.items:,}",
        run.metric if score is not None else "",
        score_words(score),
        f"{run.busy_seconds:.1f}" if run.busy_seconds else "",
        run.key,
    )


def _reason(run: Run) -> str:
    return f"{run.title}: {run.state}. {run.reason}"


def _scores(run: RunSheet) -> list[str]:
    if not run.scores:
        return []
    rows = [("metric", with_interval("score"), "n", "note")]
    rows += [
        (score.metric, score_words(score), f"{score.n:,}", score_note(score))
        for score in run.scores
    ]
    return ["", "Scores:", *table_lines(rows, indent="  ")]


def _attempts(run: RunSheet) -> list[str]:
    lines = ["", "Jobs:"] if run.jobs else []
    for job in run.jobs:
        mine = [failure for failure in run.failures if failure.job == job.key]
        failed = f", {counted(len(mine), 'attempt')} failed" if mine else ""
        lines.append(f"  {job.key:24} {job.state}{failed}")
        lines += [f"    {_moment(each.time)}  {each.reason}" for each in mine]
        lines += _came(job.raw)
    return lines


def _came(raw: RawAnswer | None) -> list[str]:
    """The beginning of what came; it is a stranger's, so nothing in it may steer the terminal."""
    if raw is None:
        return []
    shown = "".join(each if each.isprintable() else " " for each in raw.text[:SHOWN])
    more = "…" if raw.length > SHOWN else ""
    return [f"    it sent ({counted(raw.length, 'character')}): {shown}{more}"]


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")
