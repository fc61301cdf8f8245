"""Runs in words, in the cells of a matrix, and in tables with their scores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Run, RunScore
from palaver.core.words import counted, shortened
from palaver.storage.evaluation.scores import bare_scores
from palaver.web.desk.tasks.measures import Measure, Measures

ORDER = ("done", "answering", "scoring", "waiting", "failed", "cancelled")
# How a state is marked, beside its word.
TONES = {"done": "good", "failed": "error", "cancelled": "warning"}
# How much of a reason a cell shows.
SHOWN = 160
# Names a run by the other side of it: name, address, and what to add.
Naming = Callable[[Run], tuple[str, str, str]]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run in a table, named by its model or its data set; `scores` are those of each metric."""

    run: Run
    name: str
    name_url: str
    name_note: str
    is_newest: bool
    cell: RunCell
    scores: Mapping[str, Sequence[RunScore]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """Runs with their scores, a column for each measure; notes say which lack values or variants."""

    noun: str
    measures: Sequence[Measure]
    rows: tuple[RunLine, ...]
    notes: tuple[str, ...] = ()


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
        ends = measure.interval(performance.low, performance.high)
        is_bare = performance.value is not None and performance.reason
        note = ends or (f"no interval: {performance.reason}" if is_bare else performance.reason)
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


def read_run_table(
    connection: Connection,
    runs: Sequence[Run],
    measures: Measures,
    *,
    noun: str,
    naming: Naming,
    newest: Callable[[Run], bool],
    address: str,
) -> RunTable:
    """These runs, those of the newest versions first."""
    scores = _by_run(bare_scores(connection, [run.id for run in runs]))
    found = [score for of_run in scores.values() for mine in of_run.values() for score in mine]
    defined = {score.metric for score in found if score.value is not None}

    def line(run: Run) -> RunLine:
        name, url, note = naming(run)
        mine = scores.get(run.id, {})
        performance = next(iter(mine.get(measures.performance.key, ())), None)
        shown = replace(run, metric=measures.performance.key, performance=performance)
        here = f"{address}/runs/{run.key}"
        return RunLine(
            run=shown,
            name=name,
            name_url=url,
            name_note=note,
            is_newest=newest(run),
            cell=run_cell(shown, measures.performance, cell=run.key, url=here),
            scores=mine,
        )

    return RunTable(
        noun=noun,
        measures=measures.ordered(defined),
        rows=tuple(line(run) for run in sorted(runs, key=lambda run: not newest(run))),
        notes=_notes(found, defined, measures),
    )


def _notes(found: Sequence[RunScore], defined: set[str], measures: Measures) -> tuple[str, ...]:
    """Why a metric has no column: no run has a value of it; and which rest on few variants."""
    reasons = {score.metric: score.reason for score in found if score.metric not in defined}
    undefined = [
        f"{measure.title}: undefined, {reasons[measure.key] or 'reason unknown'}."
        for measure in measures.ordered(set(reasons))
    ]
    few = {
        f"{measures.get(score.metric).title} by {score.variants}: {score.warning}."
        for score in found
        if score.warning
    }
    return (*undefined, *sorted(few))


def _by_run(scores: Iterable[RunScore]) -> dict[int, dict[str, list[RunScore]]]:
    """Scores by run and metric, one for each variant; the newest version comes last and stays."""
    newest = {(each.run_id, each.metric, each.variant_id): each for each in scores}
    found: dict[int, dict[str, list[RunScore]]] = {}
    for (run_id, metric, _), score in newest.items():
        found.setdefault(run_id, {}).setdefault(metric, []).append(score)
    return found
