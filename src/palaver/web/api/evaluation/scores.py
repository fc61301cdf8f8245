"""Scores: of a run with all their parts, of a task as rows, and new ones on old answers."""

from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import Field
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.evaluation.scoring.rescoring import RescoredRun, rescore_task
from palaver.storage.evaluation.datasets import list_datasets, list_versions
from palaver.storage.evaluation.runs import ListedRun, find_run, list_runs
from palaver.storage.evaluation.scores import StoredScore, scores_of_runs
from palaver.web.api.access import Editor, Here, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.asking import (
    Asked,
    Key,
    ViewedTask,
    in_thread,
    missing,
    refuse_python,
)
from palaver.web.api.evaluation.runs import PerformanceState
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["scores"])

Names = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=200)]
NameFilter = Annotated[str | None, Query(max_length=100)]


class ScoreState(PerformanceState):
    """A score; `variants` is the perturbed data set that fairness or robustness was measured with.

    `parts` holds what belongs to it: performance by tag, latencies, what older servers would show.
    """

    metric: str
    version: str
    variants: str | None
    parts: dict[str, Any]


class ScoreList(Model):
    """The scores of a run, oldest first."""

    run: str
    scores: list[ScoreState]


class ScoreRow(PerformanceState):
    """A score in a table, with what it is a score of."""

    model: str
    model_version: int
    dataset: str
    dataset_version: int
    run: str
    metric: str
    version: str
    variants: str | None


class ScoreTable(Model):
    """The scores of a task's finished runs, oldest first."""

    task: str
    scores: list[ScoreRow]


class NewScores(Given):
    """A metric of the list for old runs; without names for all of them."""

    metric: Annotated[str, Field(min_length=1, max_length=100)]
    models: Names = Field(default_factory=list)
    datasets: Names = Field(default_factory=list)
    fields: Names = Field(default_factory=list)
    options: dict[str, Any] = Field(default_factory=dict)
    force: bool = False


class RescoredState(Model):
    """A run and its new score, or the problem that there is none."""

    run: str
    model: str
    dataset: str
    metric: str | None = None
    version: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""
    problem: str = ""


class RescoredList(Model):
    """What came of the runs."""

    task: str
    runs: list[RescoredState]


@router.get("/runs/{run}/scores", responses=MISSING)
async def run_scores(deployment: Here, person: Viewer, run: Key) -> ScoreList:
    """The scores of a run with all their parts: by tag, latencies, classes."""

    def read(connection: Connection) -> ScoreList:
        found = find_run(connection, run)
        (listed,) = list_runs(connection, ids=[found.id])
        variants = _variants(connection, listed.task_id)
        return ScoreList(
            run=run,
            scores=[
                ScoreState.model_validate({**_score(each, variants), "parts": dict(each.parts)})
                for each in scores_of_runs(connection, [found.id])
            ],
        )

    with missing():
        return await deployment.store.read(read)


@router.get("/tasks/{task}/scores", responses=MISSING)
async def task_scores(
    asked: ViewedTask,
    person: Viewer,
    metric: NameFilter = None,
    model: NameFilter = None,
    dataset: NameFilter = None,
) -> ScoreTable:
    """The scores of a task's finished runs as rows, every version of models and data sets."""
    return await asked.read(lambda c: _table(c, asked, metric, model, dataset))


@router.post("/tasks/{task}/rescore", responses={**FORBIDDEN, **MISSING, **UNREADABLE})
async def rescore(
    asked: ViewedTask, person: Editor, wanted: Annotated[NewScores, Body()]
) -> RescoredList:
    """Compute a metric on the kept answers of old runs; no model is asked."""
    refuse_python(wanted.metric, "The metric")
    outputs = [each.name for each in asked.task.outputs]
    for field in wanted.fields:
        if field not in outputs:
            raise InputError(f"There is no output '{field}'.{near(field, outputs)}")
    found = await in_thread(
        lambda: rescore_task(
            asked.home,
            asked.row,
            wanted.metric,
            models=wanted.models,
            datasets=wanted.datasets,
            fields=wanted.fields,
            options=wanted.options,
            force=wanted.force,
            now=asked.now,
        )
    )
    return RescoredList(task=asked.row.name, runs=[_rescored(each) for each in found])


def _table(
    connection: Connection,
    asked: Asked,
    metric: str | None,
    model: str | None,
    dataset: str | None,
) -> ScoreTable:
    listed = {
        each.run.id: each
        for each in list_runs(connection, task_id=asked.row.id, states=["done"])
        if model in (None, each.model) and dataset in (None, each.dataset)
    }
    variants = _variants(connection, asked.row.id)
    return ScoreTable(
        task=asked.row.name,
        scores=[
            ScoreRow.model_validate({**_named(listed[each.run_id]), **_score(each, variants)})
            for each in scores_of_runs(connection, list(listed))
            if metric in (None, each.metric)
        ],
    )


def _variants(connection: Connection, task_id: int) -> dict[int, str]:
    """The names of the perturbed data sets by the ids of their versions."""
    return {
        version.id: each.name
        for each in list_datasets(connection, task_id)
        if each.parent_id is not None
        for version in list_versions(connection, each.id)
    }


def _score(score: StoredScore, variants: dict[int, str]) -> dict[str, Any]:
    return {
        "metric": score.metric,
        "version": score.version,
        "variants": variants.get(score.variant_id),
        "value": score.value,
        "low": score.low,
        "high": score.high,
        "n": score.n,
        "reason": score.reason,
    }


def _named(listed: ListedRun) -> dict[str, Any]:
    return {
        "model": listed.model,
        "model_version": listed.model_number,
        "dataset": listed.dataset,
        "dataset_version": listed.dataset_number,
        "run": listed.run.key,
    }


def _rescored(found: RescoredRun) -> RescoredState:
    named = {"run": found.run.run.key, "model": found.run.model, "dataset": found.run.dataset}
    if found.score is None:
        return RescoredState.model_validate({**named, "problem": found.problem})
    return RescoredState.model_validate({**named, **_score(found.score, {})})
