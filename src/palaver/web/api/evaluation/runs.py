"""Runs: planned, listed, looked at, cancelled, tried again, and what models answered in them."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import Body, Query
from pydantic import Field
from sqlalchemy import Connection
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.evaluation.runs.planning import plan_pairs
from palaver.evaluation.runs.results import RunDetail, RunResult, run_detail, run_results
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.models import find_model
from palaver.storage.evaluation.predictions import read_predictions
from palaver.storage.evaluation.runs import RunState, StoredRun, find_run, list_runs, name_run
from palaver.storage.evaluation.tasks import find_task
from palaver.studies.deployment import Deployment
from palaver.web.api.access import Editor, Here, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.asking import Key, ViewedTask, in_thread, missing
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["runs"])

Changing = Callable[[Connection, StoredRun], None]

MOST_ROWS = 500
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]
Cursor = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
TaskFilter = Annotated[str | None, Query(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
NameFilter = Annotated[str | None, Query(max_length=64)]
CHANGED = {**FORBIDDEN, **MISSING}


class PerformanceState(Model):
    """A run's score under the metric that ranks; null where undefined, and `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str


class RunHead(Model):
    """A run: one version of a model on one version of a data set; `reason` says why it failed."""

    key: str
    task: str
    model: str
    model_version: int
    dataset: str
    dataset_version: int
    state: RunState
    reason: str
    items: int
    answered: int
    refused: int
    start_seconds: float
    busy_seconds: float
    created: float
    started: float | None
    finished: float | None
    metric: str
    performance: PerformanceState | None


class RunPage(Model):
    """Some runs, oldest first; pass `next` as `after` to go on. It is null at the end."""

    runs: list[RunHead]
    next: str | None


class RunScore(PerformanceState):
    """A score of a run under a version of a metric."""

    metric: str
    version: str


class RawText(Model):
    """The beginning of what a model sent, and how many characters all of it had."""

    text: str
    length: int


class JobState(Model):
    """A job of a run, how often it was attempted, and what came in a last attempt that failed."""

    key: str
    kind: str
    state: str
    attempts: int
    most_attempts: int
    due: float
    reason: str
    raw: RawText | None


class FailureState(Model):
    """An attempt that failed, and why."""

    job: str
    attempt: int
    reason: str
    time: float


class RefusedAnswer(Model):
    """An answer that was refused, why, and what it was."""

    position: int
    uid: str
    problem: str
    raw: RawText | None


class RunSheet(RunHead):
    """A run with its scores, its jobs, every attempt that failed and the first refused answers."""

    scores: list[RunScore]
    jobs: list[JobState]
    failures: list[FailureState]
    refused_answers: list[RefusedAnswer]


class Plan(Given):
    """What is to be evaluated: without names every model on every data set that counts."""

    model: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    dataset: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class PlannedRuns(Model):
    """Every run of what was asked for, old and new."""

    runs: list[RunHead]


@router.get("/runs", responses=MISSING)
async def list_all_runs(
    deployment: Here,
    person: Viewer,
    *,
    task: TaskFilter = None,
    state: Annotated[list[RunState], Query(default_factory=list, max_length=6)],
    model: NameFilter = None,
    dataset: NameFilter = None,
    after: Cursor = None,
    limit: Limit = 100,
) -> RunPage:
    """The runs of every task or of one, oldest first, a page at a time."""

    def read(connection: Connection) -> RunPage:
        found = list_runs(
            connection,
            task_id=None if task is None else find_task(connection, task).id,
            states=state or None,
        )
        found = [
            each
            for each in found
            if model in (None, each.model) and dataset in (None, each.dataset)
        ]
        if after is not None:
            last = find_run(connection, after).id
            found = [each for each in found if each.run.id > last]
        shown = run_results(connection, found[:limit])
        more = shown[-1].listed.run.key if len(found) > limit else None
        return RunPage(runs=[run_head(each) for each in shown], next=more)

    with missing():
        return await deployment.store.read(read)


