"""Studies: their list, one with its progress, participants and downloads."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.numbers import whole_number
from palaver.core.serial import encode
from palaver.core.studies.notices import NoticeList
from palaver.reports.export import EXPORTS
from palaver.studies.notices.deliveries import notices_of
from palaver.studies.review.measures import StudyMeasures
from palaver.studies.review.progress import (
    StudyProgress,
    read_course,
    read_progress,
    read_running,
    read_waiting,
)
from palaver.studies.review.question_overview import RaterFilter
from palaver.studies.review.views import list_visits
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.exports import make_export, send
from palaver.web.desk.frame import find_study, served_study, shell, study_shell
from palaver.web.desk.measures.reading import read_measured
from palaver.web.desk.parts import ListAsked
from palaver.web.desk.questions.judgements import Judgements, chosen_raters
from palaver.web.desk.results.reading import current_headline
from palaver.web.desk.studies.view import (
    JudgementsPage,
    LiveStudy,
    ParticipantsPage,
    StudiesPage,
    StudyPage,
    departures,
    judgements_of,
    reached,
    time_and_pay,
)
from palaver.web.desk.vote_boards import study_boards
from palaver.web.rendering import show

PAGE = 100
# The format of a download, where none is chosen.
DEFAULT = "palaver"


@for_role("member")
async def list_studies(request: Request, person: Person) -> Response:
    deployment = deployment_of(request)
    progress = await deployment.store.read(
        lambda c: read_progress(c, deployment.served, now=deployment.clock.now())
    )
    page = StudiesPage(
        shell=shell(request, person, "Studies", "studies"),
        studies=[study for study in progress[::-1] if person.sees(study.name)],
        is_member=person.only is not None,
        may_make=person.may("reviewer") and not deployment.store.read_only,
    )
    return show(request, page)


@for_role("viewer")
async def show_study(request: Request, person: Person) -> Response:
    """What a study says so far, how far it is, what it took and what went wrong."""
    deployment, study = deployment_of(request), await find_study(request)
    if "raters" in request.query_params:
        return RedirectResponse(
            f"{request.url.path}/judgements?{request.url.query}", status_code=303
        )
    served, now = served_study(request, study.name), deployment.clock.now()
    definition = served.definition if served else None
    course = await deployment.store.read(lambda c: read_course(c, study))
    board = None
    if definition is not None and definition.board_path is not None:
        board = await study_boards(deployment).get(definition, progress=study, now=now)
    page = StudyPage(
        shell=await study_shell(
            request, person, study, f"{study.title}: {study.state}", "Overview"
        ),
        live=await _live(request, study),
        definition=definition,
        course=course,
        judgements=await _judgements(request, study, "all"),
        board=board,
        found=await current_headline(deployment_of(request), study),
        took=time_and_pay(course.ended, definition.pay if definition else None),
        reached=reached(course.visits, served),
        departures=departures(course.visits, served),
        notices=await _notices(request, person, study),
        may_review=person.may("reviewer", study.name),
        formats=[(name, EXPORTS.get(name).summary) for name in EXPORTS.names()],
    )
    return show(request, page)


async def _notices(request: Request, person: Person, study: StudyProgress) -> NoticeList | None:
    """What was told of a study, for those who may know to whom."""
    deployment, served = deployment_of(request), served_study(request, study.name)
    if not person.may("reviewer", study.name) or deployment.store.read_only:
        return None
    found = await deployment.store.read(lambda c: notices_of(c, study.id))
    names_somebody = served is not None and served.definition.notify is not None
    return found if found.notices or names_somebody else None


@for_role("viewer")
async def show_judgements(request: Request, person: Person) -> Response:
    """What raters said so far, question by question."""
    study = await find_study(request)
    raters = chosen_raters(request.query_params.get("raters"))
    page = JudgementsPage(
        shell=await study_shell(
            request, person, study, f"Judgements of {study.title}", "Judgements"
        ),
        judgements=await _judgements(request, study, raters),
    )
    return show(request, page)


async def _judgements(request: Request, study: StudyProgress, raters: RaterFilter) -> Judgements:
    address = f"{root_of(request)}/desk/studies/{study.name}"
    reading = await read_measured(request, study, raters, StudyMeasures.read_questions)
    return judgements_of(study, reading, raters=raters, address=address)


@for_role("viewer")
async def progress_json(request: Request, person: Person) -> Response:
    """What changes on the page of a study."""
    live = await _live(request, await find_study(request))
    return Response(encode(live), media_type="application/json")


async def _live(request: Request, progress: StudyProgress) -> LiveStudy:
    deployment = deployment_of(request)
    served = served_study(request, progress.name)
    running = await deployment.store.read(lambda c: read_running(c, progress))
    waiting = None
    if served is not None and any(c.people for p in served.plans.values() for c in p.conditions):
        now = deployment.clock.now()
        waiting = await deployment.store.read(lambda c: read_waiting(c, served, now))
    return LiveStudy(study=progress, waiting=waiting, running=running)


@for_role("reviewer")
async def export(request: Request, person: Person) -> Response:
    study = await find_study(request)
    download = await make_export(
        deployment_of(request),
        study=study.name,
        format=request.query_params.get("format", DEFAULT)[:64],
        mask=request.query_params.get("mask") == "1",
        raw=request.query_params.get("raw") == "1",
        actor=actor_of(request, person),
    )
    return send(download)


@for_role("viewer")
async def list_participants(request: Request, person: Person) -> Response:
    """A page of the visits to a study."""
    study = await find_study(request)
    served = served_study(request, study.name)
    address = f"{root_of(request)}/desk/studies/{study.name}/participants"
    asked = ListAsked.read(request.query_params, address, size=PAGE)
    window = asked.window(_number)
    visits = await deployment_of(request).store.read(lambda c: list_visits(c, study.id, window))
    page = ParticipantsPage(
        shell=await study_shell(
            request, person, study, f"Participants of {study.title}", "Participants"
        ),
        study=study,
        list=asked.listed(visits, lambda visit: visit.id),
        pay=served.definition.pay if served else None,
        shows_panel=person.may("reviewer", study.name),
    )
    return show(request, page)


def _number(given: str) -> int | None:
    return whole_number(given)


routes: list[BaseRoute] = [
    Route("/desk", list_studies, methods=["GET"]),
    Route("/desk/studies/{study}", show_study, methods=["GET"]),
    Route("/desk/studies/{study}/progress.json", progress_json, methods=["GET"]),
    Route("/desk/studies/{study}/judgements", show_judgements, methods=["GET"]),
    Route("/desk/studies/{study}/participants", list_participants, methods=["GET"]),
    Route("/desk/exports/{study}", export, methods=["GET"]),
]
