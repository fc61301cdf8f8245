"""Raters and boards: two short lists."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.studies.review.boards import list_boards
from palaver.studies.review.views import read_all_raters
from palaver.web.desk import pages
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import shell, show
from palaver.web.desk.pages import ListAsked

PAGE = 100
RATERS = "/desk/raters"


@for_role("viewer")
async def show_raters(request: Request, person: Person) -> Response:
    """Everybody who gave labels, newest first."""
    asked = ListAsked.read(request.query_params, root_of(request) + RATERS, size=PAGE)
    found = await deployment_of(request).store.read(lambda c: read_all_raters(c, asked.window()))
    page = pages.RatersPage(
        shell=shell(request, person, "Raters", "raters"),
        list=asked.listed(found.raters, lambda rater: rater.key),
        studies=found.studies,
    )
    return show(request, page)


@for_role("viewer")
async def show_boards(request: Request, person: Person) -> Response:
    """The studies that compare systems, each with its board."""
    deployment = deployment_of(request)
    studies = [study.definition for study in deployment.studies.values()]
    page = pages.BoardListPage(
        shell=shell(request, person, "Boards", "boards"),
        boards=await deployment.store.read(lambda c: list_boards(c, studies)),
    )
    return show(request, page)


routes: list[BaseRoute] = [
    Route(RATERS, show_raters, methods=["GET"]),
    Route("/desk/boards", show_boards, methods=["GET"]),
]
