"""Raters: everybody, those of a study, excluding one of them, and one rater across studies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.studies.progress import StoredStudy
from palaver.core.studies.raters import (
    BARRED,
    FAILED,
    PASSED,
    WARNED,
    ExclusionNote,
    ListedRater,
    QualificationEntry,
    RaterWork,
    StoredRater,
)
from palaver.core.words import counted
from palaver.studies.review.progress import StudyProgress
from palaver.studies.review.raters import RaterList, RaterOverview, exclude_rater
from palaver.studies.review.views import read_all_raters, read_raters, view_rater
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, served_study, shell
from palaver.web.desk.parts import ListAsked, Listed, plain
from palaver.web.desk.questions import judgements
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.shell import Choice

PAGE = 100
RATERS = "/desk/raters"
TONES = {PASSED: "good", FAILED: "error", BARRED: "error", WARNED: "warning"}
# How a table of raters can be sorted, and by what.
SORTS: dict[str, tuple[str, Callable[[RaterOverview], float]]] = {
    "came": ("Rater", lambda each: each.rater_id),
    "labels": ("Labels", lambda each: -each.labels),
    "time": ("Time per label", lambda each: _or_last(each.seconds_per_label)),
    "agreement": ("Agrees with most", lambda each: _or_last(each.share)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersPage:
    """Everybody who gave labels; `studies` lead to the raters of each."""

    template: ClassVar[str] = "desk/raters/raters.html"
    shell: DeskShell
    list: Listed[ListedRater]
    studies: Sequence[StoredStudy]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRaters:
    """Who judged in a study.

    Posts `rater`, `excluded` (yes or no), `raters` and `sort` to `action`, where this person may.
    """

    template: ClassVar[str] = "desk/raters/study_raters.html"
    shell: DeskShell
    title: str
    study_url: str
    state: str
    action: str
    raters: str
    sort: str
    choices: tuple[Choice, ...]
    heads: tuple[tuple[Choice, bool], ...]
    rows: list[RaterOverview]
    # The newest state under each name of a rater's record, by the rater's id.
    records: Mapping[int, Mapping[str, str]]
    # Whoever was just excluded or taken back in.
    changed: RaterOverview | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEntry:
    """One entry of a rater's record: a qualification, or an exclusion."""

    what: str
    state: str
    tone: str
    study_id: int
    reason: str
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPage:
    """One rater across studies."""

    template: ClassVar[str] = "desk/raters/rater.html"
    shell: DeskShell
    rater: StoredRater
    state: str
    # Every study here, by id.
    studies: Mapping[int, StoredStudy]
    work: list[RaterWork]
    excluded_in: set[int]
    record: list[RecordEntry]


def _or_last(value: float | None) -> float:
    return inf if value is None else value


@for_role("viewer")
async def show_raters(request: Request, person: Person) -> Response:
    """Everybody who gave labels, newest first."""
    asked = ListAsked.read(request.query_params, root_of(request) + RATERS, size=PAGE)
    all_raters = await deployment_of(request).store.read(
        lambda c: read_all_raters(c, asked.window())
    )
    page = RatersPage(
        shell=shell(request, person, "Raters", "raters"),
        list=asked.listed(all_raters.raters, lambda rater: rater.key),
        studies=all_raters.studies,
    )
    return show(request, page)


@for_role("viewer")
async def study_raters(request: Request, person: Person) -> Response:
    """Who judged in a study, how fast, how much like the others, and who is left out."""
    study = await find_study(request)
    served = served_study(request, study.name)
    raters = judgements.chosen_raters(request.query_params.get("raters"))

    found = await deployment_of(request).store.read(
        lambda c: read_raters(c, study.id, served, raters)
    )
    return show(request, _study_page(request, person, study, raters, found))


