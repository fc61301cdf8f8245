"""A run is scored: every metric of its task, what running it took, and agreement with variants.

Scores are stored under the version of their metric, so that the same is not computed twice, and a
changed metric, function, field or option is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Run, RunScore, ScoreRow, ScoreSheet
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.core.tasks import MetricChoice, Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.agreement import agreement
from palaver.evaluation.scoring.efficiency import MEMORY, THROUGHPUT, memory, throughput
from palaver.evaluation.scoring.efficiency import VERSION as RUNNING_VERSION
from palaver.evaluation.scoring.functions import find_function, score_function
from palaver.evaluation.scoring.material import Material, read_material
from palaver.evaluation.scoring.result import choice_version
from palaver.evaluation.scoring.scores import (
    Compute,
    ScorePiece,
    find_choice,
    score_piece,
    score_pieces,
)
from palaver.evaluation.scoring.tags import told_by_tag
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.runs import find_run, list_runs, variant_pairs
from palaver.storage.evaluation.scores import scores_of_runs, store_scores

# The states in which every item of a run has its answer.
ANSWERED = frozenset({"scoring", "done"})

Known = dict[tuple[str, str, int], RunScore]


def score_run(
    home: EvaluationHome,
    run_id: int,
    *,
    metrics: Sequence[str] | None = None,
    now: float,
    force: bool = False,
    compute: Compute = score_pieces,
) -> list[RunScore]:
    """Score a run and store what is new; every score that was asked for, old or new.

    With `metrics` only these: keys of the task's metrics, or any other metrics, on the fields of its
    performance. Without, everything: also throughput, memory, the task's or data set's own function,
    and the agreement with perturbed versions whose runs have their answers. `compute` scores the
    metrics, here or elsewhere.
    """
    material = read_material(home, run_id)
    choices = (
        material.task.metrics
        if metrics is None
        else tuple(_choice(material.task, name) for name in metrics)
    )
    known = {} if force else _known(home, run_id)
    found = _score_choices(material, choices, known, compute)
    if metrics is None:
        found += _score_running(material, known)
    new = [each for each in found if (each.metric, each.version, 0) not in known]
    home.store.write_now(lambda c: store_scores(c, new, now=now))
    if metrics is None:
        found += _score_variants(home, material, now=now, force=force)
    return found


def rescore_run(
    home: EvaluationHome,
    run_id: int,
    choice: MetricChoice,
    *,
    folder: Path | None = None,
    now: float,
    force: bool = False,
) -> RunScore:
    """One more metric on the answers that a run has; stored unless it was there.

    InputError where the metric does not take what the task has. `folder` is where a metric of the
    researcher's own lies.
    """
    material = read_material(home, run_id)
    known = {} if force else _known(home, run_id)
    score = _known_score(material, choice, known, folder=folder)
    if score is None:
        piece = _piece(material, choice, folder=folder, strict=True)
        score = score_piece(piece).stored(material.run.id)
    if (score.metric, score.version, 0) not in known:
        home.store.write_now(lambda c: store_scores(c, [score], now=now))
    return score


def run_scores(connection: Connection, key: str) -> tuple[ScoreSheet, ...]:
    """The scores of a run, oldest first."""
    found = scores_of_runs(connection, [find_run(connection, key).id])
    return tuple(extended(each, ScoreSheet, parts=_told(each.parts)) for each in found)


def _told(parts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**parts, "perf_by_tag": told_by_tag(parts)} if "perf_by_tag" in parts else parts


def task_scores(
    connection: Connection,
    task_row: StoredTask,
    *,
    metric: str | None = None,
    model: str | None = None,
    dataset: str | None = None,
    round: int | None = None,
) -> tuple[ScoreRow, ...]:
    """The scores of a task's finished runs, oldest first; every version of models and data sets.

    With a `round` those on its data sets, whatever they are for.
    """
    sets = list_datasets(connection, task_row.id)
    names = {each.name for each in sets if round in (None, each.round)}
    runs = {
        run.id: run
        for run in list_runs(connection, task_id=task_row.id, states=["done"])
        if model in (None, run.model) and dataset in (None, run.dataset) and run.dataset in names
    }
    return tuple(
        extended(score, ScoreRow, **runs[score.run_id].named)
        for score in scores_of_runs(connection, list(runs))
        if metric in (None, score.metric)
    )


def _choice(task: Task, name: str) -> MetricChoice:
    """The task's own choice of that key, else the metric on the fields of the performance."""
    for choice in task.metrics:
        if choice.key == name:
            return choice
    return MetricChoice(metric=name, fields=task.performance.fields)


