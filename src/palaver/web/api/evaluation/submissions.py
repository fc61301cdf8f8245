"""Submissions: what a team with a token may do, and what came of its models."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Body, Request, Response
from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import StreamingResponse

from palaver.core.errors import MissingError
from palaver.core.evaluation.models import AddedModel
from palaver.core.evaluation.submissions import Submission, TeamSheet
from palaver.evaluation import submissions
from palaver.web.api.errors import (
    ANSWERS,
    FORBIDDEN,
    MISSING,
    TOO_LARGE,
    UNREADABLE,
    USED_UP,
)
from palaver.web.api.evaluation.models import (
    NEW_VERSION,
    TOLD,
    NewEndpoint,
    predictions_form,
    sent_predictions,
)
from palaver.web.api.evaluation.request import DatasetName, ModelName, in_thread, most_bytes
from palaver.web.api.evaluation.teams import AskingTeam
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.tasks.submissions.view import question_lines
from palaver.web.uploads import sent_form

router = RecordRouter(responses=ANSWERS, tags=["submissions"])
SUBMITTED = {**FORBIDDEN, **USED_UP, **NEW_VERSION}


@dataclass(frozen=True, slots=True)
class SubmissionList:
    """The models of a team, newest first."""

    submissions: list[Submission]


class AcceptedTerms(Given):
    """The wording of the terms that is accepted."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class Publication(Given):
    """Whether the board shows the model's name; `anonymous` hides whose it is."""

    published: bool
    anonymous: bool | None = None


@router.get("/submissions/team")
async def show_team(asking: AskingTeam) -> TeamSheet:
    """The team that the token belongs to, the terms of the task, and what it may still submit."""
    return await asking.read(
        lambda c: submissions.team_sheet(c, asking.team, asking.row, now=asking.now)
    )


@router.post("/submissions/terms", responses={**FORBIDDEN, **UNREADABLE})
async def accept_terms(asking: AskingTeam, given: Annotated[AcceptedTerms, Body()]) -> TeamSheet:
    """Accept the terms, by the digest of the wording that was read."""
    return await asking.write(
        lambda c: submissions.accept_terms(
            c, asking.team, asking.row, digest=given.digest, now=asking.now
        )
    )


@router.get("/submissions")
async def list_submissions(asking: AskingTeam) -> SubmissionList:
    """The team's models, newest first, with their runs and why one failed."""
    return SubmissionList(
        await asking.read(lambda c: submissions.own_submissions(c, asking.team, asking.row))
    )


@router.get("/submissions/models/{model}", responses=MISSING)
async def show_submission(asking: AskingTeam, model: ModelName) -> Submission:
    """One of the team's models with its runs."""
    return await asking.read(
        lambda c: submissions.own_submission(c, asking.team, asking.row, model)
    )


@router.post("/submissions/endpoint", responses={**SUBMITTED, **UNREADABLE})
async def new_endpoint(
    response: Response, asking: AskingTeam, wanted: Annotated[NewEndpoint, Body()]
) -> AddedModel:
    """Submit an endpoint: it is evaluated on every scoring data set, and shown without its name.

    If it is submitted again after its runs failed, only missing answers are asked for again.
    """
    asking.check_writable()
    added = await in_thread(
        lambda: submissions.submit_endpoint(
            asking.home,
            asking.team,
            asking.row,
            asking.task,
            **wanted.model_dump(),
            now=asking.now,
        )
    )
    response.status_code = 201 if added.is_new else 200
    return added


@router.post(
    "/submissions/predictions",
    responses={**SUBMITTED, **TOO_LARGE},
    openapi_extra=predictions_form(
        {"name": {"type": "string", "pattern": "^[a-z0-9-]{1,62}$"}, **TOLD}, needed=("name",)
    ),
)
async def new_predictions(request: Request, response: Response, asking: AskingTeam) -> AddedModel:
    """Submit predictions: a form with `name` and one file per data set, named after it."""
    asking.check_writable()
    most = most_bytes(asking.home)
    async with sent_form(request, most=most) as form:
        added = await in_thread(
            lambda: submissions.submit_predictions(
                asking.home,
                asking.team,
                asking.row,
                asking.task,
                name=form.word("name"),
                files=sent_predictions(form),
                about=form.word("about"),
                link=form.word("link"),
                tags=form.words.get("tag", []),
                now=asking.now,
            )
        )
    response.status_code = 201 if added.is_new else 200
    return added


@router.post(
    "/submissions/models/{model}/publication", responses={**FORBIDDEN, **MISSING, **UNREADABLE}
)
async def change_publication(
    asking: AskingTeam, model: ModelName, wanted: Annotated[Publication, Body()]
) -> Submission:
    """Let the board show the model's name and its team, only its name, or neither."""

    def change(connection: Connection) -> Submission:
        whose = (connection, asking.team, asking.row, model)
        if wanted.published:
            return submissions.publish_submission(*whose, anonymous=bool(wanted.anonymous))
        return submissions.unpublish_submission(*whose)

    return await asking.write(change)


@router.post("/submissions/models/{model}/withdrawal", responses={**FORBIDDEN, **MISSING})
async def withdraw_model(asking: AskingTeam, model: ModelName) -> Submission:
    """Take the model off the board; its runs are kept, and submitting it again brings it back."""
    return await asking.write(
        lambda c: submissions.withdraw_submission(c, asking.team, asking.row, model, now=asking.now)
    )


@router.get(
    "/submissions/questions/{dataset}",
    responses={
        **FORBIDDEN,
        **MISSING,
        200: {"content": {"application/x-ndjson": {}}, "description": "A line per item."},
    },
    response_class=Response,
)
async def dataset_questions(asking: AskingTeam, dataset: DatasetName) -> Response:
    """The questions of a data set that submissions are evaluated on, without gold and tags."""
    submissions.check_terms(asking.team, asking.row)
    sets = await asking.read(lambda c: submissions.answerable_sets(c, asking.row))
    found = next((each for each in sets if each.name == dataset), None)
    if found is None:
        names = ", ".join(each.name for each in sets) or "none yet"
        raise MissingError(f"There is no data set '{dataset}' to answer. Data sets: {names}.")
    lines = await in_thread(lambda: question_lines(asking.home, asking.task, found))
    return StreamingResponse(lines, media_type="application/x-ndjson")