def _study_page(
    request: Request,
    person: Person,
    study: StudyProgress,
    raters: str,
    listed: RaterList,
) -> StudyRaters:
    root, asked, found = root_of(request), request.query_params, listed.raters
    address = f"{root}/desk/studies/{study.name}/raters"
    only = None if raters == "all" else raters
    sort = next((key for key in SORTS if key == asked.get("sort")), "came")
    sorted_by = None if sort == "came" else sort
    may_change = person.may("reviewer") and not deployment_of(request).store.read_only
    left_out = sum(each.excluded for each in found)
    state = counted(len(found), "rater") + (f", {left_out:,} excluded" if left_out else "")
    return StudyRaters(
        shell=shell(request, person, f"Raters of {study.title}: {state}", "studies"),
        title=study.title,
        study_url=with_query(f"{root}/desk/studies/{study.name}", raters=only),
        state=state,
        action=address if may_change else "",
        raters=only or "",
        sort=sorted_by or "",
        choices=judgements.rater_choices(address, raters, sort=sorted_by),
        heads=tuple(
            (
                Choice(
                    label=label,
                    url=with_query(address, raters=only, sort=None if key == "came" else key),
                    current=key == sort,
                ),
                key == sort,
            )
            for key, (label, _) in SORTS.items()
        ),
        rows=sorted(found, key=SORTS[sort][1]),
        records=listed.records,
        changed=next((each for each in found if each.rater == asked.get("changed")), None),
    )


@for_role("reviewer", changes=True)
async def change_exclusion(request: Request, person: Person) -> Response:
    """Exclude the rater that the form names from a study, or take them back in."""
    deployment, form = deployment_of(request), await request.form()
    study = await find_study(request)
    key, now = plain(str(form.get("rater", ""))), deployment.clock.now()
    excluded, reason = form.get("excluded") == "yes", str(form.get("reason", ""))
    await deployment.store.write(
        lambda c: exclude_rater(
            c, study, key, excluded=excluded, reason=reason, by=person.name, now=now
        )
    )
    address = f"{root_of(request)}/desk/studies/{study.name}/raters"
    raters, sort = (plain(str(form.get(name, ""))) or None for name in ("raters", "sort"))
    return RedirectResponse(
        with_query(address, raters=raters, sort=sort, changed=key), status_code=303
    )


@for_role("viewer")
async def show_rater(request: Request, person: Person) -> Response:
    """One rater: what they did in each study, and their record."""
    key = plain(request.path_params["rater"])

    rater = await deployment_of(request).store.read(lambda c: view_rater(c, key))
    newest = {note.study_id: note.excluded for note in rater.notes}
    labels = sum(work.labels for work in rater.work)
    state = f"{counted(labels, 'label')} in {counted(len(rater.work), 'study', 'studies')}"
    page = RaterPage(
        shell=shell(request, person, f"{key}: {state}", "raters"),
        rater=rater.rater,
        state=state,
        studies=rater.studies,
        work=rater.work,
        excluded_in={study_id for study_id, excluded in newest.items() if excluded},
        record=_record(rater.qualifications, rater.notes),
    )
    return show(request, page)


def _record(
    qualifications: list[QualificationEntry], notes: list[ExclusionNote]
) -> list[RecordEntry]:
    """A rater's record across studies, newest first: qualifications and exclusions."""
    entries = [
        RecordEntry(
            what=entry.name,
            state=entry.state,
            tone=TONES.get(entry.state, ""),
            study_id=entry.study_id,
            reason=entry.reason,
            time=entry.time,
        )
        for entry in qualifications
    ]
    entries += [
        RecordEntry(
            what="labels",
            state="excluded" if note.excluded else "included again",
            tone="warning" if note.excluded else "good",
            study_id=note.study_id,
            reason=f"by {note.account or 'an unknown account'}"
            + (f": {note.reason}" if note.reason else ""),
            time=note.time,
        )
        for note in notes
    ]
    return sorted(entries, key=lambda entry: entry.time, reverse=True)


routes: list[BaseRoute] = [
    Route(RATERS, show_raters, methods=["GET"]),
    Route("/desk/studies/{study}/raters", study_raters, methods=["GET"]),
    Route("/desk/studies/{study}/raters", change_exclusion, methods=["POST"]),
    Route(RATERS + "/{rater:path}", show_rater, methods=["GET"]),
]
