"""Submissions: what a team with a token may do, and what came of its models."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import msgspec
from fastapi import APIRouter, Body, Depends, Path, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import StreamingResponse

from palaver.core.errors import InputError
from palaver.core.tasks import Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.submissions import (
    accept,
    allowance,
    answerable_sets,
    check_terms,
    has_accepted,
    own_submission,
    own_submissions,
    publish,
    submit_endpoint,
    submit_predictions,
    terms_digest,
    withdraw,
)
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.datasets import StoredDataset
from palaver.storage.evaluation.runs import RunState
from palaver.storage.evaluation.submitters import Submitter, find_submitter, find_submitter_by_id
from palaver.storage.evaluation.tasks import StoredTask, list_tasks
from palaver.studies.deployment import Deployment
from palaver.web.api.access import Here, unauthorized
from palaver.web.api.errors import (
    ANSWERS,
    FORBIDDEN,
    MISSING,
    TOO_LARGE,
    UNREADABLE,
    USED_UP,
    MissingError,
)
from palaver.web.api.evaluation.asking import DatasetName, in_thread, most_bytes
from palaver.web.api.evaluation.models import (
    About,
    Link,
    Name,
    Options,
    StoredModelState,
    Tags,
    named_by_sender,
    sent_predictions,
    stored_model,
)
from palaver.web.api.models import Given, Model
from palaver.web.desk.accounts import check_writable
from palaver.web.uploads import sent_form

router = APIRouter(responses=ANSWERS, tags=["submissions"])
team_scheme = HTTPBearer(
    auto_error=False,
    scheme_name="TeamToken",
    description="The token of a team, as `palaver team add` prints it: `ps_…`.",
)
OwnModel = Annotated[
    str, Path(pattern=r"^[a-zA-Z0-9_-]{1,64}$", description="A model's name or key.")
]
SUBMITTED = {**FORBIDDEN, **USED_UP}
BLOCK = 200


class AllowanceState(Model):
    """How many submissions are used of those there are; `next_at` is when one is free again."""

    used: int
    most: int
    left: int
    hours: float
    next_at: float | None


class TeamSheet(Model):
    """Whom the token speaks for, the terms of the task, and what is left to submit."""

    team: str
    affiliation: str
    link: str
    task: str
    title: str
    terms: str
    terms_digest: str
    accepted: bool
    accepted_at: float | None
    allowance: AllowanceState
    datasets: list[str]


class AcceptedTerms(Given):
    """Which wording of the terms is accepted."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class NewEndpoint(Given):
    """An endpoint to submit: a kind and its options, of which `url` is the first."""

    name: Name
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    options: Options
    about: About = ""
    link: Link = ""
    tags: Tags = Field(default_factory=list)


class SubmittedRunState(Model):
    """How far a model is on a data set; `reason` says why it failed."""

    key: str
    dataset: str
    state: RunState
    reason: str
    items: int
    answered: int
    refused: int
    metric: str
    value: float | None
    low: float | None
    high: float | None


class SubmissionState(Model):
    """A team's model in its newest version; `state` is running, done, failed, withdrawn or empty."""

    key: str
    name: str
    version: int
    kind: str
    about: str
    link: str
    tags: list[str]
    published: bool
    anonymous: bool
    created: float
    state: str
    runs: list[SubmittedRunState]


class SubmissionList(Model):
    """The models of a team, newest first."""

    submissions: list[SubmissionState]


class Publication(Given):
    """Whether the board shows the model's name, and whether it shows the team's."""

    published: bool
    anonymous: bool | None = None


@dataclass(frozen=True, slots=True)
class Submitting:
    """A team that asks, and the task that it submits to."""

    deployment: Deployment
    submitter: Submitter
    row: StoredTask
    task: Task

    @property
    def home(self) -> EvaluationHome:
        """The home that the task lies in."""
        return self.deployment.evaluation

    @property
    def now(self) -> float:
        """The time, as the deployment has it."""
        return self.deployment.clock.now()


async def _team(
    request: Request,
    deployment: Here,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(team_scheme)],
) -> Submitting:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")

    def find(connection: Connection) -> tuple[Submitter, StoredTask] | None:
        submitter = find_submitter(connection, secret.strip())
        if submitter is None or scheme.lower() != "bearer":
            return None
        rows = {each.id: each for each in list_tasks(connection)}
        return submitter, rows[submitter.task_id]

    found = await deployment.store.read(find)
    if found is None:
        raise unauthorized(
            "Send the token of a team that stands, as 'Authorization: Bearer ps_…'. Whoever runs "
            "the task makes one."
        )
    submitter, row = found
    return Submitting(deployment, submitter, row, stored_task(row))


Team = Annotated[Submitting, Depends(_team)]


@router.get("/submissions/team")
async def show_team(team: Team) -> TeamSheet:
    """Whom the token speaks for, the terms of the task, and what is left to submit."""
    return await team.deployment.store.read(lambda c: _sheet(c, team))


@router.post("/submissions/terms", responses={**FORBIDDEN, **UNREADABLE})
async def accept_terms(team: Team, given: Annotated[AcceptedTerms, Body()]) -> TeamSheet:
    """Accept the terms, by the digest of the wording that was read."""
    check_writable(team.deployment)

    def change(connection: Connection) -> TeamSheet:
        accept(connection, team.submitter, team.row, digest=given.digest, now=team.now)
        return _sheet(connection, team)

    return await team.deployment.store.write(change)


@router.get("/submissions")
async def list_submissions(team: Team) -> SubmissionList:
    """The team's models, newest first, with their runs and why one failed."""
    found = await team.deployment.store.read(lambda c: own_submissions(c, team.submitter, team.row))
    return SubmissionList(
        submissions=[SubmissionState.model_validate(each.as_json()) for each in found]
    )


