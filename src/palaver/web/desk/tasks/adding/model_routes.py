"""Adding a model at the desk: an endpoint that is tested first, or the answers that it gave."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import AddedModel, ProbedEndpoint
from palaver.evaluation.jobs.endpoint_probe import probe_model
from palaver.evaluation.models.decisions import MOST_ABOUT, MOST_LINK
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.submissions import (
    REMOTE_KINDS,
    add_endpoint,
    answerable_sets,
    own_options,
)
from palaver.evaluation.submissions.endpoints import endpoint_options, with_output
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.tasks.adding.request import Adding, adding, typed
from palaver.web.desk.tasks.request import TASKS, AskedTask
from palaver.web.endpoint_forms import ASKED, read_options
from palaver.web.rendering import show
from palaver.web.security import check_token
from palaver.web.uploads import SentForm, sent_form

TOLD = ("name", "about", "link", "tags", "published")
ENDPOINT = (*TOLD, "kind", "url", "key", "model", "prompt", "options", "unprobed")
PREDICTIONS = (*TOLD, "partial")
# The name of a form's file is this and the data set's name.
FILE = "file:"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddModelPage:
    """The forms of a model; `probed` is what came of testing its endpoint."""

    template: ClassVar[str] = "desk/tasks/adding/model.html"
    kinds: ClassVar[tuple[str, ...]] = REMOTE_KINDS
    most_about: ClassVar[int] = MOST_ABOUT
    most_link: ClassVar[int] = MOST_LINK
    shell: DeskShell
    asked: AskedTask
    sets: tuple[Dataset, ...]
    variants: tuple[Dataset, ...]
    megabytes: int
    by_owner: bool
    endpoint: Mapping[str, str]
    predictions: Mapping[str, str]
    probed: ProbedEndpoint | None = None
    added: AddedModel | None = None
    # Which form was wrong (endpoint, predictions), and how.
    error_in: str = ""
    error: str = ""


@for_role("reviewer")
async def show_forms(request: Request, person: Person) -> Response:
    return await _show(await adding(request, person))


@for_role("reviewer", changes=True)
async def add_tested(request: Request, person: Person) -> Response:
    """Test an endpoint, and add it if it answers or is not to be tested."""
    found, sent = await adding(request, person), await request.form()
    form = typed(sent, ENDPOINT)
    probed = None
    try:
        options = await asyncio.to_thread(_options, found, form)
        if sent.get("act") == "test" or not form["unprobed"]:
            probed = await probe_model(found.home, found.asked.task, form["kind"], options)
        if sent.get("act") == "test":
            return await _show(found, endpoint=form, probed=probed)
        if probed is not None and not probed.answers:
            told = "The model was not added, because it does not answer; see below."
            return await _show(found, endpoint=form, probed=probed, wrong=("endpoint", told))
        added = await asyncio.to_thread(_add_endpoint, found, form, options)
    except InputError as error:
        return await _show(found, endpoint=form, probed=probed, wrong=("endpoint", str(error)))
    return await _show(found, added=added)


@for_role("reviewer")
async def add_answers(request: Request, person: Person) -> Response:
    """Add a model by its answers: a file per data set."""
    found = await adding(request, person)
    form = dict.fromkeys(PREDICTIONS, "")
    try:
        async with sent_form(request, most=found.most_bytes) as sent:
            check_token(request, sent.word("csrf"))
            form = typed(sent, PREDICTIONS)
            added = await asyncio.to_thread(_add_answers, found, form, sent)
    except InputError as error:
        return await _show(found, predictions=form, wrong=("predictions", str(error)))
    return await _show(found, added=added)


def _options(found: Adding, form: Mapping[str, str]) -> dict[str, Any]:
    """The options of an endpoint; InputError where this person may not add it."""
    if not form["url"]:
        raise InputError("Give the address of the model, such as https://example.org/.")
    options = endpoint_options(
        form["kind"],
        form["url"],
        model=form["model"],
        prompt=form["prompt"],
        key=form["key"],
        **read_options(form["options"], asked=ASKED),
    )
    whole = with_output(found.asked.task, form["kind"], options)
    return own_options(found.home, form["kind"], whole, by_owner=found.by_owner)


def _add_endpoint(found: Adding, form: Mapping[str, str], options: Mapping[str, Any]) -> AddedModel:
    return add_endpoint(
        found.home,
        found.asked.row,
        found.asked.task,
        kind=form["kind"],
        options=options,
        by_owner=found.by_owner,
        **_told(found, form),
    )


def _add_answers(found: Adding, form: Mapping[str, str], sent: SentForm) -> AddedModel:
    # A field without a file is sent as a file without a name.
    files = {
        each.field.removeprefix(FILE): each.path
        for each in sent.files
        if each.field.startswith(FILE) and each.path.stat().st_size
    }
    if not files:
        raise InputError("Choose a file with answers for each data set.")
    return add_predictions(
        found.home,
        found.asked.row,
        found.asked.task,
        files=files,
        partial=form["partial"] == "yes",
        **_told(found, form),
    )


def _told(found: Adding, form: Mapping[str, str]) -> dict[str, Any]:
    """What a form tells of a model; what it leaves open stays as it was."""
    return {
        "name": form["name"],
        "about": form["about"],
        "link": form["link"],
        "tags": tuple(tag for each in form["tags"].split(",") if (tag := each.strip())),
        "published": True if form["published"] else None,
        "now": found.now,
    }


async def _show(
    found: Adding,
    *,
    endpoint: Mapping[str, str] | None = None,
    predictions: Mapping[str, str] | None = None,
    probed: ProbedEndpoint | None = None,
    added: AddedModel | None = None,
    wrong: tuple[str, str] = ("", ""),
) -> Response:
    request, asked = found.request, found.asked

    def read(connection: Connection) -> list[Dataset]:
        return answerable_sets(connection, asked.row)

    known = await deployment_of(request).store.read(read)
    page = AddModelPage(
        shell=shell(request, found.person, f"Add a model · {asked.title}", "tasks"),
        asked=asked,
        sets=tuple(each for each in known if each.parent_id is None),
        variants=tuple(each for each in known if each.parent_id is not None),
        megabytes=found.megabytes,
        by_owner=found.by_owner,
        # A key is shown to nobody, not even to whoever typed it.
        endpoint={**(endpoint or dict.fromkeys(ENDPOINT, "")), "key": ""},
        predictions=predictions or dict.fromkeys(PREDICTIONS, ""),
        probed=probed,
        added=added,
        error_in=wrong[0],
        error=wrong[1],
    )
    fails = wrong[1] or (probed is not None and not probed.answers)
    return show(request, page, status=422 if fails else 200)


ADD = TASKS + "/{task}/add-model"

routes: list[BaseRoute] = [
    Route(ADD, show_forms, methods=["GET"]),
    Route(ADD, add_tested, methods=["POST"]),
    Route(ADD + "/predictions", add_answers, methods=["POST"]),
]
