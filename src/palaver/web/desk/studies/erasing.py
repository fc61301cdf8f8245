"""One participant of a study: their visits, and erasing what they gave."""

from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import MissingError
from palaver.core.names import person_id, person_name
from palaver.core.studies.visits import ListedVisit
from palaver.studies.review.views import visits_of_person
from palaver.studies.run.erasure import OUT_OF_REACH, ErasedPerson, erase_person
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, served_study, study_shell
from palaver.web.rendering import show


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantPage:
    """Somebody who came to a study. Posts `confirm` (their name) and `entirely` to `address`."""

    template: ClassVar[str] = "desk/studies/participant.html"
    out_of_reach: ClassVar[str] = OUT_OF_REACH
    shell: DeskShell
    address: str
    name: str
    visits: list[ListedVisit]
    shows_panel: bool
    # Whether this person may erase, and the study is served, so that it can be done.
    may_erase: bool
    error: str = ""
    done: ErasedPerson | None = None

    @property
    def is_erased(self) -> bool:
        """Whether nothing is left to erase."""
        return all(visit.state == "withdrawn" for visit in self.visits)


@for_role("viewer")
async def show_participant(request: Request, person: Person) -> Response:
    return show(request, await _page(request, person))


@for_role("reviewer", changes=True)
async def erase(request: Request, person: Person) -> Response:
    """Erase what this participant gave, once their name was typed."""
    form, name = await request.form(), _name(request)
    study = deployment_of(request).study(request.path_params["study"])
    if str(form.get("confirm", "")).strip().casefold() != name.casefold():
        page = await _page(request, person, error=f"Type {name} to erase them. Nothing was erased.")
        return show(request, page, 422)
    done = await erase_person(
        deployment_of(request),
        study.id,
        study.definition,
        name,
        entirely=form.get("entirely") == "yes",
        actor=actor_of(request, person),
    )
    return show(request, await _page(request, person, done=done))


async def ask_again(request: Request) -> Response:
    """A reload of what follows an erasure shows the participant."""
    return RedirectResponse(request.url.path.removesuffix("/erase"), status_code=303)


async def _page(
    request: Request, person: Person, *, error: str = "", done: ErasedPerson | None = None
) -> ParticipantPage:
    deployment, study, name = deployment_of(request), await find_study(request), _name(request)
    participant = person_id(name)
    visits = await deployment.store.read(lambda c: visits_of_person(c, study.id, participant))
    if not visits:
        raise MissingError(f"Nobody called {name} came to '{study.name}'.")
    served = served_study(request, study.name) is not None
    return ParticipantPage(
        shell=await study_shell(
            request, person, study, f"{name}, participant of {study.title}", "Participants"
        ),
        address=f"{root_of(request)}/desk/studies/{study.name}/participants/{name}",
        name=name,
        visits=visits,
        shows_panel=person.may("reviewer", study.name),
        may_erase=person.may("reviewer", study.name) and served and not deployment.store.read_only,
        error=error,
        done=done,
    )


def _name(request: Request) -> str:
    found = person_id(request.path_params["person"])
    if found is None:
        raise MissingError("Participants have names such as P07.")
    return person_name(found)


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/participants/{person}", show_participant, methods=["GET"]),
    Route("/desk/studies/{study}/participants/{person}/erase", erase, methods=["POST"]),
    Route("/desk/studies/{study}/participants/{person}/erase", ask_again, methods=["GET"]),
]
