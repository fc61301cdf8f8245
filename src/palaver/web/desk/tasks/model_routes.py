"""One model and one data set of a task: their pages, and what is decided about them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Access, Dataset
from palaver.core.numbers import whole_number
from palaver.evaluation.datasets import find_dataset, registration
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
# What the form of a data set holds.
DATASET_FIELDS = ("access", "about", "round")
DATASET_DONE = {"changed": "The data set is changed."}


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
    return await _show_dataset(request, person)


@for_role("reviewer", changes=True)
async def change_dataset(request: Request, person: Person) -> Response:
    """Change what a data set is for, what it is about, and which round it is of."""
    asked, name = await asked_task(request), plain(request.path_params["dataset"])
    deployment, form = deployment_of(request), await request.form()
    given = {key: str(form[key]) for key in DATASET_FIELDS if key in form}
    now = deployment.clock.now()
    try:
        access, about, round = _given(given)
        await deployment.store.write(
            lambda c: registration.change_dataset(
                c, asked.row, name, access=access, about=about, round=round, now=now
            )
        )
    except InputError as error:
        return await _show_dataset(request, person, error=str(error), typed=given)
    address = f"{asked.address}/data/{name}"
    return RedirectResponse(with_query(address, done="changed"), status_code=303)


def _given(form: Mapping[str, str]) -> tuple[Access, str, int | None]:
    """What a form says of a data set; one made from another has no field for a round."""
    wanted, text = form.get("access", ""), plain(form.get("round", ""))
    access = next((each for each in get_args(Access) if each == wanted), None)
    if access is None:
        raise InputError(f"Access is one of {', '.join(get_args(Access))}; got '{wanted[:40]}'.")
    round = whole_number(text or "0", most=registration.MOST_ROUND)
    if round is None:
        raise registration.round_error(text)
    return access, form.get("about", ""), round if "round" in form else None


async def _show_dataset(
    request: Request, person: Person, *, error: str = "", typed: Mapping[str, str] | None = None
) -> Response:
    asked, name = await asked_task(request), plain(request.path_params["dataset"])
    deployment = deployment_of(request)

    def find(connection: Connection) -> Dataset:
        return find_dataset(connection, asked.row.id, name)

    dataset = await deployment.store.read(find)
    content = await asyncio.to_thread(read_content, deployment.evaluation, asked, dataset.name)
    frame = shell(request, person, f"{dataset.name} · {asked.title}", "tasks")
    may_change = person.may("reviewer") and not deployment.store.read_only
    page = await deployment.store.read(
        lambda c: read_dataset_page(
            c, asked, dataset, content, shell=frame, may_change=may_change, typed=typed or {}
        )
    )
    said = "" if error else DATASET_DONE.get(request.query_params.get("done", ""), "")
    page = replace(page, done=said, error=error)
    return show(request, page, status=422 if error else 200)


routes: list[BaseRoute] = [
    Route(TASKS + "/{task}/models/{model}", show_model, methods=["GET"]),
    Route(TASKS + "/{task}/models/{model}/{act}", change_model, methods=["POST"]),
    Route(TASKS + "/{task}/data/{dataset}", show_dataset, methods=["GET"]),
    Route(TASKS + "/{task}/data/{dataset}", change_dataset, methods=["POST"]),
]
