"""Scores: of a run with all their parts, of a task as rows, and new ones on old answers."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import Field

from palaver.core.evaluation.runs import Rescored, ScoreRow, ScoreSheet
from palaver.evaluation.scoring.rescore import Rescoring, rescore_task
from palaver.evaluation.scoring.scored_runs import run_scores, task_scores
from palaver.web.api.access import Editor, Here, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.request import Key, ViewedTask, in_thread, missing
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.own_python import refuse_python

router = RecordRouter(responses=ANSWERS, tags=["scores"])

Names = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=200)]
NameFilter = Annotated[str | None, Query(max_length=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreList:
    """The scores of a run, oldest first."""

    run: str
    scores: tuple[ScoreSheet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """The scores of a task's finished runs, oldest first."""

    task: str
    scores: tuple[ScoreRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoredList:
    """What became of the runs."""

    task: str
    runs: tuple[Rescored, ...]


class NewScores(Given):
    """A metric of the list for old runs; without names, for all of them."""

    metric: Annotated[str, Field(min_length=1, max_length=100)]
    models: Names = Field(default_factory=list)
    datasets: Names = Field(default_factory=list)
    fields: Names = Field(default_factory=list)
    options: dict[str, Any] = Field(default_factory=dict)
    force: bool = False


@router.get("/runs/{run}/scores", responses=MISSING)
async def show_scores(deployment: Here, person: Viewer, run: Key) -> ScoreList:
    """The scores of a run with all their parts: by tag, latencies, classes."""

    with missing():
        found = await deployment.store.read(lambda c: run_scores(c, run))
    return ScoreList(run=run, scores=found)


@router.get("/tasks/{task}/scores", responses=MISSING)
async def list_scores(
    asked: ViewedTask,
    person: Viewer,
    metric: NameFilter = None,
    model: NameFilter = None,
    dataset: NameFilter = None,
    round: Annotated[
        int | None, Query(ge=0, description="Only on data sets of this round.")
    ] = None,
) -> ScoreTable:
    """The scores of a task's finished runs as rows, every version of models and data sets."""
    found = await asked.read(
        lambda c: task_scores(
            c, asked.row, metric=metric, model=model, dataset=dataset, round=round
        )
    )
    return ScoreTable(task=asked.row.name, scores=found)


@router.post("/tasks/{task}/rescore", responses={**FORBIDDEN, **MISSING, **UNREADABLE})
async def rescore(
    asked: ViewedTask, person: Editor, wanted: Annotated[NewScores, Body()]
) -> RescoredList:
    """Compute a metric on the kept answers of old runs; no model is asked."""
    refuse_python(wanted.metric, "The metric")
    asking = Rescoring(**wanted.model_dump())
    found = await in_thread(lambda: rescore_task(asked.home, asked.row, asking, now=asked.now))
    return RescoredList(task=asked.row.name, runs=tuple(found))
