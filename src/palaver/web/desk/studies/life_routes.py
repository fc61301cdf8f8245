"""Pausing, closing, places, dates and versions of a study, at the desk."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import ConflictError, InputError
from palaver.core.numbers import whole_number
from palaver.core.studies.life import MOVES, StateChange
from palaver.core.studies.versions import StudyVersion, VersionDiff
from palaver.studies.file.definition import Study
from palaver.studies.file.edits import ConditionPlaces, NewDates, StudyEdit
from palaver.studies.review.progress import StudyProgress
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.life import change_life, read_history
from palaver.studies.run.versions import edit_study, read_diff, read_versions, return_to_version
from palaver.studies.stages import ChatStage, RateStage, WriteStage
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, served_study, study_shell
from palaver.web.rendering import show

# What the clocks of a form's field show.
FIELD = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField:
    """A number of a study file that can be set at the desk; `hint` says what it means now."""

    name: str
    label: str
    value: int | None
    hint: str
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningPage:
    """Whether a study takes people in, its places and dates, and what was done about it.

    Posts `move` and `reason` to `state`, and the numbers and dates to `places`.
    """

    template: ClassVar[str] = "desk/studies/running.html"
    shell: DeskShell
    # None where only its data are here.
    definition: Study | None
    version: int
    places: tuple[NumberField, ...]
    opens: str
    closes: str
    changes: list[StateChange]
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsPage:
    """The versions of a study, and what changed between two of them; posts `number` to `back`."""

    template: ClassVar[str] = "desk/studies/versions.html"
    shell: DeskShell
    versions: list[StudyVersion]
    diff: VersionDiff | None
    may_return: bool
    error: str = ""


@for_role("reviewer")
async def show_running(request: Request, person: Person) -> Response:
    return show(request, await _running(request, person))


@for_role("reviewer", changes=True)
async def change_state(request: Request, person: Person) -> Response:
    """Pause, resume, close or reopen the study, and go back to its page."""
    deployment, study, form = (
        deployment_of(request),
        await find_study(request),
        await request.form(),
    )
    move = next((each for each in MOVES if each == form.get("move")), None)
    if move is None:
        raise InputError(f"'move' is one of {', '.join(MOVES)}.")
    actor, now = actor_of(request, person), deployment.clock.now()
    definition, reason = deployment.served.get(study.name), str(form.get("reason", ""))
    try:
        await deployment.store.write(
            lambda c: change_life(
                c, study.id, study.name, definition, move, actor=actor, reason=reason, now=now
            )
        )
    except (ConflictError, InputError) as error:
        return show(request, await _running(request, person, error=str(error)), 409)
    return _to_study(request, study)


@for_role("reviewer", changes=True)
async def change_places(request: Request, person: Person) -> Response:
    """Set places, raters and dates, and go back to the page of the study."""
    deployment, study, form = (
        deployment_of(request),
        await find_study(request),
        await request.form(),
    )
    running = deployment.study(study.name)
    try:
        await edit_study(
            deployment,
            study.name,
            _edit(running, form),
            actor=actor_of(request, person),
            note=str(form.get("note", "")),
            base=whole_number(str(form.get("base", ""))),
        )
    except (ConflictError, InputError) as error:
        return show(request, await _running(request, person, error=str(error)), 409)
    return _to_study(request, study)


@for_role("reviewer")
async def show_versions(request: Request, person: Person) -> Response:
    return show(request, await _versions(request, person))


@for_role("owner", changes=True)
async def go_back(request: Request, person: Person) -> Response:
    """Serve an older version again, and show what that changed."""
    deployment, study, form = (
        deployment_of(request),
        await find_study(request),
        await request.form(),
    )
    number = whole_number(str(form.get("number", "")), most=2**31 - 1) or 0
    try:
        made = await return_to_version(
            deployment,
            study.name,
            number,
            actor=actor_of(request, person),
            base=whole_number(str(form.get("base", ""))),
        )
    except (ConflictError, InputError) as error:
        return show(request, await _versions(request, person, error=str(error)), 409)
    shown = f"old={made.number - 1}&new={made.number}"
    address = f"{root_of(request)}/desk/studies/{study.name}/versions?{shown}"
    return RedirectResponse(address, status_code=303)


@for_role("reviewer")
async def ask_again(request: Request, person: Person) -> Response:
    """A reload of what follows a form shows the page that it belongs to."""
    path = request.url.path.rpartition("/")[0]
    return RedirectResponse(
        path if path.endswith("/versions") else f"{path}/running", status_code=303
    )


def _to_study(request: Request, study: StudyProgress) -> Response:
    address = f"{root_of(request)}/desk/studies/{study.name}"
    return RedirectResponse(address, status_code=303)


async def _running(request: Request, person: Person, *, error: str = "") -> RunningPage:
    study, deployment = await find_study(request), deployment_of(request)
    served = served_study(request, study.name)
    history = await deployment.store.read(lambda c: read_history(c, study.id))
    dates = None if served is None else served.definition.dates
    return RunningPage(
        shell=await study_shell(
            request, person, study, f"{study.title}: places and dates", "Overview"
        ),
        definition=served.definition if served and not deployment.store.read_only else None,
        version=0 if served is None else served.version,
        places=() if served is None else tuple(_fields(served, study)),
        opens="" if dates is None or dates.opens is None else f"{dates.opens:{FIELD}}",
        closes="" if dates is None or dates.closes is None else f"{dates.closes:{FIELD}}",
        changes=history.changes,
        error=error,
    )


def _fields(study: RunningStudy, progress: StudyProgress) -> Iterator[NumberField]:
    """The numbers of a study's file that can be set, with what is done of them."""
    several = len(study.definition.stages) > 1
    counts = {each.name: each for each in progress.conditions}
    for index, stage in enumerate(study.definition.stages):
        part = f", part {index + 1}" if several else ""
        if isinstance(stage, RateStage) and stage.has_source:
            yield NumberField(
                name=f"raters-{index}",
                label=f"Raters of each item{part}",
                value=stage.raters,
                hint="How many people judge each of them.",
                required=True,
            )
        if not isinstance(stage, ChatStage) or isinstance(stage, WriteStage) or stage.practice:
            continue
        for number, condition in enumerate(stage.conditions):
            each = condition.per_scenario is not None
            known = counts.get(condition.name)
            so_far = "" if known is None else f"{known.done:,} done, {known.held:,} under way. "
            yield NumberField(
                name=f"places-{index}-{number}",
                label=f"{condition.name}{part}",
                value=condition.per_scenario if each else condition.needed,
                hint=f"{so_far}{'For each scenario.' if each else 'Leave it empty for no quota.'}",
                required=each,
            )


