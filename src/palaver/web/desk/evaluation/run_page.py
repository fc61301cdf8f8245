"""The page of one run, and what of it changes while one looks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.evaluation.runs import Run, RunSheet
from palaver.evaluation.scoring.answers import Answers, Which
from palaver.web.desk.evaluation.request import AskedTask
from palaver.web.desk.evaluation.run_scores import Comparison, ShownScore, TagTable
from palaver.web.desk.evaluation.states import run_words
from palaver.web.desk.pages import DeskShell, Pager


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """What of a run's page changes while one looks; `of` is 0 unless a bar is shown."""

    state: str
    words: str
    reason: str
    done: int
    of: int
    is_over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """One run at `address`; `which` of its answers are shown, `done` is what was just done to it."""

    template: ClassVar[str] = "researcher/tasks/run.html"
    shell: DeskShell
    asked: AskedTask
    address: str
    run: RunSheet
    live: LiveRun
    latencies: Mapping[str, float]
    scores: tuple[ShownScore, ...]
    tags: TagTable | None
    comparisons: tuple[Comparison, ...]
    answers: Answers
    which: Which
    pager: Pager
    may_change: bool
    may_download: bool
    done: str = ""
    error: str = ""


def live_run(run: Run) -> LiveRun:
    """What of a run changes while one looks."""
    has_bar = run.state in ("waiting", "answering") and run.asked > 0
    return LiveRun(
        state=run.state,
        words=run_words(run),
        reason=run.reason,
        done=run.asked if has_bar else 0,
        of=run.items if has_bar else 0,
        is_over=run.is_over,
    )
