"""Who came to a study."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.studies.review.views import list_visits
from palaver.web.desk import pages
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import find_study, served_study, shell, show
from palaver.web.desk.pages import ListAsked

PAGE = 100


@for_role("viewer")
async def list_participants(request: Request, person: Person) -> Response:
    """A page of the visits to a study."""
    study = await find_study(request)
    served = served_study(request, study.name)
    address = f"{root_of(request)}/desk/studies/{study.name}/participants"
    asked = ListAsked.read(request.query_params, address, size=PAGE)
    window = asked.window(_number)
    found = await deployment_of(request).store.read(lambda c: list_visits(c, study.id, window))
    page = pages.ParticipantsPage(
        shell=shell(request, person, f"Participants of {study.title}", "studies"),
        study=study,
        list=asked.listed(found, lambda visit: visit.id),
        pay=served.definition.pay if served else None,
        shows_panel=person.may("reviewer"),
    )
    return show(request, page)


def _number(given: str) -> int | None:
    return int(given) if given.isdecimal() and len(given) < 16 else None


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/participants", list_participants, methods=["GET"]),
]
