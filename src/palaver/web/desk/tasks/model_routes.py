"""One model and one data set of a task: their pages, and what is decided about a model."""

import asyncio

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset
from palaver.evaluation.datasets import find_dataset
from palaver.evaluation.models.decisions import (
    publish_model,
    restore_model,
    retire_model,
    unpublish_model,
)
from palaver.evaluation.models.views import model_sheet
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.frame import shell
from palaver.web.desk.parts import plain
from palaver.web.desk.tasks.dataset_page import read_content, read_dataset_page
from palaver.web.desk.tasks.model_page import ModelPage, read_model_page
from palaver.web.desk.tasks.request import TASKS, AskedTask, asked_task
from palaver.web.formatting import with_query
from palaver.web.rendering import show

# What a button did.
DONE = {
    "publish": "The board shows the model by its name and its team.",
    "anonymous": "The board shows the model by its name, without its team.",
    "unpublish": "The board shows the model without its name.",
    "retire": "The model is off the board and is not evaluated on new data sets. Its runs are kept.",
    "restore": "The model is back on the board. Runs are planned for the data sets it has missed.",
}


@for_role("viewer")
async def show_model(request: Request, person: Person) -> Response:
    asked, key = await asked_task(request), plain(request.path_params["model"])
    store = deployment_of(request).store
    may_change = person.may("reviewer") and not store.read_only
    done = DONE.get(request.query_params.get("done", ""), "")

    def work(connection: Connection) -> ModelPage:
        sheet = model_sheet(connection, asked.row, key)
        return read_model_page(
            connection,
            asked,
            sheet,
            shell=shell(request, person, f"{sheet.name} · {asked.title}", "tasks"),
            may_change=may_change,
            done=done,
        )

    return show(request, await store.read(work))


@for_role("reviewer", changes=True)
async def change_model(request: Request, person: Person) -> Response:
    """Publish a model, hide its name or its team, retire it or bring it back."""
    asked, act = await asked_task(request), request.path_params["act"]
    key, now = plain(request.path_params["model"]), deployment_of(request).clock.now()
    if act not in DONE:
        raise InputError(f"There is no action '{plain(act, most=40)}' for a model.")
    await deployment_of(request).store.write(lambda c: _change(c, asked, key, act, now))
    address = f"{asked.address}/models/{key}"
    return RedirectResponse(with_query(address, done=act), status_code=303)


def _change(connection: Connection, asked: AskedTask, key: str, act: str, now: float) -> None:
    match act:
        case "publish":
            publish_model(connection, asked.row, key)
        case "anonymous":
            publish_model(connection, asked.row, key, anonymous=True)
        case "unpublish":
            unpublish_model(connection, asked.row, key)
        case "retire":
            retire_model(connection, asked.row, key, now=now)
        case "restore":
            restore_model(connection, asked.row, key, now=now)


@for_role("viewer")
async def show_dataset(request: Request, person: Person) -> Response:
    asked, name = await asked_task(request), plain(request.path_params["dataset"])
    deployment = deployment_of(request)

    def find(connection: Connection) -> Dataset:
        return find_dataset(connection, asked.row.id, name)

    dataset = await deployment.store.read(find)
    content = await asyncio.to_thread(read_content, deployment.evaluation, asked, dataset.name)
    frame = shell(request, person, f"{dataset.name} · {asked.title}", "tasks")
    page = await deployment.store.read(
        lambda c: read_dataset_page(c, asked, dataset, content, shell=frame)
    )
    return show(request, page)


routes: list[BaseRoute] = [
    Route(TASKS + "/{task}/models/{model}", show_model, methods=["GET"]),
    Route(TASKS + "/{task}/models/{model}/{act}", change_model, methods=["POST"]),
    Route(TASKS + "/{task}/data/{dataset}", show_dataset, methods=["GET"]),
]
