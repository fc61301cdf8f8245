"""A study's file, edited at the desk: checked, compared with what is served, tried out, and saved."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import ConflictError, InputError, Problem, StudyError
from palaver.core.numbers import whole_number
from palaver.core.studies.versions import (
    ForeseenChange,
    StudyVersion,
    StudyVersionSheet,
    VersionDiff,
)
from palaver.studies.run.editing import draft_of, foresee_text, latest_file, save_text
from palaver.studies.run.rehearsals import Rehearsals
from palaver.studies.run.versions import read_diff
from palaver.web.desk.accounts import (
    Person,
    actor_of,
    check_writable,
    deployment_of,
    for_role,
    root_of,
)
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.participant.rehearsing import signed_in
from palaver.web.rendering import show

Act = Literal["check", "changes", "save", "rehearse", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPage:
    """The text of a study file; posts `text`, `base`, `note` and `act` to `address`.

    `sent` says that the text came from this browser and is not saved. `meanwhile` is what somebody else
    changed since `base`, which is then the version that is served by now.
    """

    template: ClassVar[str] = "desk/studies/edit.html"
    shell: DeskShell
    address: str
    file: str
    text: str
    base: int
    note: str = ""
    sent: bool = False
    act: Act = ""
    foreseen: ForeseenChange | None = None
    problems: tuple[Problem, ...] = ()
    meanwhile: VersionDiff | None = None
    saved: StudyVersion | None = None
    error: str = ""

    @property
    def wrong(self) -> int:
        """How many of the problems stop the study from being served."""
        return sum(not problem.warning for problem in self.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """What the form sent."""

    text: str
    base: int
    note: str
    act: Act


@for_role("reviewer")
async def edit_page(request: Request, person: Person) -> Response:
    """The file as it is served."""
    check_writable(deployment_of(request))
    return show(request, await _page(request, person))


@for_role("reviewer", changes=True)
async def edit(request: Request, person: Person) -> Response:
    """Check a text, show what it changes, try it out, or save it; the text is kept whatever comes."""
    deployment, name = deployment_of(request), request.path_params["study"]
    latest = await latest_file(deployment, name)
    sent = await _read(request, latest)
    if sent.act == "save":
        return await _save(request, person, sent, latest)
    if sent.act == "rehearse":
        return await _rehearse(request, person, sent)
    foreseen, error = None, ""
    try:
        foreseen = await foresee_text(deployment, name, sent.text, rights=person.rights)
    except InputError as refused:
        error = str(refused)
    page = await _page(
        request,
        person,
        sent=sent,
        foreseen=foreseen,
        problems=foreseen.problems if foreseen else (),
        meanwhile=await _meanwhile(request, sent, latest),
        error=error,
    )
    # A check that finds something has not failed.
    return show(request, page, 422 if error else 200)


async def _save(
    request: Request, person: Person, sent: _Sent, latest: StudyVersionSheet
) -> Response:
    deployment, name = deployment_of(request), request.path_params["study"]
    try:
        saved = await save_text(
            deployment,
            name,
            sent.text,
            rights=person.rights,
            actor=actor_of(request, person),
            note=sent.note,
            base=sent.base,
        )
    except StudyError as error:
        page = await _page(request, person, sent=sent, problems=tuple(error.problems))
        return show(request, page, 422)
    except (InputError, ConflictError) as error:
        meanwhile = await _meanwhile(request, sent, await latest_file(deployment, name))
        told = "" if meanwhile is not None else str(error)
        page = await _page(request, person, sent=sent, meanwhile=meanwhile, error=told)
        return show(request, page, 409)
    return show(request, await _page(request, person, saved=saved))


async def _rehearse(request: Request, person: Person, sent: _Sent) -> Response:
    """Try the text as a participant, unsaved."""
    deployment, name = deployment_of(request), request.path_params["study"]
    rehearsals = Rehearsals.of(deployment)
    try:
        draft = await draft_of(deployment, name, sent.text, rights=person.rights)
        visit = await rehearsals.begin(draft, by=person.name, is_draft=True)
    except StudyError as error:
        page = await _page(request, person, sent=sent, problems=tuple(error.problems))
        return show(request, page, 422)
    except InputError as error:
        return show(request, await _page(request, person, sent=sent, error=str(error)), 422)
    return signed_in(request, rehearsals, visit)


async def _meanwhile(
    request: Request, sent: _Sent, latest: StudyVersionSheet
) -> VersionDiff | None:
    """What somebody else changed since the version that a text was made of."""
    if not 1 <= sent.base < latest.number:
        return None
    return await deployment_of(request).store.read(
        lambda c: read_diff(c, latest.study_id, sent.base, latest.number)
    )


async def _read(request: Request, latest: StudyVersionSheet) -> _Sent:
    form = await request.form()
    # A browser sends every line end as two characters; the file keeps its own.
    text = str(form.get("text", "")).replace("\r\n", "\n")
    if "\r\n" in latest.definition:
        text = text.replace("\n", "\r\n")
    asked = str(form.get("act", ""))
    acts: dict[str, Act] = {"changes": "changes", "save": "save", "rehearse": "rehearse"}
    base = whole_number(str(form.get("base", "")))
    return _Sent(
        text=text,
        base=latest.number if base is None else base,
        note=str(form.get("note", "")),
        act=acts.get(asked, "check"),
    )


async def _page(
    request: Request,
    person: Person,
    *,
    sent: _Sent | None = None,
    foreseen: ForeseenChange | None = None,
    problems: tuple[Problem, ...] = (),
    meanwhile: VersionDiff | None = None,
    saved: StudyVersion | None = None,
    error: str = "",
) -> EditPage:
    deployment, study = deployment_of(request), await find_study(request)
    latest = await latest_file(deployment, study.name)
    return EditPage(
        shell=await study_shell(request, person, study, f"Edit {study.title}", "Edit"),
        address=f"{root_of(request)}/desk/studies/{study.name}/edit",
        file=deployment.study(study.name).definition.file.name,
        text=latest.definition if sent is None else sent.text,
        # Told what changed meanwhile, somebody who saves again means to replace it.
        base=latest.number if sent is None or meanwhile is not None else sent.base,
        note="" if sent is None else sent.note,
        sent=sent is not None and sent.text != latest.definition,
        act="" if sent is None else sent.act,
        foreseen=foreseen,
        problems=problems,
        meanwhile=meanwhile,
        saved=saved,
        error=error,
    )


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/edit", edit_page, methods=["GET"]),
    Route("/desk/studies/{study}/edit", edit, methods=["POST"]),
]
