"""Runs in a terminal: a table, and one run in full."""

from collections.abc import Sequence
from datetime import datetime

from palaver.cli.tables import sheet_lines, table_lines, with_interval
from palaver.core.evaluation.runs import Run, RunSheet
from palaver.core.evaluation.scores import RunScore
from palaver.core.raw_answers import RawAnswer
from palaver.core.words import counted, measured

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
    rows = [HEAD, *(_row(each) for each in results)]
    lines = list(table_lines(rows, names=2, whole={KEY}))
    reasons = [_reason(each) for each in results if each.reason]
    undefined = [
        f"{each.title}: {each.metric} is undefined: {each.performance.reason}"
        for each in results
        if each.performance is not None and each.performance.value is None
    ]
    told = [*reasons, *undefined]
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
        for each in run.refused_answers:
            lines += [f"  {each.problem}", *_came(each.raw)]
    return "\n".join(lines)


def score_words(score: RunScore | None) -> str:
    """A score with its interval; empty where there is none yet."""
    return "" if score is None else measured(score.value, score.low, score.high)


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
    rows += [(each.metric, score_words(each), f"{each.n:,}", each.reason) for each in run.scores]
    return ["", "Scores:", *table_lines(rows, indent="  ")]


def _attempts(run: RunSheet) -> list[str]:
    lines = ["", "Jobs:"] if run.jobs else []
    for job in run.jobs:
        mine = [each for each in run.failures if each.job == job.key]
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
