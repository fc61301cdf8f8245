"""One run: its page, its state as JSON, and the acts cancel and try again."""

import asyncio
from collections.abc import Callable

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run, RunSheet
from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.evaluation.runs.results import read_run, run_sheet
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.evaluation import pages, run_page, run_scores
from palaver.web.desk.evaluation.asking import (
    RUN,
    AskedTask,
    asked_key,
    asked_number,
    asked_task,
)
from palaver.web.desk.evaluation.matrix import dataset_url
from palaver.web.desk.evaluation.run_answers import PAGE, Answers, Which, read_answers
from palaver.web.desk.evaluation.run_tables import variant_names
from palaver.web.desk.evaluation.states import TONES
from palaver.web.desk.frame import shell, show
from palaver.web.desk.pages import Pager
from palaver.web.formatting import with_query
from palaver.web.pages import Choice

DONE = {
    "cancelled": "The run is cancelled. Its answers are kept.",
    "retried": "The run will be tried again by a server that runs, or now with palaver evaluate.",
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
    live = run_page.live_run(run)
    return Response(msgspec.json.encode(live), media_type="application/json")


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

    def work(connection: Connection) -> tuple[RunSheet, dict[int, Dataset]]:
        sheet = run_sheet(connection, key, task=asked.row)
        return sheet, variant_names(connection, asked.row.id)

    run, variants = await deployment.store.read(work)
    which: Which = "wrong" if request.query_params.get("answers") == "wrong" else "all"
    start = asked_number(request.query_params.get("from"))
    answers = await asyncio.to_thread(
        read_answers,
        deployment.evaluation,
        asked.task,
        run,
        which=which,
        start=start,
    )
    page = _page(request, person, asked, run, variants, answers, which, start, error)
    return show(request, page, status=422 if error else 200)


def _page(
    request: Request,
    person: Person,
    asked: AskedTask,
    run: RunSheet,
    variants: dict[int, Dataset],
    answers: Answers,
    which: Which,
    start: int,
    error: str,
) -> pages.RunPage:
    address = f"{asked.address}/runs/{run.key}"
    sort, falling = run_scores.chosen_sort(
        request.query_params.get("sort"), request.query_params.get("order")
    )
    may_change = person.may("reviewer") and not deployment_of(request).store.read_only
    has_answers = bool(run.asked)
    return pages.RunPage(
        shell=shell(request, person, f"{run.title}: {run_page.live_run(run).words}", "tasks"),
        task_title=asked.title,
        task_url=asked.address,
        model=run.model,
        model_url=f"{asked.address}/models/{run.model}",
        dataset=run.dataset,
        dataset_url=dataset_url(asked.address, run.dataset),
        tone=TONES.get(run.state, ""),
        live=run_page.live_run(run),
        live_url="" if run_page.live_run(run).is_over else f"{address}/state.json",
        facts=run_page.facts(run),
        moments=run_page.moments(run),
        scores=run_scores.score_rows(run.scores, asked.measures),
        scores_url=f"{address}/scores.csv",
        tags=run_scores.tag_table(
            run.scores,
            asked.measures.performance,
            sort=sort,
            falling=falling,
            address=address,
            download_url=f"{address}/tags.csv",
        ),
        comparisons=run_scores.comparisons(
            run.scores, asked.measures, variants, dataset=run.dataset, address=asked.address
        ),
        attempts=run_page.attempts(run),
        sent=run_page.sent(run),
        refused=answers.refused,
        refused_count=run.refused,
        answers=answers.shown,
        answers_note=_answers_note(run, answers, which),
        answers_views=_views(asked, address, which) if has_answers else (),
        pager=_pager(address, answers, which, start),
        items_problem=answers.problem,
        download_url=f"{address}/predictions.jsonl"
        if has_answers and person.may("reviewer")
        else "",
        acts=run_page.acts(run, address) if may_change else (),
        done=DONE.get(request.query_params.get("done", ""), ""),
        error=error,
    )


def _answers_note(run: Run, answers: Answers, which: Which) -> str:
    if answers.problem:
        return ""
    if not answers.shown:
        return "No answer yet." if which == "all" else "No wrong answer from here on."
    first, last = answers.shown[0].number, answers.shown[-1].number
    what = "Wrong answers among items" if which == "wrong" else "Items"
    return f"{what} {first:,} to {last:,} of {run.items:,}."


def _views(asked: AskedTask, address: str, which: Which) -> tuple[Choice, ...]:
    if asked.task.wrong.kind == "ask_user":
        return ()
    return (
        Choice(label="All", url=f"{address}#answers", current=which == "all"),
        Choice(
            label="Wrong ones",
            url=f"{with_query(address, answers='wrong')}#answers",
            current=which == "wrong",
        ),
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
