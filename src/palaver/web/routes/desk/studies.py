"""The list of studies, the page of one, and its progress as JSON."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.studies.review.progress import (
    StudyProgress,
    read_counts,
    read_progress,
    read_running,
    read_waiting,
)
from palaver.web.desk import pages, study_page
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import find_study, served_study, shell, show
from palaver.web.desk.judgements import chosen_raters
from palaver.web.formatting import with_query
from palaver.web.routes.desk.exports import export_form


@for_role("viewer")
async def list_studies(request: Request, person: Person) -> Response:
    """Every study with its state."""
    deployment = deployment_of(request)
    found = await deployment.store.read(lambda c: read_progress(c, deployment.studies))
    page = pages.StudiesPage(
        shell=shell(request, person, "Studies", "studies"),
        studies=found[::-1],
    )
    return show(request, page)


@for_role("viewer")
async def show_study(request: Request, person: Person) -> Response:
    """How far a study is, what it took and what went wrong."""
    deployment, root = deployment_of(request), root_of(request)
    progress = await find_study(request)
    served = served_study(request, progress.name)
    counts = await deployment.store.read(lambda c: read_counts(c, progress))
    definition = served.definition if served else None
    address = f"{root}/desk/studies/{progress.name}"
    raters = chosen_raters(request.query_params.get("raters"))
    judgements = await deployment.store.read(
        lambda c: study_page.read_judgements(c, progress.id, served, raters=raters, address=address)
    )
    is_open = served is not None and not deployment.store.read_only
    page = pages.StudyPage(
        shell=shell(request, person, f"{progress.title}: {progress.state}", "studies"),
        title=progress.title,
        served=is_open,
        file=str(definition.file) if definition and is_open else "",
        live=await _live(request, progress),
        live_url=f"{address}/progress.json" if is_open else "",
        facts=study_page.facts(
            progress,
            counts.ended,
            definition.pay if definition else None,
            definition.minutes if definition else None,
        ),
        departures=study_page.departures(counts.visits, served),
        endings=counts.endings,
        failures=counts.failures,
        reports=counts.problems if person.may("reviewer") else None,
        judgements=judgements,
        list_url=f"{root}/desk",
        participants_url=f"{address}/participants",
        dialogues_url=with_query(f"{root}/desk/dialogues", study=progress.name),
        results_url=f"{address}/results" if judgements.questions else "",
        board_url=f"{root}/boards/{progress.name}"
        if definition and definition.board_question
        else "",
        exports=export_form(request, progress.name) if person.may("reviewer") else None,
        links_url=f"{address}/links" if is_open and person.may("reviewer") else "",
    )
    return show(request, page)


@for_role("viewer")
async def progress_json(request: Request, person: Person) -> Response:
    """What changes on the page of a study."""
    live = await _live(request, await find_study(request))
    return Response(msgspec.json.encode(live), media_type="application/json")


async def _live(request: Request, progress: StudyProgress) -> pages.LiveStudy:
    deployment = deployment_of(request)
    served = served_study(request, progress.name)
    running = await deployment.store.read(lambda c: read_running(c, progress))
    waiting = None
    if served is not None and any(c.people for p in served.plans.values() for c in p.conditions):
        now = deployment.clock.now()
        waiting = await deployment.store.read(lambda c: read_waiting(c, served, now))
    return study_page.live_study(progress, running, waiting=waiting, root=root_of(request))


routes: list[BaseRoute] = [
    Route("/desk", list_studies, methods=["GET"]),
    Route("/desk/studies/{study}", show_study, methods=["GET"]),
    Route("/desk/studies/{study}/progress.json", progress_json, methods=["GET"]),
]
