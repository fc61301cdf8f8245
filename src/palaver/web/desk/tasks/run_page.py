"""The page of one run, and what of it changes while one looks.

Its scores are shown in order, by tag, and against variants.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.evaluation.runs import Run, RunScore, RunSheet
from palaver.evaluation.scoring.answers import AnsweredItems, Which
from palaver.evaluation.scoring.efficiency import MEMORY, THROUGHPUT
from palaver.evaluation.scoring.tags import told_by_tag
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.parts import Pager
from palaver.web.desk.tasks.measures import Measure, Measures
from palaver.web.desk.tasks.request import AskedTask
from palaver.web.desk.tasks.runs import run_words
from palaver.web.formatting import with_query

# How many tags a page shows; the file has all of them.
MOST_TAGS = 500
SORTS = ("tag", "value", "n")

Tag = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownScore:
    """A score and how its numbers are shown; notes say why it is undefined or has no interval."""

    score: RunScore
    measure: Measure
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SortHead:
    """The head of a column that can be sorted by; `order` is none, ascending or descending."""

    label: str
    url: str
    order: str
    is_number: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TagTable:
    """The performance by tag; `total` may be more than is shown, `mean` is over all of them."""

    measure: Measure
    heads: tuple[SortHead, ...]
    rows: tuple[Tag, ...]
    total: int
    mean: Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComparison:
    """Fairness or robustness, and beside it the performance on the variants."""

    score: RunScore
    measure: Measure
    beside: RunScore | None


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

    template: ClassVar[str] = "desk/tasks/run.html"
    shell: DeskShell
    asked: AskedTask
    address: str
    run: RunSheet
    live: LiveRun
    latencies: Mapping[str, float]
    scores: tuple[ShownScore, ...]
    tags: TagTable | None
    comparisons: tuple[ScoreComparison, ...]
    answers: AnsweredItems
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


def newest(scores: Sequence[RunScore]) -> dict[tuple[str, int], RunScore]:
    """Scores by metric and variant; of several versions of a metric the newest one."""
    return {(score.metric, score.variant_id): score for score in scores}


def shown_scores(scores: Sequence[RunScore], measures: Measures) -> tuple[ShownScore, ...]:
    """The scores of the run itself, the performance first; older versions of a metric too."""
    own = [score for score in scores if not score.variant_id]
    current = newest(own)
    order = [each.key for each in measures.ordered({each.metric for each in own})]
    return tuple(
        _shown(each, measures.get(each.metric), is_old=current[each.metric, 0] is not each)
        for each in sorted(own, key=lambda each: order.index(each.metric))
    )


def _shown(score: RunScore, measure: Measure, *, is_old: bool) -> ShownScore:
    notes = ["computed by an earlier version of the metric"] if is_old else []
    if score.value is None:
        notes.append(f"undefined: {score.reason}" if score.reason else "undefined")
    elif score.low is None and (why := score.reason or score.parts.get("no_interval")):
        notes.append(f"no interval: {why}")
    if score.metric == MEMORY and score.value is not None and "most" in score.parts:
        notes.append(f"at most {measure.number(score.parts['most'])} {measure.unit}")
    notes += [str(each) for each in score.parts.get("warnings", ())]
    return ShownScore(score=score, measure=measure, notes=tuple(notes))


def latencies(scores: Sequence[RunScore]) -> Mapping[str, float]:
    """Mean, median and 95th percentile of what answers took; empty where it is not known."""
    found = newest(scores).get((THROUGHPUT, 0))
    times: Mapping[str, float] = found.parts.get("latency", {}) if found else {}
    return times


def tags_of(scores: Sequence[RunScore], measure: Measure) -> list[Tag]:
    """The performance on each tag, as the newest score has it."""
    found = newest(scores).get((measure.key, 0))
    return list(told_by_tag(found.parts)) if found else []


def tag_table(
    scores: Sequence[RunScore], measure: Measure, *, sort: str, falling: bool, address: str
) -> TagTable | None:
    """The performance by tag, sorted as asked; None where the data set has no tags."""
    tags = tags_of(scores, measure)
    if not tags:
        return None
    return TagTable(
        measure=measure,
        heads=_heads(measure, sort, falling=falling, address=address),
        rows=tuple(_sorted(tags, sort, falling=falling)[:MOST_TAGS]),
        total=len(tags),
        mean=newest(scores)[measure.key, 0].parts.get("mean_of_tags", {}),
    )


def chosen_sort(given: str | None, order: str | None) -> tuple[str, bool]:
    """What tags are sorted by, and whether the largest comes first."""
    sort = given if given in SORTS else "tag"
    return sort or "tag", order == "falling"


def _sorted(tags: list[Tag], sort: str, *, falling: bool) -> list[Tag]:
    """Tags in order; those that are undefined always come last."""
    if sort == "tag":
        return sorted(tags, key=lambda each: str(each["tag"]), reverse=falling)
    known = [tag for tag in tags if tag[sort] is not None]
    missing = [tag for tag in tags if tag[sort] is None]
    known.sort(key=lambda each: str(each["tag"]))
    known.sort(key=lambda each: float(each[sort]), reverse=falling)
    return known + missing


def _heads(measure: Measure, sort: str, *, falling: bool, address: str) -> tuple[SortHead, ...]:
    labels = {"tag": "Tag", "value": measure.title, "n": "Items"}
    heads = []
    for name, label in labels.items():
        is_sorted = name == sort
        # A second click turns the order; numbers begin with the largest.
        turned = not falling if is_sorted else name != "tag"
        order = ("descending" if falling else "ascending") if is_sorted else "none"
        url = with_query(address, sort=name, order="falling" if turned else None)
        heads.append(SortHead(label=label, url=f"{url}#tags", order=order, is_number=name != "tag"))
    return tuple(heads)


def comparisons(scores: Sequence[RunScore], measures: Measures) -> tuple[ScoreComparison, ...]:
    """Agreement with each perturbed set, with what was compared."""
    found = newest(scores)
    beside = f"-{measures.performance.key}"
    return tuple(
        ScoreComparison(
            score=score,
            measure=measures.get(kind),
            beside=found.get((f"{kind}{beside}", variant)),
        )
        for (kind, variant), score in found.items()
        if variant and not kind.endswith(beside)
    )
