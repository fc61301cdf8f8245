"""Links with names at the desk: made, revoked, drawn as QR codes, and printed on a sheet."""

import time
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, MissingError
from palaver.core.studies.links import KeptLink
from palaver.studies.run.kept_links import (
    find_link,
    list_links,
    make_named_links,
    names_in,
    revoke_link,
)
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.desk.parts import plain
from palaver.web.desk.studies.links import address_of, base_of, page_of, study_of
from palaver.web.qr_codes import qr_file, qr_svg
from palaver.web.rendering import show


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLink:
    """A link and its picture."""

    link: KeptLink
    picture: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSheetPage:
    """Every link of a study that works, as a sheet to print and cut."""

    template: ClassVar[str] = "desk/studies/link_sheet.html"
    shell: DeskShell
    back_url: str
    drawn: tuple[DrawnLink, ...]


@for_role("reviewer", changes=True)
async def new_named_links(request: Request, person: Person) -> Response:
    """Make a link for each name of a list."""
    study, form = study_of(request), await request.form()
    deployment, base = deployment_of(request), base_of(request)
    names, given = str(form.get("names", "")), str(form.get("hours", ""))
    actor, now = actor_of(request, person), time.time()
    try:
        hours = _hours(given)
        await deployment.store.write(
            lambda c: make_named_links(
                c,
                deployment.secret,
                study.id,
                study.name,
                names_in(names),
                hours=hours,
                base=base,
                actor=actor,
                now=now,
            )
        )
    except InputError as error:
        page = await page_of(request, person, names_error=str(error), names=names)
        return show(request, page, status=422)
    return RedirectResponse(f"{address_of(request, study)}#kept", status_code=303)


@for_role("reviewer", changes=True)
async def revoke(request: Request, person: Person) -> Response:
    """Revoke one link; a visit that began with it goes on."""
    study, deployment, base = study_of(request), deployment_of(request), base_of(request)
    link, actor, now = plain(request.path_params["link"]), actor_of(request, person), time.time()
    await deployment.store.write(
        lambda c: revoke_link(
            c,
            deployment.secret,
            study.id,
            study.name,
            link,
            base=base,
            actor=actor,
            now=now,
        )
    )
    return RedirectResponse(f"{address_of(request, study)}#kept", status_code=303)


@for_role("reviewer")
async def picture(request: Request, person: Person) -> Response:
    """The QR code of one link, as SVG."""
    study, deployment, base = study_of(request), deployment_of(request), base_of(request)
    wanted, now = plain(request.path_params["link"]), time.time()
    link = await deployment.store.read(
        lambda c: find_link(c, deployment.secret, study.id, study.name, wanted, base=base, now=now)
    )
    if not link.address:
        raise MissingError("This link no longer works, so there is no picture of it.")
    drawn = qr_file(link.address, title=link.name)
    headers = {"cache-control": "private, no-store"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@for_role("reviewer")
async def sheet(request: Request, person: Person) -> Response:
    """A sheet of the links that work, to print."""
    study, known = study_of(request), await find_study(request)
    deployment, base, now = deployment_of(request), base_of(request), time.time()
    found = await deployment.store.read(
        lambda c: list_links(c, deployment.secret, study.id, study.name, base=base, now=now)
    )
    open_ones = [each for each in reversed(found.links) if each.state == "open"]
    page = LinkSheetPage(
        shell=await study_shell(request, person, known, f"Links to {known.title}", "Links"),
        back_url=address_of(request, study),
        drawn=tuple(
            DrawnLink(
                link=each, picture=qr_svg(each.address, title=each.name, error="l", is_fluid=True)
            )
            for each in open_ones
        ),
    )
    return show(request, page)


def _hours(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise InputError(f"The hours must be a number; got '{given[:40]}'.") from None


_LINKS = "/desk/studies/{study}/links"
routes: list[BaseRoute] = [
    Route(_LINKS + "/named", new_named_links, methods=["POST"]),
    Route(_LINKS + "/sheet", sheet, methods=["GET"]),
    Route(_LINKS + "/{link}/revoke", revoke, methods=["POST"]),
    Route(_LINKS + "/{link}/code.svg", picture, methods=["GET"]),
]
