"""Runs with their scores in a table, seen from their model or from their data set."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.scores import RunScore
from palaver.storage.evaluation.datasets import list_datasets, list_versions
from palaver.storage.evaluation.scores import bare_scores
from palaver.web.desk.evaluation.measures import Measure, Measures
from palaver.web.desk.evaluation.parts import RunLine, RunTable
from palaver.web.desk.evaluation.states import run_cell
from palaver.web.formatting import moment

# Names a run by the other side of it: name, address, and what to add.
Naming = Callable[[Run], tuple[str, str, str]]


def variant_names(connection: Connection, task_id: int) -> dict[int, Dataset]:
    """The perturbed data sets of a task by the ids of all their versions."""
    return {
        version.version_id: dataset
        for dataset in list_datasets(connection, task_id)
        if dataset.parent_id is not None
        for version in list_versions(connection, dataset.id)
    }


def read_run_table(
    connection: Connection,
    listed: Sequence[Run],
    measures: Measures,
    *,
    noun: str,
    naming: Naming,
    newest: Callable[[Run], bool],
    address: str,
) -> RunTable:
    """These runs, those of the newest versions first."""
    scores = _by_run(bare_scores(connection, [each.id for each in listed]))
    variants = variant_names(connection, listed[0].task_id) if listed else {}
    found = [score for mine in scores.values() for score in mine.values()]
    defined = {score.metric for score in found if score.value is not None}
    shown = measures.ordered(defined)
    ordered = sorted(listed, key=lambda each: not newest(each))
    return RunTable(
        noun=noun,
        heads=tuple(_head(measure) for measure in shown),
        rows=tuple(
            _line(
                each,
                scores.get(each.id, {}),
                shown,
                measures,
                variants,
                named=naming(each),
                is_newest=newest(each),
                address=address,
            )
            for each in ordered
        ),
        notes=_notes(found, defined, measures),
    )


def _notes(found: Sequence[RunScore], defined: set[str], measures: Measures) -> tuple[str, ...]:
    """Why a metric has no column: no run has a value of it."""
    reasons = {score.metric: score.reason for score in found if score.metric not in defined}
    return tuple(
        f"{measure.title}: undefined, {reasons[measure.key] or 'no reason is known'}."
        for measure in measures.ordered(set(reasons))
    )


def _by_run(
    scores: Iterable[RunScore],
) -> dict[int, dict[tuple[str, int], RunScore]]:
    """Scores by run, then by metric and variant; the newest version comes last and stays."""
    found: dict[int, dict[tuple[str, int], RunScore]] = {}
    for score in scores:
        found.setdefault(score.run_id, {})[score.metric, score.variant_id] = score
    return found


def _head(measure: Measure) -> str:
    return f"{measure.title}, {measure.unit}" if measure.unit else measure.title


def _line(
    run: Run,
    scores: Mapping[tuple[str, int], RunScore],
    shown: Sequence[Measure],
    measures: Measures,
    variants: Mapping[int, Dataset],
    *,
    named: tuple[str, str, str],
    is_newest: bool,
    address: str,
) -> RunLine:
    name, url, note = named
    performance = scores.get((measures.performance.key, 0))
    cell = run_cell(
        run, performance, measures.performance, cell=run.key, url=f"{address}/runs/{run.key}"
    )
    return RunLine(
        name=name,
        name_url=url,
        name_note=note,
        model_version=run.model_version,
        dataset_version=run.dataset_version,
        is_newest=is_newest,
        run=cell,
        cells=tuple(_cell(measure, scores, variants) for measure in shown),
        finished=moment(run.finished) if run.finished is not None else None,
    )


def _cell(
    measure: Measure,
    scores: Mapping[tuple[str, int], RunScore],
    variants: Mapping[int, Dataset],
) -> tuple[str, ...]:
    """The lines of a cell: value and interval, for each variant where there are several."""
    found = [(variant, each) for (metric, variant), each in scores.items() if metric == measure.key]
    if not found:
        return ("–",)
    lines: list[str] = []
    for variant, score in found:
        if len(found) > 1 and variant in variants:
            lines.append(f"{variants[variant].name}:")
        lines += _number(measure, score)
    return tuple(lines)


def _number(measure: Measure, score: RunScore) -> list[str]:
    if score.value is None:
        return ["undefined"]
    ends = measure.interval(score.low, score.high)
    value = measure.number(score.value)
    return [value, ends] if ends else [value]
