"""Runs in a terminal: a table, and one run in full."""

from collections.abc import Sequence
from datetime import datetime

from palaver.cli.tables import aligned
from palaver.core.evaluation.runs import Run, RunSheet
from palaver.core.evaluation.scores import RunScore
from palaver.core.raw_answers import RawAnswer
from palaver.core.words import counted

HEAD = ("model", "data set", "state", "answered", "score", "interval", "seconds", "key")
LEFT = frozenset({0, 1, 2, 7})
# How much of what a model sent is shown; with --json it is all that is kept.
SHOWN = 300


def results_table(results: Sequence[Run]) -> str:
    """One line per run, and below them in full why some have no score."""
    rows = [HEAD, *(_row(each) for each in results)]
    lines = list(aligned(rows, left=LEFT))
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
    lines = [
        f"{run.title}  (task {run.task})",
        f"  key        {run.key}",
        f"  model      {run.model}, version {run.model_version}",
        f"  data set   {run.dataset}, version {run.dataset_version}",
        f"  state      {run.state}",
    ]
    if run.reason:
        lines.append(f"  reason     {run.reason}")
    lines.append(f"  answered   {run.answered:,} of {run.items:,}, {run.refused:,} refused")
    if run.busy_seconds > 0:
        speed = run.answered / run.busy_seconds
        lines.append(
            f"  time       {run.busy_seconds:.1f} s ({speed:,.1f}/s) after "
            f"{run.start_seconds:.1f} s of start-up"
        )
    for title, moment in (("planned", run.created), ("begun", run.started), ("over", run.finished)):
        if moment is not None:
            lines.append(f"  {title:10} {_moment(moment)}")
    lines += _scores(run)
    lines += _attempts(run)
    if run.refused_answers:
        lines += ["", f"Refused answers, the first of {run.refused:,}:"]
        for each in run.refused_answers:
            lines += [f"  {each.problem}", *_came(each.raw)]
    return "\n".join(lines)


def interval(score: RunScore | None) -> str:
    """The interval of a score; empty where there is none."""
    if score is None or score.low is None or score.high is None:
        return ""
    return f"{score.low:.4g}–{score.high:.4g}"


def _row(run: Run) -> tuple[str, ...]:
    score = run.performance
    value = "" if score is None else "undefined" if score.value is None else f"{score.value:.4g}"
    return (
        run.model,
        run.dataset,
        run.state,
        f"{run.answered:,}/{run.items:,}",
        f"{run.metric} {value}" if value else "",
        interval(score),
        f"{run.busy_seconds:.1f}" if run.busy_seconds else "",
        run.key,
    )


def _reason(run: Run) -> str:
    return f"{run.title}: {run.state}. {run.reason}"


def _scores(run: RunSheet) -> list[str]:
    if not run.scores:
        return []
    lines = ["", "Scores:"]
    width = max(len(each.metric) for each in run.scores)
    for each in run.scores:
        value = "undefined" if each.value is None else f"{each.value:.6g}"
        told = f"  {each.metric:{width}}  {value}"
        told += f"  {interval(each)}" if interval(each) else ""
        told += f"  n {each.n:,}"
        lines.append(f"{told}  {each.reason}".rstrip())
    return lines


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


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")
