"""One run: its page, its state as JSON, and the acts cancel and try again."""

import asyncio
from collections.abc import Callable

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.runs import Run, RunSheet
from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.evaluation.runs.results import read_run, run_sheet
from palaver.evaluation.scoring.answers import PAGE, Answers, Which, read_answers
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.evaluation import run_scores
from palaver.web.desk.evaluation.request import (
    RUN,
    AskedTask,
    asked_key,
    asked_number,
    asked_task,
)
from palaver.web.desk.evaluation.run_page import RunPage, live_run
from palaver.web.desk.frame import shell, show
from palaver.web.desk.pages import Pager
from palaver.web.formatting import with_query

DONE = {
    "cancelled": "The run is cancelled. Its answers are kept.",
    "retried": "A running server will retry the run; to retry it now, use palaver evaluate.",
}


@for_role("viewer")
async def show_run(request: Request, person: Person) -> Response:
    """Everything about one run."""
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
    deployment, key = deployment_of(request), asked_key(request)
    run = await deployment.store.read(lambda c: run_sheet(c, key, task=asked.row))
    which: Which = "wrong" if request.query_params.get("answers") == "wrong" else "all"
    start = asked_number(request.query_params.get("from"))
    answers = await asyncio.to_thread(
        read_answers, deployment.evaluation, asked.task, run, which=which, start=start
    )
    page = _page(request, person, asked, run, answers, which, start, error)
    return show(request, page, status=422 if error else 200)


def _page(
    request: Request,
    person: Person,
    asked: AskedTask,
    run: RunSheet,
    answers: Answers,
    which: Which,
    start: int,
    error: str,
) -> RunPage:
    address = f"{asked.address}/runs/{run.key}"
    live = live_run(run)
    sort, falling = run_scores.chosen_sort(
        request.query_params.get("sort"), request.query_params.get("order")
    )
    performance = asked.measures.performance
    return RunPage(
        shell=shell(request, person, f"{run.title}: {live.words}", "tasks"),
        asked=asked,
        address=address,
        run=run,
        live=live,
        latencies=run_scores.latencies(run.scores),
        scores=run_scores.shown_scores(run.scores, asked.measures),
        tags=run_scores.tag_table(
            run.scores, performance, sort=sort, falling=falling, address=address
        ),
        comparisons=run_scores.comparisons(run.scores, asked.measures),
        answers=answers,
        which=which,
        pager=_pager(address, answers, which, start),
        may_change=person.may("reviewer") and not deployment_of(request).store.read_only,
        may_download=person.may("reviewer"),
        done=DONE.get(request.query_params.get("done", ""), ""),
        error=error,
    )


def _pager(address: str, answers: Answers, which: Which, start: int) -> Pager:
    chosen = "wrong" if which == "wrong" else None
    before = max(0, start - PAGE) if which == "all" else 0

    def url(begin: int) -> str:
        return f"{with_query(address, answers=chosen, **{'from': begin or None})}#answers"

    return Pager(
        previous_url=url(before) if start else "",
        next_url="" if answers.following is None else url(answers.following),
    )


routes: list[BaseRoute] = [
    Route(RUN, show_run, methods=["GET"]),
    Route(RUN + "/state.json", run_json, methods=["GET"]),
    Route(RUN + "/cancel", cancel, methods=["POST"]),
    Route(RUN + "/retry", retry, methods=["POST"]),
]
