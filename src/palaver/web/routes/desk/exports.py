"""Downloads of a whole study."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.reports.export import EXPORTS
from palaver.web.desk import pages
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.exports import make_export, send
from palaver.web.desk.frame import find_study

DEFAULT = "palaver"


@for_role("reviewer")
async def export(request: Request, person: Person) -> Response:
    """A study as a file."""
    study = await find_study(request)
    download = await make_export(
        deployment_of(request),
        study=study.name,
        format=request.query_params.get("format", DEFAULT)[:64],
        mask=request.query_params.get("mask") == "1",
    )
    return send(download)


def export_form(request: Request, study: str) -> pages.ExportForm:
    """The choices of a download."""
    kinds = [(name, EXPORTS.get(name).summary) for name in EXPORTS.names()]
    return pages.ExportForm(
        action=f"{root_of(request)}/desk/exports/{study}",
        formats=tuple(
            pages.Option(value=name, label=f"{name}: {summary}", chosen=name == DEFAULT)
            for name, summary in kinds
        ),
    )


routes: list[BaseRoute] = [Route("/desk/exports/{study}", export, methods=["GET"])]
