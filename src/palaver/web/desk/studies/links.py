"""New participant links: made, shown, and downloaded as text or CSV."""

import asyncio
import csv
import io
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.numbers import whole_number
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.participation import MOST_LINKS, make_links, record_links
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.rendering import show
from palaver.web.security import public_base


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage:
    """Links that were just made, and the form for more; each works for so many hours."""

    template: ClassVar[str] = "desk/studies/links.html"
    most: ClassVar[int] = MOST_LINKS
    shell: DeskShell
    links: tuple[str, ...]
    hours: float
    error: str = ""


@for_role("reviewer")
async def links_page(request: Request, person: Person) -> Response:
    return show(request, await _page(request, person, _study(request)))


@for_role("reviewer", changes=True)
async def new_links(request: Request, person: Person) -> Response:
    """Make links and show them, or send them as a file."""
    study, form = _study(request), await request.form()
    given = str(form.get("count", ""))
    try:
        made = await asyncio.to_thread(
            make_links,
            deployment_of(request).secret,
            study.definition,
            count=_count(given),
            base=public_base(request, request.app.state.settings.public_url),
        )
    except InputError as error:
        return show(request, await _page(request, person, study, error=str(error)), status=422)
    actor, now = actor_of(request, person), deployment_of(request).clock.now()
    await deployment_of(request).store.write(
        lambda c: record_links(c, study.id, study.name, made, actor=actor, now=now)
    )
    match form.get("as"):
        case "text":
            return _file("".join(f"{link}\n" for link in made.links), f"{study.name}-links.txt")
        case "csv":
            return _file(_csv(made.links), f"{study.name}-links.csv", "text/csv")
    return show(request, await _page(request, person, study, made.links))


def _study(request: Request) -> RunningStudy:
    return deployment_of(request).study(request.path_params["study"])


def _count(given: str) -> int:
    number = whole_number(given)
    if number is None:
        raise InputError(f"The number of links must be 1 to {MOST_LINKS:,}; got '{given[:40]}'.")
    return number


async def _page(
    request: Request,
    person: Person,
    study: RunningStudy,
    links: tuple[str, ...] = (),
    *,
    error: str = "",
) -> LinksPage:
    known = await find_study(request)
    return LinksPage(
        shell=await study_shell(request, person, known, f"Links to {known.title}", "Links"),
        links=links,
        hours=study.definition.crowd.link_hours,
        error=error,
    )


def _csv(links: tuple[str, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["number", "link"])
    writer.writerows(enumerate(links, start=1))
    return text.getvalue()


def _file(text: str, name: str, media_type: str = "text/plain") -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=media_type, headers=headers)


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/links", links_page, methods=["GET"]),
    Route("/desk/studies/{study}/links", new_links, methods=["POST"]),
]
