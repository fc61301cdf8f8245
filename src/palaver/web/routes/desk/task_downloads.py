"""The files of a run: its predictions, its scores, its performance by tag."""

import csv
import io
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from palaver.core.evaluation.runs import Prediction, Run, RunSheet
from palaver.evaluation.runs.results import read_run, run_sheet
from palaver.evaluation.scoring.answers import prediction_block
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.evaluation import run_scores
from palaver.web.desk.evaluation.request import RUN, asked_key, asked_task

_encode = msgspec.json.Encoder().encode


@for_role("reviewer")
async def predictions_jsonl(request: Request, person: Person) -> Response:
    """Every prediction of a run, one JSON object per line."""
    asked, key, store = await asked_task(request), asked_key(request), deployment_of(request).store
    run = await store.read(lambda c: read_run(c, key, task=asked.row))
    name = f"{run.model}-{run.dataset}.jsonl"
    return StreamingResponse(
        _lines(deployment_of(request), run),
        media_type="application/x-ndjson",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


async def _lines(deployment: Deployment, run: Run) -> AsyncIterator[bytes]:
    start = 0
    while True:
        block = await deployment.store.read(partial(prediction_block, run=run, start=start))
        if not block:
            return
        yield b"".join(_encode(_record(each)) + b"\n" for each in block)
        start = block[-1].position + 1


def _record(each: Prediction) -> dict[str, Any]:
    """A prediction as it can be uploaded again, with what it took beside it."""
    problem = {"problem": each.problem, "raw": each.raw} if each.problem is not None else {}
    return {"id": each.uid, **(each.answer or {}), **problem, "seconds": each.seconds}


@for_role("viewer")
async def scores_csv(request: Request, person: Person) -> Response:
    """The scores of a run as they are stored."""
    sheet = await _sheet(request)
    rows = (
        (s.metric, s.version, s.variant_id or "", s.value, s.low, s.high, s.n, s.reason)
        for s in sheet.scores
    )
    head = ("metric", "version", "variant", "value", "low", "high", "n", "reason")
    return _csv(head, rows, "scores.csv")


@for_role("viewer")
async def tags_csv(request: Request, person: Person) -> Response:
    """The performance of a run on each tag."""
    asked, sheet = await asked_task(request), await _sheet(request)
    tags = run_scores.tags_of(sheet.scores, asked.measures.performance)
    head = ("tag", "value", "low", "high", "n", "reason")
    rows = (tuple(tag.get(name) for name in head) for tag in tags)
    return _csv(head, rows, "tags.csv")


async def _sheet(request: Request) -> RunSheet:
    asked, key = await asked_task(request), asked_key(request)
    return await deployment_of(request).store.read(lambda c: run_sheet(c, key, task=asked.row))


def _csv(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]], name: str) -> Response:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return Response(
        out.getvalue(),
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


routes: list[BaseRoute] = [
    Route(RUN + "/predictions.jsonl", predictions_jsonl, methods=["GET"]),
    Route(RUN + "/scores.csv", scores_csv, methods=["GET"]),
    Route(RUN + "/tags.csv", tags_csv, methods=["GET"]),
]
