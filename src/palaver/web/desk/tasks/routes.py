"""The tasks of the evaluation server: their list, the page of one, and its runs as JSON."""

import asyncio

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.evaluation.runs.overview import TaskState, read_mark, read_state
from palaver.evaluation.tasks import builtin_names, task_overviews, use_builtin_task
from palaver.evaluation.tasks.samples import sample_answer, sample_record
from palaver.storage.evaluation.rounds import list_rounds
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import shell
from palaver.web.desk.parts import plain
from palaver.web.desk.tasks import task_page
from palaver.web.desk.tasks.matrix import (
    VIEWS,
    Matrix,
    View,
    chosen_view,
    draw_matrix,
)
from palaver.web.desk.tasks.request import TASKS, AskedTask, asked_task
from palaver.web.desk.tasks.task_page import TaskPage, Tasks
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.shell import ChoiceLink


@for_role("viewer")
async def list_tasks(request: Request, person: Person) -> Response:
    page = Tasks(
        shell=shell(request, person, "Tasks", "tasks"),
        address=root_of(request) + TASKS,
        tasks=tuple(await deployment_of(request).store.read(task_overviews)),
        builtin=builtin_names(),
        may_add=may_add(request, person),
    )
    return show(request, page)


def may_add(request: Request, person: Person) -> bool:
    """Whether this person may add data sets and models, here."""
    return person.may("reviewer") and not deployment_of(request).store.read_only


@for_role("reviewer", changes=True)
async def begin_builtin(request: Request, person: Person) -> Response:
    """Store a built-in task, so that data sets and models can be added to it."""
    name, now = (
        plain(str((await request.form()).get("name", ""))),
        deployment_of(request).clock.now(),
    )
    added = await deployment_of(request).store.write(lambda c: use_builtin_task(c, name, now=now))
    return RedirectResponse(f"{root_of(request)}{TASKS}/{added.name}", status_code=303)


@for_role("viewer")
async def show_task(request: Request, person: Person) -> Response:
    """One task: every model on every data set, and what the task is."""
    asked = await asked_task(request)

    def work(connection: Connection) -> tuple[TaskState, View, Matrix, int]:
        state = read_state(connection, asked.row, asked.task.performance.key)
        view = chosen_view(request.query_params.get("sets"), state)
        matrix = draw_matrix(state, asked.measures, view=view, address=asked.address)
        return state, view, matrix, len(list_rounds(connection, asked.row.id))

    state, view, matrix, rounds = await deployment_of(request).store.read(work)
    task = asked.task
    page = TaskPage(
        shell=shell(request, person, f"{asked.title}: {matrix.live.state}", "tasks"),
        asked=asked,
        matrix=matrix,
        views=_views(state, view, asked),
        live_url=with_query(f"{asked.address}/runs.json", sets=view),
        datasets=state.datasets,
        models=task_page.shown_models(state),
        fields=task_page.field_rows(task),
        metrics=task_page.metric_rows(task, asked.measures),
        facts=task_page.facts(task),
        sample_record=sample_record(task),
        sample_answer=sample_answer(task),
        may_change=person.may("owner"),
        rounds=rounds,
        may_add=may_add(request, person),
    )
    # A thousand cells take a while to draw, and others must not wait for it.
    return await asyncio.to_thread(show, request, page)


def _views(state: TaskState, chosen: View, asked: AskedTask) -> tuple[ChoiceLink, ...]:
    if all(dataset.parent_id is None for dataset in state.datasets):
        return ()
    return tuple(
        ChoiceLink(
            label=label,
            url=with_query(asked.address, sets=None if view == "originals" else view),
            current=view == chosen,
        )
        for view, label in VIEWS.items()
    )


@for_role("viewer")
async def runs_json(request: Request, person: Person) -> Response:
    """What changes on the page of a task; only the mark where nothing has."""
    asked, store = await asked_task(request), deployment_of(request).store
    known, sets = request.query_params.get("mark"), request.query_params.get("sets")

    def work(connection: Connection) -> bytes:
        if known and known == read_mark(connection, asked.row):
            return msgspec.json.encode({"mark": known})
        state = read_state(connection, asked.row, asked.task.performance.key)
        view = chosen_view(sets, state)
        matrix = draw_matrix(state, asked.measures, view=view, address=asked.address)
        return msgspec.json.encode(matrix.live)

    return Response(await store.read(work), media_type="application/json")


routes: list[BaseRoute] = [
    Route(TASKS, list_tasks, methods=["GET"]),
    Route(TASKS, begin_builtin, methods=["POST"]),
    Route(TASKS + "/{task}", show_task, methods=["GET"]),
    Route(TASKS + "/{task}/runs.json", runs_json, methods=["GET"]),
]
