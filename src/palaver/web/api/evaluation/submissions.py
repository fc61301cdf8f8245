"""Submissions: what a team with a token may do, and what came of its models."""

import asyncio
from collections.abc import Iterator
from typing import Annotated

import msgspec
from fastapi import Body, Path, Request, Response
from sqlalchemy import Connection
from starlette.responses import StreamingResponse

from palaver.core.errors import InputError, MissingError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.datasets import read_examples
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
    withdraw,
)
from palaver.storage.evaluation.submitters import find_submitter_by_id
from palaver.web.api.errors import (
    ANSWERS,
    FORBIDDEN,
    MISSING,
    TOO_LARGE,
    UNREADABLE,
    USED_UP,
)
from palaver.web.api.evaluation.asking import DatasetName, in_thread, most_bytes
from palaver.web.api.evaluation.models import (
    StoredModelState,
    named_by_sender,
    sent_predictions,
    stored_model,
)
from palaver.web.api.evaluation.submission_shapes import (
    AcceptedTerms,
    AllowanceState,
    NewEndpoint,
    Publication,
    SubmissionList,
    SubmissionState,
    TeamSheet,
)
from palaver.web.api.evaluation.team_access import Submitting, Team
from palaver.web.api.records import RecordRouter
from palaver.web.desk.accounts import check_writable
from palaver.web.uploads import sent_form

router = RecordRouter(responses=ANSWERS, tags=["submissions"])
OwnModel = Annotated[
    str, Path(pattern=r"^[a-zA-Z0-9_-]{1,64}$", description="A model's name or key.")
]
SUBMITTED = {**FORBIDDEN, **USED_UP}
BLOCK = 200


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


def _questions(team: Submitting, dataset: Dataset) -> Iterator[bytes]:
    examples = read_examples(team.home, team.task, dataset)
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
