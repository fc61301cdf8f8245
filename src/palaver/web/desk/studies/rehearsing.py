"""Rehearsals: a study tried as a participant, from the desk."""

from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.studies.run.rehearsals import IDLE_SECONDS, LAST_SECONDS, MOST, Rehearsal, Rehearsals
from palaver.web.desk.accounts import Person, check_writable, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.participant.rehearsing import signed_in
from palaver.web.rendering import show


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalPage:
    """Begins a rehearsal, and shows the one that this person has running."""

    template: ClassVar[str] = "desk/studies/rehearsal.html"
    minutes: ClassVar[float] = LAST_SECONDS / 60
    most: ClassVar[int] = MOST
    idle_minutes: ClassVar[float] = IDLE_SECONDS / 60
    shell: DeskShell
    address: str
    running: Rehearsal | None
    systems: tuple[str, ...]
    meets: bool
    error: str = ""


@for_role("reviewer")
async def rehearsal_page(request: Request, person: Person) -> Response:
    """What a rehearsal is, before it is begun; a copy has none."""
    check_writable(deployment_of(request))
    return show(request, await _page(request, person))


@for_role("reviewer", changes=True)
async def rehearse(request: Request, person: Person) -> Response:
    """Begin a rehearsal of the study as it is served, and go to its first page."""
    deployment = deployment_of(request)
    study = deployment.study(request.path_params["study"])
    rehearsals = Rehearsals.of(deployment)
    try:
        visit = await rehearsals.begin(study.definition, by=person.name)
    except InputError as error:
        return show(request, await _page(request, person, error=str(error)), 422)
    return signed_in(request, rehearsals, visit)


@for_role("reviewer", changes=True)
async def end(request: Request, person: Person) -> Response:
    """End the rehearsal that this person has running."""
    rehearsals = Rehearsals.of(deployment_of(request))
    running = rehearsals.running(request.path_params["study"], person.name)
    if running is not None:
        await rehearsals.end(running)
    return RedirectResponse(_address(request), status_code=303)


async def _page(request: Request, person: Person, *, error: str = "") -> RehearsalPage:
    deployment, study = deployment_of(request), await find_study(request)
    definition = deployment.study(study.name).definition
    return RehearsalPage(
        shell=await study_shell(request, person, study, f"Rehearse {study.title}", "Rehearse"),
        address=_address(request),
        running=Rehearsals.of(deployment).running(study.name, person.name),
        systems=tuple(definition.systems),
        meets=definition.meets,
        error=error,
    )


def _address(request: Request) -> str:
    return f"{root_of(request)}/desk/studies/{request.path_params['study']}/rehearsal"


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/rehearsal", rehearsal_page, methods=["GET"]),
    Route("/desk/studies/{study}/rehearsal", rehearse, methods=["POST"]),
    Route("/desk/studies/{study}/rehearsal/end", end, methods=["POST"]),
]