@router.get("/submissions/models/{model}", responses=MISSING)
async def show_submission(team: Team, model: OwnModel) -> SubmissionState:
    """One of the team's models with its runs."""
    return await team.deployment.store.read(lambda c: _state(c, team, model))


@router.post(
    "/submissions/endpoint",
    responses={
        **SUBMITTED,
        **UNREADABLE,
        201: {"model": StoredModelState, "description": "A new version."},
    },
)
async def new_endpoint(
    response: Response, team: Team, wanted: Annotated[NewEndpoint, Body()]
) -> StoredModelState:
    """Submit an endpoint: it is asked every scoring data set, and shown without its name.

    What is submitted again after its runs failed is asked again, as far as answers are missing.
    """
    check_writable(team.deployment)
    added = await in_thread(
        lambda: submit_endpoint(
            team.home,
            team.submitter,
            team.row,
            team.task,
            name=wanted.name,
            kind=wanted.kind,
            options=wanted.options,
            about=wanted.about,
            link=wanted.link,
            tags=wanted.tags,
            now=team.now,
        )
    )
    response.status_code = 201 if added.is_new else 200
    return stored_model(added)


@router.post(
    "/submissions/predictions",
    responses={
        **SUBMITTED,
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
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string", "pattern": "^[a-z0-9-]{1,62}$"},
                            "about": {"type": "string"},
                            "link": {"type": "string"},
                            "tag": {"type": "array", "items": {"type": "string"}},
                        },
                        "additionalProperties": {"type": "string", "format": "binary"},
                    }
                }
            },
        }
    },
)
async def new_predictions(request: Request, response: Response, team: Team) -> StoredModelState:
    """Submit predictions: a form with `name` and one file per data set, named after it."""
    check_writable(team.deployment)
    most = most_bytes(team.home)
    async with sent_form(request, most=most) as form, named_by_sender(form):
        added = await in_thread(
            lambda: submit_predictions(
                team.home,
                team.submitter,
                team.row,
                team.task,
                name=form.word("name"),
                files=sent_predictions(form),
                about=form.word("about")[:2000],
                link=form.word("link")[:500],
                tags=form.words.get("tag", [])[:30],
                now=team.now,
            )
        )
    response.status_code = 201 if added.is_new else 200
    return stored_model(added)


@router.post(
    "/submissions/models/{model}/publication", responses={**FORBIDDEN, **MISSING, **UNREADABLE}
)
async def change_publication(
    team: Team, model: OwnModel, wanted: Annotated[Publication, Body()]
) -> SubmissionState:
    """Let the board show the model's name, or not; with or without the team's."""
    check_writable(team.deployment)

    def change(connection: Connection) -> SubmissionState:
        name = _state(connection, team, model).name
        publish(
            connection,
            team.submitter,
            name,
            published=wanted.published,
            anonymous=wanted.anonymous,
        )
        return _state(connection, team, model)

    return await team.deployment.store.write(change)


@router.post("/submissions/models/{model}/withdrawal", responses={**FORBIDDEN, **MISSING})
async def withdraw_model(team: Team, model: OwnModel) -> SubmissionState:
    """Take the model off the board; its runs are kept, submitting it again brings it back."""
    check_writable(team.deployment)

    def change(connection: Connection) -> SubmissionState:
        name = _state(connection, team, model).name
        withdraw(connection, team.submitter, name, now=team.now)
        return _state(connection, team, model)

    return await team.deployment.store.write(change)


@router.get(
    "/submissions/questions/{dataset}",
    responses={
        **FORBIDDEN,
        **MISSING,
        200: {"content": {"application/x-ndjson": {}}, "description": "A line per item."},
    },
    response_class=Response,
)
async def dataset_questions(team: Team, dataset: DatasetName) -> Response:
    """What a model is asked of a data set that submissions are evaluated on; no gold, no tags."""
    check_terms(team.submitter, team.row)
    sets = await team.deployment.store.read(lambda c: answerable_sets(c, team.row))
    found = next((each for each in sets if each.name == dataset), None)
    if found is None:
        names = ", ".join(each.name for each in sets) or "none yet"
        raise MissingError(f"There is no data set '{dataset}' to answer. There are: {names}.")
    lines = await asyncio.to_thread(lambda: _questions(team, found))
    return StreamingResponse(lines, media_type="application/x-ndjson")


def _questions(team: Submitting, dataset: StoredDataset) -> Iterator[bytes]:
    examples = read_examples(team.home, team.task, dataset.version)
    encode = msgspec.json.Encoder().encode_lines

    def blocks() -> Iterator[bytes]:
        for start in range(0, len(examples), BLOCK):
            yield encode([team.task.question(each) for each in examples[start : start + BLOCK]])

    return blocks()


def _sheet(connection: Connection, team: Submitting) -> TeamSheet:
    submitter = find_submitter_by_id(connection, team.submitter.id) or team.submitter
    row = team.row
    left = allowance(connection, submitter, row, now=team.now)
    return TeamSheet(
        team=submitter.team,
        affiliation=submitter.affiliation,
        link=submitter.link,
        task=row.name,
        title=row.title,
        terms=row.terms,
        terms_digest=terms_digest(row.terms) if row.terms.strip() else "",
        accepted=has_accepted(submitter, row),
        accepted_at=submitter.accepted,
        allowance=AllowanceState.model_validate(left.as_json()),
        datasets=[each.name for each in answerable_sets(connection, row)],
    )


def _state(connection: Connection, team: Submitting, name: str) -> SubmissionState:
    try:
        found = own_submission(connection, team.submitter, team.row, name)
    except InputError as error:
        raise MissingError(str(error)) from error
    return SubmissionState.model_validate(found.as_json())
