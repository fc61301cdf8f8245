"""The API: what the desk shows, for programs. Bearer tokens, JSON, one shape for every error."""

from typing import Annotated

from fastapi import Body, FastAPI, Query, Request
from starlette.responses import Response

from palaver import __version__
from palaver.annotation.judgements import Judgement, Target, submit_judgements
from palaver.core.accounts import Me
from palaver.core.errors import InputError, MissingError
from palaver.core.logs import get_log
from palaver.core.studies.blinding import BlindingList
from palaver.core.studies.dialogues import Use
from palaver.evaluation.boards import Raters, VoteBoard
from palaver.studies.review.dialogues import (
    DialoguePage,
    DialogueSheet,
    LabelPage,
    read_dialogue,
    read_dialogues,
    read_labels,
)
from palaver.studies.review.progress import (
    StudyList,
    StudyProgress,
    read_blinding,
    read_progress,
)
from palaver.studies.review.question_overview import QuestionList, RaterFilter
from palaver.studies.review.views import (
    read_questions,
)
from palaver.studies.run.deployment import Deployment
from palaver.studies.stages import RateStage
from palaver.web.api import (
    costs,
    docs_page,
    lives,
    models,
    notices,
    people,
    recruiting,
    results,
)
from palaver.web.api.access import (
    MOST_ROWS,
    DialogueKey,
    DialogueViewer,
    Here,
    Limit,
    Member,
    StudyName,
    StudyReviewer,
    StudyViewer,
    known_study,
    served_study,
)
from palaver.web.api.errors import (
    ANSWERS,
    FILE,
    FORBIDDEN,
    MISSING,
    UNREADABLE,
    answer_errors,
)
from palaver.web.api.evaluation.routes import ROUTERS
from palaver.web.api.records import RecordRouter, describe_records
from palaver.web.boards.routes import board_of
from palaver.web.desk.accounts import actor_of, check_writable
from palaver.web.desk.exports import make_export, send
from palaver.web.settings import Settings

log = get_log(__name__)

DESCRIPTION = (
    "Read studies, dialogues, labels and boards of a Palaver deployment, and send labels. Store "
    "tasks, data sets and models, evaluate them, and read their boards."
)

Cursor = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
# PostgreSQL keeps no NUL in a text.
SourceId = Annotated[str | None, Query(pattern=r"^[^\x00]{1,500}$")]

router = RecordRouter(responses=ANSWERS, tags=["studies"])


def create_api(deployment: Deployment, *, public_url: str | None = None) -> FastAPI:
    """The API over a deployment, to be mounted at /api/v1; the address for links is a setting."""
    api = FastAPI(
        title="Palaver",
        version=__version__,
        description=DESCRIPTION,
        # FastAPI's documentation pages would load scripts from a CDN; ours is in docs_page.
        docs_url=None,
        redoc_url=None,
        # The same for everybody; without it the address of a mount would be added to `servers`.
        root_path_in_servers=False,
        servers=[{"url": "/api/v1"}],
    )
    api.state.deployment = deployment
    api.state.public_url = Settings().public_url if public_url is None else public_url
    api.include_router(router)
    api.include_router(results.router)
    api.include_router(people.router)
    api.include_router(lives.router)
    api.include_router(notices.router)
    api.include_router(costs.router)
    api.include_router(recruiting.router)
    for each in ROUTERS:
        api.include_router(each)
    api.include_router(docs_page.router)
    answer_errors(api)
    describe_records(api)
    return api


# What they get


@router.get("/me")
async def me(person: Member) -> Me:
    """The account that the token belongs to."""
    return Me(name=person.name, role=person.role)


@router.get("/studies")
async def list_studies(deployment: Here, person: Member) -> StudyList:
    """Every study that you may look at, and its progress."""
    progress = await deployment.store.read(
        lambda c: read_progress(c, deployment.served, now=deployment.clock.now())
    )
    return StudyList([study for study in progress if person.sees(study.name)])


@router.get("/studies/{name}", responses=MISSING)
async def show_study(deployment: Here, person: StudyViewer, name: StudyName) -> StudyProgress:
    """The progress of a study."""
    return await known_study(deployment, name)


