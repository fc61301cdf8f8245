"""Runs in words: how many are in which state, and what a cell says of one."""

from collections.abc import Mapping
from dataclasses import dataclass

from palaver.core.evaluation.runs import Run
from palaver.core.words import counted, shortened
from palaver.web.desk.evaluation.measures import Measure

ORDER = ("done", "answering", "scoring", "waiting", "failed", "cancelled")
# How a state is marked, beside its word.
TONES = {"done": "good", "failed": "error", "cancelled": "warning"}
# How much of a reason a cell shows.
SHOWN = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCell:
    """Where a model is with a data set; `of` is 0 unless a bar is shown.

    `cell` names the place on the page, so that a script finds it again.
    """

    cell: str
    url: str
    state: str
    tone: str
    said: str
    note: str = ""
    done: int = 0
    of: int = 0


def state_words(counts: Mapping[str, int]) -> str:
    """The state in words: "14 of 20 runs done, 1 answering, 2 failed"."""
    total = sum(counts.values())
    if not total:
        return "no runs yet"
    rest = [f"{counts[state]:,} {state}" for state in ORDER[1:] if counts.get(state)]
    return ", ".join([f"{counts.get('done', 0):,} of {counted(total, 'run')} done", *rest])


def run_words(run: Run) -> str:
    """The state of one run: "answering 312 of 1,000"."""
    if run.state == "answering":
        return f"answering {run.asked:,} of {run.items:,}"
    return run.state


def run_cell(run: Run, measure: Measure, *, cell: str, url: str) -> RunCell:
    """What a cell says of a run: its performance when it is done, else its progress."""
    performance = run.performance
    said, note, tone = run_words(run), run.reason, TONES.get(run.state, "")
    done = of = 0
    if run.state == "answering":
        done, of = run.asked, run.items
        said = f"{done:,}/{of:,}"
        note = note or (f"{run.refused:,} refused" if run.refused else "")
    elif run.state == "done" and performance is None:
        said = "not scored"
    elif run.state == "done" and performance is not None:
        said, tone = measure.said(performance), "" if performance.value is not None else "warning"
        note = measure.interval(performance.low, performance.high) or performance.reason
    return RunCell(
        cell=cell,
        url=url,
        state=run.state,
        tone=tone,
        said=said,
        note=shortened(note, SHOWN),
        done=done,
        of=of,
    )