def _known(home: EvaluationHome, run_id: int) -> Known:
    found = home.store.read_now(lambda c: scores_of_runs(c, [run_id]))
    return {(each.metric, each.version, each.variant_id): each for each in found}


def _score_choices(
    material: Material, choices: Sequence[MetricChoice], known: Known, compute: Compute
) -> list[RunScore]:
    own = _score_by_function(material, known) if choices else []
    measured = {score.metric for score in own}
    wanted = {choice.key for choice in choices}
    open_choices = [choice for choice in choices if choice.key not in measured]
    old = [_known_score(material, open_choice, known) for open_choice in open_choices]
    due = [each for each, score in zip(open_choices, old, strict=True) if score is None]
    new = iter(compute([_piece(material, each) for each in due]))
    computed = [score or next(new).stored(material.run.id) for score in old]
    everything = wanted >= {choice.key for choice in material.task.metrics}
    return [score for score in own if everything or score.metric in wanted] + computed


def _score_by_function(material: Material, known: Known) -> list[RunScore]:
    if material.function is None:
        return []
    function = find_function(*material.function)
    old = [score for (_, version, _), score in known.items() if version == function.version]
    if old:
        return old
    found = score_function(
        function, material.examples, material.answers, performance=material.task.performance.key
    )
    return [each.stored(material.run.id) for each in found]


def _known_score(
    material: Material, choice: MetricChoice, known: Known, *, folder: Path | None = None
) -> RunScore | None:
    version = choice_version(find_choice(material.task, choice, folder=folder), choice)
    return known.get((choice.key, version, 0))


def _piece(
    material: Material, choice: MetricChoice, *, folder: Path | None = None, strict: bool = False
) -> ScorePiece:
    return ScorePiece(
        task=material.task,
        choice=choice,
        examples=material.examples,
        answers=material.answers,
        by_tag=choice.key == material.task.performance.key,
        strict=strict,
        folder=folder,
    )


def _score_running(material: Material, known: Known) -> list[RunScore]:
    old = [known.get((name, RUNNING_VERSION, 0)) for name in (THROUGHPUT, MEMORY)]
    if all(old):
        return [each for each in old if each is not None]
    found = (
        throughput(material.run, material.seconds, kind=material.kind),
        memory(material.run, kind=material.kind),
    )
    return [each.stored(material.run.id) for each in found]


def _score_variants(
    home: EvaluationHome, material: Material, *, now: float, force: bool
) -> list[RunScore]:
    """Agreement of every pair of original and variant that this run belongs to."""
    pairs = home.store.read_now(lambda c: variant_pairs(c, material.run.id))
    found: list[RunScore] = []
    for original, variant in pairs:
        other = variant if original.id == material.run.id else original
        if other.state in ANSWERED:
            found += _score_pair(home, material, original, variant, now=now, force=force)
    return found


def _score_pair(
    home: EvaluationHome,
    material: Material,
    original: Run,
    variant: Run,
    *,
    now: float,
    force: bool,
) -> list[RunScore]:
    """Agreement, and the performance on the variants, both stored with the run of the original."""
    known = {} if force else _known(home, original.id)
    variant_id = variant.dataset_version_id
    mine = material.run.id == original.id
    other = read_material(home, variant.id if mine else original.id)
    first, second = (material, other) if mine else (other, material)
    kind = second.dataset.kind
    if not kind:
        return []
    task = material.task
    version = choice_version(find_choice(task, task.performance), task.performance)
    score = known.get((kind, version, variant_id))
    new = []
    if score is None:
        pair = ((each.examples, each.answers) for each in (first, second))
        score = agreement(kind, task, *pair).stored(original.id, variant_id=variant_id)
        new.append(score)
    new += _performance_on(home, kind, task, original.id, variant)
    home.store.write_now(lambda c: store_scores(c, new, now=now))
    return [score, *(each for each in new if each is not score)]


def _performance_on(
    home: EvaluationHome, kind: str, task: Task, original_id: int, variant: Run
) -> list[RunScore]:
    """The newest performance of the variant's run, as the original's score "kind-metric"."""
    scores = home.store.read_now(lambda c: scores_of_runs(c, [variant.id]))
    mine = [score for score in scores if score.metric == task.performance.key]
    if not mine:
        return []
    copied = replace(
        mine[-1],
        run_id=original_id,
        metric=f"{kind}-{task.performance.key}",
        variant_id=variant.dataset_version_id,
        parts={key: mine[-1].parts[key] for key in ("legacy",) if key in mine[-1].parts},
    )
    return [copied]
