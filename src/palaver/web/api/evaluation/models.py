"""Models: listed, shown, added as endpoints or by their predictions, and decided about."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import fastapi
from fastapi import Body, Request, Response
from pydantic import Field
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.models import AddedModel, Model, ModelSheet
from palaver.evaluation.models import decisions
from palaver.evaluation.models.decisions import MOST_ABOUT, MOST_LINK, MOST_TAG, MOST_TAGS
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.models.views import model_sheet, task_models
from palaver.evaluation.submissions import add_endpoint
from palaver.web.api.access import Editor, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, TOO_LARGE, UNREADABLE
from palaver.web.api.evaluation.request import (
    ModelName,
    ViewedTask,
    in_thread,
    most_bytes,
)
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter, answer
from palaver.web.uploads import SentForm, sent_form

router = RecordRouter(responses=ANSWERS, tags=["models"])

Name = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,62}$")]
NewName = Annotated[str, fastapi.Path(pattern=r"^[a-z0-9-]{1,62}$")]
# The limits are told here and held by the service, whose words are the same at every door.
About = Annotated[str, Field(json_schema_extra={"maxLength": MOST_ABOUT})]
Link = Annotated[str, Field(json_schema_extra={"maxLength": MOST_LINK})]
Tag = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MOST_TAG})]
Tags = Annotated[list[Tag], Field(json_schema_extra={"maxItems": MOST_TAGS})]
# Options of endpoints are the kind's own; see docs/models.md.
Options = Annotated[dict[str, Any], Field(max_length=50)]
# What a form tells of a model.
TOLD: dict[str, Any] = {
    "about": {"type": "string"},
    "link": {"type": "string"},
    "tag": {"type": "array", "items": {"type": "string"}},
}
NEW_VERSION: dict[int | str, dict[str, Any]] = {201: answer(AddedModel, "A new version.")}


@dataclass(frozen=True, slots=True)
class ModelList:
    """The models of a task, oldest first; retired ones too."""

    models: list[Model]


class NewEndpoint(Given):
    """An endpoint: a kind and its options, of which `url` is the first."""

    name: Name
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    options: Options
    about: About = ""
    link: Link = ""
    tags: Tags = Field(default_factory=list)


class NewModel(NewEndpoint):
    """An endpoint that whoever runs the task adds."""

    published: bool | None = None
    anonymous: bool | None = None


class ChangedModel(Given):
    """What to change; the rest stays as it is. A retired model is off the board."""

    published: bool | None = None
    anonymous: bool | None = None
    retired: bool | None = None
    about: About | None = None
    link: Link | None = None
    tags: Tags | None = None


def predictions_form(words: dict[str, Any], *, needed: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the document says of a form with these words, and one file per data set."""
    shape = {
        "type": "object",
        **({"required": list(needed)} if needed else {}),
        "properties": words,
        "additionalProperties": {"type": "string", "format": "binary"},
    }
    content = {"multipart/form-data": {"schema": shape}}
    return {"requestBody": {"required": True, "content": content}}


@router.get("/tasks/{task}/models", responses=MISSING)
async def list_task_models(asked: ViewedTask, person: Viewer) -> ModelList:
    """The models of a task, oldest first; retired ones too."""
    return ModelList(await asked.read(lambda c: task_models(c, asked.row)))


@router.get("/tasks/{task}/models/{model}", responses=MISSING)
async def show_model(asked: ViewedTask, person: Viewer, model: ModelName) -> ModelSheet:
    """A model: how it is reached, its versions, its runs."""
    return await asked.read(lambda c: model_sheet(c, asked.row, model))


@router.post(
    "/tasks/{task}/models", responses={**FORBIDDEN, **MISSING, **UNREADABLE, **NEW_VERSION}
)
async def new_model(
    response: Response, asked: ViewedTask, person: Editor, wanted: Annotated[NewModel, Body()]
) -> AddedModel:
    """Add an endpoint, or a new version of it, and evaluate it on every scoring data set.

    Only owners may use variables of the server (`${KEY}`) and addresses of this network.
    """
    added = await in_thread(
        lambda: add_endpoint(
            asked.home,
            asked.row,
            asked.task,
            **wanted.model_dump(),
            by_owner=asked.is_owner,
            now=asked.now,
        )
    )
    response.status_code = 201 if added.is_new else 200
    return added


@router.post(
    "/tasks/{task}/models/{model}/predictions",
    responses={**FORBIDDEN, **MISSING, **TOO_LARGE, **NEW_VERSION},
    openapi_extra=predictions_form(
        {**TOLD, "partial": {"type": "string", "enum": ["true", "false"]}},
    ),
)
async def new_predictions(
    request: Request, response: Response, asked: ViewedTask, person: Editor, model: NewName
) -> AddedModel:
    """Add a model by its answers: a form with one file per scoring data set, named after it.

    A file is JSON Lines with `uid` and the outputs of the task. With `partial=true` some may be left
    out; the model is then not on the board.
    """
    async with sent_form(request, most=most_bytes(asked.home)) as form:
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
    return added


@router.patch("/tasks/{task}/models/{model}", responses={**FORBIDDEN, **MISSING, **UNREADABLE})
async def change_model(
    asked: ViewedTask, person: Editor, model: ModelName, wanted: Annotated[ChangedModel, Body()]
) -> ModelSheet:
    """Publish or unpublish a model, retire it or bring it back, change its description.

    `published` shows its name and its team; with `anonymous` only its name.
    """

    def change(connection: Connection) -> ModelSheet:
        changed = decisions.change_model(
            connection, asked.row, model, **wanted.model_dump(), now=asked.now
        )
        return model_sheet(connection, asked.row, changed.key)

    return await asked.write(change)


def sent_predictions(form: SentForm) -> dict[str, Path]:
    """The files of a form by data set; InputError where one is named twice."""
    found: dict[str, Path] = {}
    for sent in form.files:
        if sent.field in found:
            raise InputError(f"Two files are for the data set '{sent.field[:80]}'; send one.")
        found[sent.field] = sent.path
    return found