@router.get("/studies/{name}/blinding", responses=MISSING)
async def study_blinding(deployment: Here, person: StudyViewer, name: StudyName) -> BlindingList:
    """How often each system of a study came too late or named itself, and may have been recognised."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: read_blinding(c, study))


@router.get("/studies/{name}/dialogues", responses=MISSING)
async def study_dialogues(
    deployment: Here,
    person: StudyViewer,
    name: StudyName,
    use: Annotated[Use, Query(alias="for")] = "data",
    after: Cursor = None,
    limit: Limit = 100,
    source_id: SourceId = None,
) -> DialoguePage:
    """The dialogues of a study, oldest first, a page at a time; practice and checks if asked for.

    With `source_id`, those that your file calls so.
    """
    await known_study(deployment, name)
    return await deployment.store.read(
        lambda c: read_dialogues(c, name, use=use, after=after, limit=limit, source_id=source_id)
    )


@router.get("/dialogues/{key}", responses=MISSING)
async def show_dialogue(
    deployment: Here, person: DialogueViewer, key: DialogueKey
) -> DialogueSheet:
    """One dialogue with all its events."""
    return await deployment.store.read(lambda c: read_dialogue(c, key))


@router.get("/studies/{name}/labels", responses=MISSING)
async def study_labels(
    deployment: Here,
    person: StudyViewer,
    name: StudyName,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Limit = 100,
    section: Annotated[tuple[str, ...], Query(max_length=20)] = (),
) -> LabelPage:
    """The labels of a study as rows of the tidy table, oldest first, a page at a time.

    `section` leaves only those of a section of released data, and may be given several times.
    """
    study = await known_study(deployment, name)
    return await deployment.store.read(
        lambda c: read_labels(c, study.id, name, after=after, limit=limit, sections=section)
    )


@router.post(
    "/studies/{name}/labels", status_code=201, responses={**MISSING, **FORBIDDEN, **UNREADABLE}
)
async def new_labels(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    given: Annotated[list[models.NewLabel], Body(min_length=1, max_length=MOST_ROWS)],
) -> models.StoredLabelList:
    """Store what a model judge or a simulated rater says; all of it, or nothing."""
    check_writable(deployment)
    study = served_study(deployment, name)
    rated = [stage for stage in study.definition.stages if isinstance(stage, RateStage)]
    accepted = await submit_judgements(
        deployment.store,
        [_judgement(each) for each in given],
        study_id=study.id,
        questions=study.definition.questions,
        studies={study.name, *(stage.source for stage in rated if stage.source is not None)},
        now=deployment.clock.now(),
        actor=actor_of(request, person, "api"),
        version=study.version,
    )
    return models.StoredLabelList(accepted)


@router.get("/studies/{name}/questions", responses=MISSING)
async def study_questions(
    deployment: Here, person: StudyViewer, name: StudyName, raters: RaterFilter = "all"
) -> QuestionList:
    """The questions of a study: their answers, how many, and how well raters agree."""
    study = await known_study(deployment, name)
    served = deployment.studies.get(name)
    return await deployment.store.read(lambda c: read_questions(c, study.id, served, raters))


@router.get("/studies/{name}/board", responses=MISSING)
async def study_board(
    deployment: Here, person: StudyViewer, name: StudyName, raters: Raters = "all"
) -> VoteBoard:
    """The current board of a study."""
    study = served_study(deployment, name)
    try:
        return await board_of(deployment, study, raters)
    except InputError as error:
        raise MissingError(str(error)) from error


@router.get(
    "/studies/{name}/export",
    responses={**FILE, **MISSING, **FORBIDDEN},
    response_class=Response,
)
async def export_study(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    format: Annotated[str, Query(pattern=r"^[a-z][a-z0-9_-]{0,31}$")] = "palaver",
    mask: bool = False,
) -> Response:
    """A study as a file; see `palaver export` for the formats.

    `mask` replaces personal details in what was said; the dictionary in the file says which it does
    not look for.
    """
    await known_study(deployment, name)
    actor = actor_of(request, person, "api")
    return send(
        await make_export(deployment, study=name, format=format, mask=mask, raw=True, actor=actor)
    )


def _judgement(given: models.NewLabel) -> Judgement:
    unit = given.unit
    if isinstance(unit, models.PairUnit):
        target = Target(pair=(unit.pair[0], unit.pair[1]))
    else:
        target = Target(dialogue=unit.dialogue, seq=unit.seq, turn=unit.turn)
    return Judgement(
        target=target,
        shown=None if given.shown is None else (given.shown[0], given.shown[1]),
        **given.model_dump(exclude={"unit", "shown"}),
    )
