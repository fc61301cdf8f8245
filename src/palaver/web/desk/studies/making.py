"""A new study made at the desk, from a template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import ConflictError, InputError
from palaver.studies.file.starter import LONGEST_TITLE, USUAL, Template, templates
from palaver.studies.run.new_study import make_study
from palaver.web.desk.accounts import (
    Person,
    actor_of,
    check_writable,
    deployment_of,
    for_role,
    root_of,
)
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.rendering import show


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudyPage:
    """The form for a new study; posts `template`, `name` and `title`.

    `folder` is where it is written; empty where this server serves a single study.
    """

    template: ClassVar[str] = "desk/studies/new_study.html"
    longest_title: ClassVar[int] = LONGEST_TITLE
    shell: DeskShell
    folder: str
    kinds: Mapping[str, Template]
    given: Mapping[str, str]
    error: str = ""


@for_role("reviewer")
async def new_study_page(request: Request, person: Person) -> Response:
    """The kinds of studies to choose from."""
    check_writable(deployment_of(request))
    return show(request, _page(request, person, {"template": USUAL}))


@for_role("reviewer", changes=True)
async def new_study(request: Request, person: Person) -> Response:
    """Make the study, and go on to its text."""
    form = await request.form()
    given = {key: str(form.get(key, "")).strip() for key in ("template", "name", "title")}
    try:
        made = await make_study(deployment_of(request), **given, actor=actor_of(request, person))
    except (InputError, ConflictError) as error:
        return show(request, _page(request, person, given, error=str(error)), 422)
    return RedirectResponse(f"{root_of(request)}/desk/studies/{made[0]}/edit", status_code=303)


def _page(
    request: Request, person: Person, given: Mapping[str, str], *, error: str = ""
) -> NewStudyPage:
    folder = deployment_of(request).studies_folder
    return NewStudyPage(
        shell=shell(request, person, "New study", "studies"),
        folder="" if folder is None else str(folder.resolve()),
        kinds=templates(),
        given={"template": "", "name": "", "title": "", **given},
        error=error,
    )


routes: list[BaseRoute] = [
    Route("/desk/new-study", new_study_page, methods=["GET"]),
    Route("/desk/new-study", new_study, methods=["POST"]),
]