@router.get("/runs/{run}", responses=MISSING)
async def show_run(deployment: Here, person: Viewer, run: Key) -> RunSheet:
    """Everything about a run: attempts with their reasons, refused answers, scores."""
    with missing():
        found = await deployment.store.read(lambda c: _detail(c, run))
    return RunSheet.model_validate(found.as_json())


@router.post("/runs/{run}/cancel", responses=CHANGED)
async def cancel(deployment: Here, person: Editor, run: Key) -> RunHead:
    """Cancel a run that is not over yet; its answers are kept."""
    now = deployment.clock.now()
    return await _change(deployment, run, lambda c, found: cancel_run(c, found, now=now))


@router.post("/runs/{run}/retry", responses=CHANGED)
async def retry(deployment: Here, person: Editor, run: Key) -> RunHead:
    """Let a run that failed or was cancelled go on: only what has no good answer is asked again."""
    return await _change(deployment, run, retry_run)


@router.get(
    "/runs/{run}/predictions",
    responses={
        **MISSING,
        200: {"content": {"application/x-ndjson": {}}, "description": "A line per item."},
    },
    response_class=Response,
)
async def run_predictions(deployment: Here, person: Viewer, run: Key) -> Response:
    """What the model answered, a JSON line per item: `uid`, `answer` or `problem`, `seconds`.

    `raw` is what came where the answer was refused.
    """
    with missing():
        found = await deployment.store.read(lambda c: find_run(c, run))
    path = await in_thread(lambda: _written(deployment, found.id))
    return FileResponse(
        path,
        media_type="application/x-ndjson",
        filename=f"{run}.jsonl",
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


@router.post("/tasks/{task}/evaluate", responses={**CHANGED, **UNREADABLE})
async def evaluate(
    asked: ViewedTask, person: Editor, wanted: Annotated[Plan, Body()]
) -> PlannedRuns:
    """Plan what is due; a server works on it. What was computed before is not computed again."""

    def plan(connection: Connection) -> list[StoredRun]:
        row = asked.row
        models = [find_model(connection, row.id, wanted.model)] if wanted.model else None
        sets = [find_dataset(connection, row.id, wanted.dataset)] if wanted.dataset else None
        return plan_pairs(connection, row, models, sets, now=asked.now)

    runs = await asked.write(plan)
    ids = [run.id for run in runs]

    def read(connection: Connection) -> list[RunHead]:
        return [run_head(each) for each in run_results(connection, list_runs(connection, ids=ids))]

    return PlannedRuns(runs=await asked.read(read) if ids else [])


def run_head(result: RunResult) -> RunHead:
    """A run as lists show it."""
    return RunHead.model_validate(result.as_json())


def _detail(connection: Connection, key: str) -> RunDetail:
    return run_detail(connection, name_run(connection, find_run(connection, key).id))


async def _change(deployment: Deployment, key: str, work: Changing) -> RunHead:
    def change(connection: Connection) -> RunResult:
        work(connection, find_run(connection, key))
        return run_results(connection, [name_run(connection, find_run(connection, key).id)])[0]

    with missing():
        return run_head(await deployment.store.write(change))


def _written(deployment: Deployment, run_id: int) -> Path:
    """The predictions of a run in a file, so that none of them waits in memory for a slow reader."""
    encoder = msgspec.json.Encoder()

    def write(connection: Connection) -> Path:
        with tempfile.NamedTemporaryFile(prefix="palaver-predictions-", delete=False) as target:
            for each in read_predictions(connection, run_id):
                line = {"uid": each.uid, "answer": each.answer, "problem": each.problem}
                raw = {} if each.raw is None else {"raw": each.raw}
                target.write(encoder.encode({**line, **raw, "seconds": each.seconds}) + b"\n")
        return Path(target.name)

    return deployment.store.read_now(write)