def _edit(study: RunningStudy, form: FormData) -> StudyEdit:
    """What a form says is to be different; fields that it lacks stay."""
    places, raters = [], {}
    for index, stage in enumerate(study.definition.stages):
        given = form.get(f"raters-{index}")
        if isinstance(given, str) and given.strip():
            raters[index] = _number(given)
        for number, condition in enumerate(getattr(stage, "conditions", ())):
            given = form.get(f"places-{index}-{number}")
            if isinstance(given, str):
                needed = _number(given) if given.strip() else None
                places.append(ConditionPlaces(stage=index, condition=condition.name, needed=needed))
    told = {key: form.get(key) for key in ("opens", "closes", "zone")}
    dates = None
    if all(isinstance(value, str) for value in told.values()):
        dates = NewDates(**{key: str(value) for key, value in told.items()})
    return StudyEdit(places=tuple(places), raters=raters, dates=dates)


def _number(given: str) -> int:
    number = whole_number(given.strip(), most=1_000_000_000)
    if not number:
        raise InputError(f"A number of places or raters is 1 or more; got '{given[:40]}'.")
    return number


async def _versions(request: Request, person: Person, *, error: str = "") -> VersionsPage:
    study, deployment = await find_study(request), deployment_of(request)
    listed = await deployment.store.read(lambda c: read_versions(c, study.id))
    asked = [
        whole_number(request.query_params.get(key, ""), most=2**31 - 1) for key in ("old", "new")
    ]
    old, new = asked
    diff = None
    if old and new:
        pair = (old, new)
        diff = await deployment.store.read(lambda c: read_diff(c, study.id, *pair))
    served = served_study(request, study.name) is not None
    return VersionsPage(
        shell=await study_shell(request, person, study, f"Versions of {study.title}", "Versions"),
        versions=listed.versions,
        diff=diff,
        may_return=served and person.may("owner") and not deployment.store.read_only,
        error=error,
    )


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/running", show_running, methods=["GET"]),
    Route("/desk/studies/{study}/state", change_state, methods=["POST"]),
    Route("/desk/studies/{study}/state", ask_again, methods=["GET"]),
    Route("/desk/studies/{study}/places", change_places, methods=["POST"]),
    Route("/desk/studies/{study}/places", ask_again, methods=["GET"]),
    Route("/desk/studies/{study}/versions", show_versions, methods=["GET"]),
    Route("/desk/studies/{study}/versions/back", go_back, methods=["POST"]),
    Route("/desk/studies/{study}/versions/back", ask_again, methods=["GET"]),
]
