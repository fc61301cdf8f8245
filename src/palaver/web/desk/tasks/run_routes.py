"""One run: its page, its state as JSON, its files, and the acts cancel and try again."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.runs import Prediction, Run, RunSheet
from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.evaluation.runs.predictions import prediction_blocks
from palaver.evaluation.runs.results import read_run, run_sheet
from palaver.evaluation.scoring.answers import PAGE, AnsweredItems, Which, read_answers
from palaver.formats.spreadsheets import escaped_row
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.frame import shell
from palaver.web.desk.parts import Pager
from palaver.web.desk.tasks.request import (
    RUN,
    AskedTask,
    asked_key,
    asked_number,
    asked_task,
)
from palaver.web.desk.tasks.run_page import (
    RunPage,
    chosen_sort,
    comparisons,
    latencies,
    live_run,
    shown_scores,
    tag_table,
    tags_of,
)
from palaver.web.formatting import with_query
from palaver.web.rendering import show

DONE = {
    "cancelled": "The run is cancelled. Its answers are kept.",
    "retried": "A running server will retry the run; to retry it now, use palaver evaluate.",
}
_encode = msgspec.json.Encoder().encode


@for_role("viewer")
async def show_run(request: Request, person: Person) -> Response:
    return await _show(request, person, await asked_task(request))


@for_role("viewer")
async def run_json(request: Request, person: Person) -> Response:
    """What changes on the page of a run."""
    asked, key = await asked_task(request), asked_key(request)
    run = await deployment_of(request).store.read(lambda c: read_run(c, key, task=asked.row))
    return Response(msgspec.json.encode(live_run(run)), media_type="application/json")


@for_role("reviewer", changes=True)
async def cancel(request: Request, person: Person) -> Response:
    """Cancel a run that is not over."""
    now = deployment_of(request).clock.now()
    return await _change(request, person, lambda c, run: cancel_run(c, run, now=now), "cancelled")


@for_role("reviewer", changes=True)
async def retry(request: Request, person: Person) -> Response:
    """Let a run that failed or was cancelled go on."""
    return await _change(request, person, retry_run, "retried")


async def _change(
    request: Request,
    person: Person,
    work: Callable[[Connection, Run], Run],
    done: str,
) -> Response:
    asked, key = await asked_task(request), asked_key(request)
    try:
        await deployment_of(request).store.write(
            lambda c: work(c, read_run(c, key, task=asked.row))
        )
    except UnknownNameError:
        raise
    except InputError as error:
        return await _show(request, person, asked, error=str(error))
    address = with_query(f"{asked.address}/runs/{key}", done=done)
    return RedirectResponse(address, status_code=303)


async def _show(request: Request, person: Person, asked: AskedTask, *, error: str = "") -> Response:
    deployment, key, params = deployment_of(request), asked_key(request), request.query_params
    run = await deployment.store.read(lambda c: run_sheet(c, key, task=asked.row))
    which: Which = "wrong" if params.get("answers") == "wrong" else "all"
    start = asked_number(params.get("from"))
    answers = await asyncio.to_thread(
        read_answers, deployment.evaluation, asked.task, run, which=which, start=start
    )
    address, live = f"{asked.address}/runs/{run.key}", live_run(run)
    sort, falling = chosen_sort(params.get("sort"), params.get("order"))
    page = RunPage(
        shell=shell(request, person, f"{run.title}: {live.words}", "tasks"),
        asked=asked,
        address=address,
        run=run,
        live=live,
        latencies=latencies(run.scores),
        scores=shown_scores(run.scores, asked.measures),
        tags=tag_table(
            run.scores, asked.measures.performance, sort=sort, falling=falling, address=address
        ),
        comparisons=comparisons(run.scores, asked.measures),
        answers=answers,
        which=which,
        pager=_pager(address, answers, which, start),
        may_change=person.may("reviewer") and not deployment.store.read_only,
        may_download=person.may("reviewer"),
        done=DONE.get(params.get("done", ""), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _pager(address: str, answers: AnsweredItems, which: Which, start: int) -> Pager:
    chosen = "wrong" if which == "wrong" else None
    before = max(0, start - PAGE) if which == "all" else 0

    def url(begin: int) -> str:
        return f"{with_query(address, answers=chosen, **{'from': begin or None})}#answers"

    return Pager(
        previous_url=url(before) if start else "",
        next_url="" if answers.following is None else url(answers.following),
    )


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
    blocks = prediction_blocks(deployment.evaluation, run)
    while block := await asyncio.to_thread(next, blocks, None):
        yield b"".join(_encode(_record(each)) + b"\n" for each in block)


def _record(each: Prediction) -> dict[str, Any]:
    """A prediction as it can be uploaded again, with what it took beside it."""
    problem = {"problem": each.problem, "raw": each.raw} if each.problem is not None else {}
    return {"id": each.uid, **(each.answer or {}), **problem, "seconds": each.seconds}


@for_role("viewer")
async def scores_csv(request: Request, person: Person) -> Response:
    """The scores of a run as they are stored."""
    sheet = await _sheet(request)
    rows = (
        (s.metric, s.version, s.variant_id or "", s.value, s.low, s.high, s.n, s.reason, s.warning)
        for s in sheet.scores
    )
    head = ("metric", "version", "variant", "value", "low", "high", "n", "reason", "warning")
    return _csv(head, rows, "scores.csv")


@for_role("viewer")
async def tags_csv(request: Request, person: Person) -> Response:
    """The performance of a run on each tag."""
    asked, sheet = await asked_task(request), await _sheet(request)
    tags = tags_of(sheet.scores, asked.measures.performance)
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
    writer.writerows(map(escaped_row, rows))
    return Response(
        out.getvalue(),
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


routes: list[BaseRoute] = [
    Route(RUN, show_run, methods=["GET"]),
    Route(RUN + "/state.json", run_json, methods=["GET"]),
    Route(RUN + "/cancel", cancel, methods=["POST"]),
    Route(RUN + "/retry", retry, methods=["POST"]),
    Route(RUN + "/predictions.jsonl", predictions_jsonl, methods=["GET"]),
    Route(RUN + "/scores.csv", scores_csv, methods=["GET"]),
    Route(RUN + "/tags.csv", tags_csv, methods=["GET"]),
]
