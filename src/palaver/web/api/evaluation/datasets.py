"""Data sets: listed, described, sent as files or fetched from an address, and decided about."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Body, Query, Request, Response
from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset, DatasetSheet
from palaver.evaluation.challenges.gold import plan_and_tell
from palaver.evaluation.datasets import add_dataset, describe_dataset, list_datasets, registration
from palaver.evaluation.submissions import check_address
from palaver.formats.datasets.mapping import parse_field_map
from palaver.web.api.access import Editor, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, TOO_LARGE, UNREADABLE
from palaver.web.api.evaluation.request import (
    MOST_GIVEN,
    DatasetName,
    TaskRequest,
    ViewedTask,
    in_thread,
    missing,
    most_bytes,
)
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter, answer
from palaver.web.uploads import SentFile, is_form, sent_file, sent_form

router = RecordRouter(responses=ANSWERS, tags=["data sets"])

# The limit is told here and kept by the service.
About = Annotated[str, Field(json_schema_extra={"maxLength": registration.MOST_ABOUT})]
Round = Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": registration.MOST_ROUND})]
Kind = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Name = Annotated[str, Field(min_length=1, max_length=MOST_GIVEN)]
Reader = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,40}$")]
SentName = Annotated[str, Field(min_length=1, max_length=120)]
# As on the command line: FIELD=KEY, FIELD.VALUE=LABEL, TITLE=KEY.
Pairs = Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=200)]
CHANGED = {**FORBIDDEN, **MISSING}


@dataclass(frozen=True, slots=True)
class DatasetList:
    """The data sets of a task, oldest first."""

    datasets: list[Dataset]


class FetchedDataset(Given):
    """Where a data set is to be fetched from, and what it is for."""

    url: Annotated[str, Field(min_length=8, max_length=2000)]
    access: Access | None = None
    about: About | None = None
    round: Round | None = None
    reader: Reader | None = None
    parent: Name | None = None
    kind: Kind | None = None
    map: Pairs = Field(default_factory=list)
    value: Pairs = Field(default_factory=list)
    tag: Pairs = Field(default_factory=list)


class ChangedDataset(Given):
    """What to change; the rest stays as it is."""

    access: Access | None = None
    about: About | None = None
    round: Round | None = None


@router.get("/tasks/{task}/datasets", responses=MISSING)
async def list_task_datasets(asked: ViewedTask, person: Viewer) -> DatasetList:
    """The data sets of a task, oldest first, perturbed ones included."""
    return DatasetList(await asked.read(lambda c: list_datasets(c, asked.row.id)))


@router.get("/tasks/{task}/datasets/{dataset}", responses=MISSING)
async def show_dataset(asked: ViewedTask, person: Viewer, dataset: DatasetName) -> DatasetSheet:
    """A data set: versions, labels, tags, the first items with their gold."""
    with missing():
        return await in_thread(lambda: describe_dataset(asked.home, asked.row, asked.task, dataset))


@router.post(
    "/tasks/{task}/datasets/{dataset}",
    responses={
        **CHANGED,
        **TOO_LARGE,
        201: answer(AddedDataset, "A new version."),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["file"],
                        "properties": {"file": {"type": "string", "format": "binary"}},
                    }
                },
            },
        }
    },
)
async def new_dataset(
    request: Request,
    response: Response,
    asked: ViewedTask,
    person: Editor,
    dataset: DatasetName,
    *,
    filename: Annotated[SentName, Query(description="What the file is called.")] = "data.jsonl",
    access: Access | None = None,
    about: Annotated[About | None, Query()] = None,
    round: Annotated[
        Round | None, Query(description="The round of the task it was collected in; 0: none.")
    ] = None,
    reader: Annotated[Reader | None, Query()] = None,
    parent: Annotated[Name | None, Query()] = None,
    kind: Annotated[Kind | None, Query()] = None,
    map: Annotated[
        Pairs, Query(default_factory=list, description="FIELD=KEY: which key is a field.")
    ],
    value: Annotated[
        Pairs, Query(default_factory=list, description="FIELD.VALUE=LABEL: what a value means.")
    ],
    tag: Annotated[
        Pairs, Query(default_factory=list, description="TITLE=KEY: a key to turn into a tag.")
    ],
) -> AddedDataset:
    """Store a data set: its file is the body, or the field `file` of a form.

    It is checked, hashed and versioned, and every model of the task is evaluated on it. 201 for a
    new version, 200 if the content was already there.
    """
    options = {
        "access": access,
        "about": about,
        "round": round,
        "reader": reader,
        "parent": parent,
        "kind": kind,
        "mapping": parse_field_map(map, value, tag) or None,
    }
    most = most_bytes(asked.home)
    if is_form(request):
        async with sent_form(request, most=most) as form:
            if len(form.files) != 1:
                raise InputError(f"Send one file, as 'file'; got {len(form.files)}.")
            added = await _add_sent(asked, dataset, form.files[0], options)
    else:
        async with sent_file(request, name=filename, most=most) as sent:
            added = await _add_sent(asked, dataset, sent, options)
    response.status_code = 201 if added.is_new else 200
    return added


@router.post(
    "/tasks/{task}/datasets/{dataset}/fetch",
    responses={
        **CHANGED,
        **UNREADABLE,
        201: answer(AddedDataset, "A new version."),
    },
)
async def fetch_dataset(
    response: Response,
    asked: ViewedTask,
    person: Editor,
    dataset: DatasetName,
    wanted: Annotated[FetchedDataset, Body()],
) -> AddedDataset:
    """Store a data set from an http(s) address; only owners may use addresses of this network."""
    private = asked.is_owner or asked.home.settings.private_endpoints
    await in_thread(lambda: check_address(wanted.url, private=private))
    options = wanted.model_dump(exclude={"url", "map", "value", "tag"})
    mapping = parse_field_map(wanted.map, wanted.value, wanted.tag)
    added = await in_thread(
        lambda: add_dataset(
            asked.home,
            asked.row,
            asked.task,
            name=dataset,
            source=wanted.url,
            mapping=mapping or None,
            inside=private,
            now=asked.now,
            plan=plan_and_tell,
            **options,
        )
    )
    response.status_code = 201 if added.is_new else 200
    return added


@router.patch("/tasks/{task}/datasets/{dataset}", responses={**CHANGED, **UNREADABLE})
async def change_dataset(
    asked: ViewedTask,
    person: Editor,
    dataset: DatasetName,
    wanted: Annotated[ChangedDataset, Body()],
) -> Dataset:
    """Change what a data set is for; if it now counts, every model is evaluated on it."""
    return await asked.write(
        lambda c: registration.change_dataset(
            c, asked.row, dataset, now=asked.now, **wanted.model_dump()
        )
    )


async def _add_sent(
    asked: TaskRequest, name: str, sent: SentFile, options: dict[str, Any]
) -> AddedDataset:
    return await in_thread(
        lambda: add_dataset(
            asked.home,
            asked.row,
            asked.task,
            name=name,
            source=str(sent.path),
            sent_as=sent.name,
            now=asked.now,
            plan=plan_and_tell,
            **options,
        )
    )
