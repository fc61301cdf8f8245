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

from palaver.core.evaluation.runs import Run, RunList, RunSheet, RunSlice, RunState
from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.evaluation.runs.plans import plan_named
from palaver.evaluation.runs.predictions import prediction_blocks
from palaver.evaluation.runs.results import read_run, read_runs, run_sheet, with_performance
from palaver.studies.run.deployment import Deployment
from palaver.web.api.access import Editor, Here, Reviewer, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.request import Key, ViewedTask, in_thread, missing
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["runs"])

Changing = Callable[[Connection, Run], Run]

MOST_ROWS = 500
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]
Cursor = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
TaskFilter = Annotated[str | None, Query(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
NameFilter = Annotated[str | None, Query(max_length=64)]
CHANGED = {**FORBIDDEN, **MISSING}


class Plan(Given):
    """What to evaluate: without names, every model on every data set that counts."""

    model: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    dataset: Annotated[str, Field(min_length=1, max_length=64)] | None = None


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
) -> RunSlice:
    """The runs of one task or of all, oldest first, a page at a time."""

    def read(connection: Connection) -> RunSlice:
        return read_runs(
            connection,
            task=task,
            states=state,
            model=model,
            dataset=dataset,
            after=after,
            limit=limit,
        )

    with missing():
        return await deployment.store.read(read)


@router.get("/runs/{run}", responses=MISSING)
async def show_run(deployment: Here, person: Viewer, run: Key) -> RunSheet:
    """Everything about a run: attempts with their reasons, refused answers, scores."""
    with missing():
        return await deployment.store.read(lambda c: run_sheet(c, run))


@router.post("/runs/{run}/cancel", responses=CHANGED)
async def cancel(deployment: Here, person: Editor, run: Key) -> Run:
    """Cancel a run that is not over yet; its answers are kept."""
    now = deployment.clock.now()
    return await _change(deployment, run, lambda c, found: cancel_run(c, found, now=now))


@router.post("/runs/{run}/retry", responses=CHANGED)
async def retry(deployment: Here, person: Editor, run: Key) -> Run:
    """Continue a failed or cancelled run: only items without a good answer are asked again."""
    return await _change(deployment, run, retry_run)


@router.get(
    "/runs/{run}/predictions",
    responses={
        **MISSING,
        **FORBIDDEN,
        200: {"content": {"application/x-ndjson": {}}, "description": "A line per item."},
    },
    response_class=Response,
)
async def run_predictions(deployment: Here, person: Reviewer, run: Key) -> Response:
    """What the model answered, a JSON line per item: `uid`, `answer` or `problem`, `seconds`.

    `raw` is what the model sent where its answer was refused.
    """
    with missing():
        found = await deployment.store.read(lambda c: read_run(c, run))
    path = await in_thread(lambda: _written(deployment, found))
    return FileResponse(
        path,
        media_type="application/x-ndjson",
        filename=f"{run}.jsonl",
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


@router.post("/tasks/{task}/evaluate", responses={**CHANGED, **UNREADABLE})
async def evaluate(asked: ViewedTask, person: Editor, wanted: Annotated[Plan, Body()]) -> RunList:
    """Plan what is due; a server works on it. What was computed before is not computed again."""

    def plan(connection: Connection) -> RunList:
        named = wanted.model_dump()
        runs = plan_named(connection, asked.row, **named, now=asked.now)
        return RunList(runs=tuple(with_performance(connection, runs)))

    return await asked.write(plan)


async def _change(deployment: Deployment, key: str, work: Changing) -> Run:
    with missing():
        return await deployment.store.write(lambda c: work(c, read_run(c, key)))


def _written(deployment: Deployment, run: Run) -> Path:
    """The predictions of a run in a file, so that none of them waits in memory for a slow reader."""
    encoder = msgspec.json.Encoder()

    with tempfile.NamedTemporaryFile(prefix="palaver-predictions-", delete=False) as target:
        for block in prediction_blocks(deployment.evaluation, run):
            target.writelines(encoder.encode(each) + b"\n" for each in block)
    return Path(target.name)
