"""Models: listed, shown, added as endpoints or by their predictions, and decided about."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import fastapi
from fastapi import Body, Request, Response
from pydantic import Field
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.evaluation.models.adding import AddedModel, add_model
from palaver.evaluation.models.listing import ListedModel, model_sheet, task_models
from palaver.evaluation.models.uploading import add_predictions
from palaver.evaluation.runs.planning import plan_for_model
from palaver.evaluation.submissions import check_endpoint
from palaver.storage.evaluation.boards import teams_of
from palaver.storage.evaluation.models import find_model, register_model
from palaver.web.api.access import Editor, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, TOO_LARGE, UNREADABLE
from palaver.web.api.evaluation.asking import (
    ModelName,
    ViewedTask,
    in_thread,
    most_bytes,
)
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter
from palaver.web.uploads import SentForm, sent_form

router = RecordRouter(responses=ANSWERS, tags=["models"])

Name = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,62}$")]
NewName = Annotated[str, fastapi.Path(pattern=r"^[a-z0-9-]{1,62}$")]
About = Annotated[str, Field(max_length=2000)]
Link = Annotated[str, Field(max_length=500)]
Tags = Annotated[list[Annotated[str, Field(min_length=1, max_length=60)]], Field(max_length=30)]
# Options of endpoints are the kind's own; see docs/models.md.
Options = Annotated[dict[str, Any], Field(max_length=50)]
# Names of headers that hold keys.
_KEY = re.compile(r"authorization|key|token|cookie|secret", re.IGNORECASE)
HIDDEN = "…"


class ModelHead(Model):
    """A model; `standing` says what the board makes of it, `runs` counts its runs by state."""

    key: str
    name: str
    kind: str
    version: int
    digest: str
    about: str
    link: str
    tags: list[str]
    standing: str
    published: bool
    anonymous: bool
    retired: float | None
    created: float
    team: str | None
    runs: dict[str, int]


class ModelList(Model):
    """The models of a task, oldest first; retired ones too."""

    models: list[ModelHead]


class ModelVersionState(Model):
    """One way in which a model was reached."""

    version: int
    kind: str
    digest: str
    created: float


class ModelSheetState(ModelHead):
    """A model with its options, without keys, its versions, and the runs of the newest."""

    options: dict[str, Any]
    versions: list[ModelVersionState]
    run_keys: list[str]


class NewModel(Given):
    """An endpoint: a kind and its options, of which `url` is the first."""

    name: Name
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    options: Options
    about: About = ""
    link: Link = ""
    tags: Tags = Field(default_factory=list)
    published: bool | None = None
    anonymous: bool | None = None


class StoredModelState(Model):
    """What became of a model that was sent; `runs` are those that are due because of it."""

    key: str
    name: str
    kind: str
    version: int
    digest: str
    is_new: bool
    published: bool
    anonymous: bool
    runs: list[str]
    notes: list[str]


class ChangedModel(Given):
    """What is to change; the rest stays as it is. A retired model is off the board."""

    published: bool | None = None
    anonymous: bool | None = None
    retired: bool | None = None
    about: About | None = None
    link: Link | None = None
    tags: Tags | None = None


@router.get("/tasks/{task}/models", responses=MISSING)
async def list_task_models(asked: ViewedTask, person: Viewer) -> ModelList:
    """The models of a task, oldest first; retired ones too."""

    def read(connection: Connection) -> list[ModelHead]:
        teams = teams_of(connection, asked.row.id)
        return [ModelHead(**_head(each, teams)) for each in task_models(connection, asked.row)]

    return ModelList(models=await asked.read(read))


@router.get("/tasks/{task}/models/{model}", responses=MISSING)
async def show_model(asked: ViewedTask, person: Viewer, model: ModelName) -> ModelSheetState:
    """A model: how it is reached, its versions, its runs."""

    def read(connection: Connection) -> ModelSheetState:
        sheet = model_sheet(connection, asked.row, model)
        head = _head(sheet.listed, teams_of(connection, asked.row.id))
        return ModelSheetState.model_validate(
            {
                **head,
                "options": shown_options(sheet.listed.model.version.options),
                "versions": sheet.as_json()["versions"],
                "run_keys": [each.key for each in sheet.listed.runs],
            }
        )

    return await asked.read(read)


@router.post(
    "/tasks/{task}/models",
    responses={
        **FORBIDDEN,
        **MISSING,
        **UNREADABLE,
        201: {"model": StoredModelState, "description": "A new version."},
    },
)
async def new_model(
    response: Response, asked: ViewedTask, person: Editor, wanted: Annotated[NewModel, Body()]
) -> StoredModelState:
    """Add an endpoint, or a new version of it, and evaluate it on every scoring data set.

    Variables of the server (`${KEY}`) and addresses of this network are for owners.
    """
    private = asked.home.settings.private_endpoints or asked.is_owner

    def add() -> AddedModel:
        check_endpoint(wanted.kind, wanted.options, private=private, variables=asked.is_owner)
        return add_model(
            asked.home,
            asked.row,
            asked.task,
            name=wanted.name,
            kind=wanted.kind,
            options=wanted.options,
            about=wanted.about,
            link=wanted.link,
            tags=tuple(wanted.tags),
            published=wanted.published,
            anonymous=wanted.anonymous,
            now=asked.now,
        )

    added = await in_thread(add)
    response.status_code = 201 if added.is_new else 200
    return stored_model(added)


@router.post(
    "/tasks/{task}/models/{model}/predictions",
    responses={
        **FORBIDDEN,
        **MISSING,
        **TOO_LARGE,
        201: {"model": StoredModelState, "description": "A new version."},
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "about": {"type": "string"},
                            "link": {"type": "string"},
                            "tag": {"type": "array", "items": {"type": "string"}},
                            "partial": {"type": "string", "enum": ["true", "false"]},
                        },
                        "additionalProperties": {"type": "string", "format": "binary"},
                    }
                }
            },
        }
    },
)
async def new_predictions(
    request: Request, response: Response, asked: ViewedTask, person: Editor, model: NewName
) -> StoredModelState:
    """Add a model by its answers: a form with one file per scoring data set, named after it.

    A file is JSON Lines with `uid` and the outputs of the task. With `partial=true` some may be left
    out; the model is then not on the board.
    """
    async with sent_form(request, most=most_bytes(asked.home)) as form, named_by_sender(form):
        added = await in_thread(
            lambda: add_predictions(
                asked.home,
                asked.row,
                asked.task,
                name=model,
                files=sent_predictions(form),
                partial=form.word("partial") == "true",
                about=form.word("about"),
                link=form.word("link"),
                tags=tuple(form.words.get("tag", ())),
                now=asked.now,
            )
        )
    response.status_code = 201 if added.is_new else 200
    return stored_model(added)


@router.patch("/tasks/{task}/models/{model}", responses={**FORBIDDEN, **MISSING, **UNREADABLE})
async def change_model(
    asked: ViewedTask, person: Editor, model: ModelName, wanted: Annotated[ChangedModel, Body()]
) -> ModelSheetState:
    """Publish a model or not, retire it or bring it back, change what is told about it."""
    changed = {key: value for key, value in wanted.model_dump().items() if value is not None}
    if "retired" in changed:
        changed["retired"] = asked.now if changed["retired"] else None

    def change(connection: Connection) -> None:
        known = find_model(connection, asked.row.id, model)
        if changed:
            register_model(
                connection, task_id=asked.row.id, name=known.name, now=asked.now, **changed
            )
        if "retired" in changed and changed["retired"] is None:
            # What was added while it was away is due now.
            found = find_model(connection, asked.row.id, known.name)
            plan_for_model(connection, asked.row, found, now=asked.now)

    await asked.write(change)
    return await show_model(asked, person, model)


def sent_predictions(form: SentForm) -> dict[str, Path]:
    """The files of a form by data set; InputError where one is named twice."""
    found: dict[str, Path] = {}
    for sent in form.files:
        if sent.field in found:
            raise InputError(f"Two files are for the data set '{sent.field[:80]}'; send one.")
        found[sent.field] = sent.path
    return found


@asynccontextmanager
async def named_by_sender(form: SentForm) -> AsyncIterator[None]:
    """Let complaints call a file what its sender calls it, and not by where it lies here."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for sent in form.files:
            message = message.replace(str(sent.path), sent.name)
        if message == str(error):
            raise
        raise InputError(message) from error


def shown_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without keys that were written down instead of being named as variables."""
    shown = dict(options)
    headers = shown.get("headers")
    if isinstance(headers, Mapping):
        shown["headers"] = {
            name: HIDDEN if _KEY.search(str(name)) and "${" not in str(value) else value
            for name, value in headers.items()
        }
    for name in ("url", "base_url"):
        if "@" in str(shown.get(name, "")):
            shown[name] = _without_password(str(shown[name]))
    return shown


def stored_model(added: AddedModel) -> StoredModelState:
    """What became of a model, as the API tells it."""
    return StoredModelState.model_validate(added.as_json())


def _without_password(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=f"{HIDDEN}@{parts.netloc.rpartition('@')[2]}").geturl()


def _head(listed: ListedModel, teams: Mapping[int, str]) -> dict[str, Any]:
    submitter = listed.model.submitter_id
    return {**listed.as_json(), "team": None if submitter is None else teams.get(submitter)}
