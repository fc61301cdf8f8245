"""The API: what the desk shows, for programs. Bearer tokens, JSON, one shape for every error."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from palaver import __version__
from palaver.core.dialogue import Seat
from palaver.core.errors import (
    InputError,
)
from palaver.core.logs import get_log
from palaver.evaluation.boards import Raters
from palaver.storage.accounts import Role
from palaver.storage.dialogues import StoredDialogue, load_dialogue
from palaver.storage.listed_dialogues import DialogueFilter, ListedDialogue, list_dialogues
from palaver.storage.listed_labels import list_labels as read_labels
from palaver.storage.listings import Window
from palaver.studies.deployment import Deployment, RunningStudy
from palaver.web.api import models
from palaver.web.api.errors import (
    ANSWERS,
    FILE,
    FORBIDDEN,
    MISSING,
    UNREADABLE,
    MissingError,
    answer_errors,
)
from palaver.web.desk.accounts import Person, bearer, check_writable, require
from palaver.web.desk.exporting import make_export, send
from palaver.web.desk.inviting import make_links, public_base
from palaver.web.desk.progress import StudyProgress, read_progress
from palaver.web.routes.boards import board_of
from palaver.web.settings import Settings

log = get_log(__name__)

DESCRIPTION = "Read studies, dialogues, labels and boards of a Palaver deployment."
MOST_ROWS = 500

StudyName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
DialogueKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Cursor = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]

router = APIRouter(responses=ANSWERS)
scheme = HTTPBearer(auto_error=False, description="A token made under Settings.")


def create_api(deployment: Deployment, *, public_url: str | None = None) -> FastAPI:
    """The API over a deployment, to be mounted at /api/v1; the address for links is a setting."""
    api = FastAPI(
        title="Palaver",
        version=__version__,
        description=DESCRIPTION,
        # The documentation pages would load scripts from a CDN.
        docs_url=None,
        redoc_url=None,
        # The same for everybody; without it the address of a mount would be added to `servers`.
        root_path_in_servers=False,
        servers=[{"url": "/api/v1"}],
    )
    api.state.deployment = deployment
    api.state.public_url = Settings().public_url if public_url is None else public_url
    api.include_router(router)
    answer_errors(api)
    return api


# Who asks


def _deployment(request: Request) -> Deployment:
    deployment: Deployment = request.app.state.deployment
    return deployment


Here = Annotated[Deployment, Depends(_deployment)]


async def _person(
    request: Request,
    deployment: Here,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(scheme)],
) -> Person:
    person = await bearer(deployment, request.headers.get("authorization"))
    if person is None:
        raise HTTPException(
            401,
            "Send a token that stands, as 'Authorization: Bearer …'. Make one under Settings.",
            headers={"www-authenticate": "Bearer"},
        )
    return person


Viewer = Annotated[Person, Depends(_person)]


def _needs(role: Role) -> Any:
    async def check(person: Viewer) -> Person:
        require(person, role)
        return person

    return Depends(check)


Reviewer = Annotated[Person, _needs("reviewer")]


# What they get


@router.get("/me")
async def me(person: Viewer) -> models.Me:
    """Whom the token speaks for."""
    return models.Me(name=person.name, role=person.role)


@router.get("/studies")
async def list_studies(deployment: Here, person: Viewer) -> models.StudyList:
    """Every study and how far it is."""
    found = await deployment.store.read(lambda c: read_progress(c, deployment.studies))
    return models.StudyList(studies=[models.StudyState.model_validate(study) for study in found])


@router.get("/studies/{name}", responses=MISSING)
async def show_study(deployment: Here, person: Viewer, name: StudyName) -> models.StudyState:
    """How far a study is."""
    return models.StudyState.model_validate(await _study(deployment, name))


@router.get("/studies/{name}/dialogues", responses=MISSING)
async def study_dialogues(
    deployment: Here, person: Viewer, name: StudyName, after: Cursor = None, limit: Limit = 100
) -> models.DialoguePage:
    """The dialogues of a study, oldest first, a page at a time."""
    await _study(deployment, name)
    window = Window(size=limit, after=after, newest_first=False)
    found = await deployment.store.read(
        lambda c: list_dialogues(c, DialogueFilter(study=name), window)
    )
    last = found.rows[-1].key if found.rows and found.has_next else None
    return models.DialoguePage(dialogues=[_head(row) for row in found.rows], next=last)


@router.get("/dialogues/{key}", responses=MISSING)
async def show_dialogue(deployment: Here, person: Viewer, key: DialogueKey) -> models.DialogueState:
    """One dialogue with all its events."""
    try:
        stored = await deployment.store.read(lambda c: load_dialogue(c, key))
    except InputError as error:
        raise MissingError(str(error)) from error
    return _dialogue(stored)


@router.get("/studies/{name}/labels", responses=MISSING)
async def study_labels(
    deployment: Here,
    person: Viewer,
    name: StudyName,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Limit = 100,
) -> models.LabelPage:
    """The labels of a study, oldest first, a page at a time."""
    study = await _study(deployment, name)
    rows = await deployment.store.read(
        lambda c: read_labels(c, study.id, after=after, limit=limit + 1)
    )
    shown = rows[:limit]
    return models.LabelPage(
        labels=[models.LabelState.model_validate(row) for row in shown],
        next=shown[-1].id if len(rows) > limit else None,
    )


@router.get("/studies/{name}/board", responses=MISSING)
async def study_board(
    deployment: Here, person: Viewer, name: StudyName, raters: Raters = "all"
) -> models.BoardState:
    """The board of a study as the votes stand."""
    study = _served(deployment, name)
    try:
        board = await board_of(deployment, study, raters)
    except InputError as error:
        raise MissingError(str(error)) from error
    return models.BoardState.model_validate(board)


@router.get(
    "/studies/{name}/export",
    responses={**FILE, **MISSING, **FORBIDDEN},
    response_class=Response,
)
async def export_study(
    deployment: Here,
    person: Reviewer,
    name: StudyName,
    format: Annotated[str, Query(pattern=r"^[a-z][a-z0-9_-]{0,31}$")] = "palaver",
    mask: bool = False,
) -> Response:
    """A study as a file; see `palaver export` for the formats."""
    await _study(deployment, name)
    return send(await make_export(deployment, study=name, format=format, mask=mask))


@router.post(
    "/studies/{name}/links", status_code=201, responses={**MISSING, **FORBIDDEN, **UNREADABLE}
)
async def new_links(
    request: Request, deployment: Here, person: Reviewer, name: StudyName, wanted: models.NewLinks
) -> models.LinkList:
    """New links for participants, each for one person."""
    check_writable(deployment)
    study = _served(deployment, name)
    links = make_links(
        deployment.secret,
        study=name,
        count=wanted.count,
        base=public_base(request, request.app.state.public_url),
    )
    return models.LinkList(links=list(links), hours=study.definition.crowd.link_hours)


async def _study(deployment: Deployment, name: str) -> StudyProgress:
    found = await deployment.store.read(lambda c: read_progress(c, deployment.studies, name))
    if not found:
        raise MissingError(f"There is no study '{name}' here.")
    return found[0]


def _served(deployment: Deployment, name: str) -> RunningStudy:
    try:
        return deployment.study(name)
    except InputError as error:
        raise MissingError(str(error)) from error


def _head(row: ListedDialogue) -> models.DialogueHead:
    return models.DialogueHead(
        id=row.key,
        study=row.study,
        condition=row.condition,
        status="running" if row.reason is None else "ended",
        reason=row.reason,
        created=row.created,
        messages=row.size.messages,
        failures=row.size.failures,
        seconds=row.seconds,
        seats=[models.SeatState.model_validate(seat) for seat in row.occupants],
    )


def _dialogue(stored: StoredDialogue) -> models.DialogueState:
    dialogue = stored.dialogue
    return models.DialogueState(
        id=stored.key,
        study=stored.study,
        condition=dialogue.condition,
        stage=stored.stage,
        group=stored.group,
        position=stored.position,
        status="ended" if dialogue.is_over else "running",
        reason=dialogue.reason if dialogue.is_over else None,
        created=stored.created,
        scenario=models.ScenarioState(
            id=dialogue.scenario.id,
            title=dialogue.scenario.title,
            personas=[list(lines) for lines in dialogue.scenario.personas],
        ),
        seats=[_seat(seat) for seat in dialogue.seats],
        events=[models.EventState.model_validate(event) for event in dialogue.events],
    )


def _seat(seat: Seat) -> models.SeatState:
    return models.SeatState(
        seat=seat.index, from_seq=seat.from_seq, kind=seat.kind, occupant=seat.occupant
    )
