"""Raters: everybody, those of a study, excluding one of them, and one rater across studies."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
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
)
from palaver.core.words import counted
from palaver.studies.review.measures import StudyMeasures
from palaver.studies.review.raters import RaterList, RaterOverview, exclude_rater
from palaver.studies.review.views import RaterView, read_all_raters, view_rater
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, shell, study_shell
from palaver.web.desk.measures.reading import Freshness, read_measured
from palaver.web.desk.parts import ListAsked, Listed, plain
from palaver.web.desk.questions import judgements
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.shell import ChoiceLink

PAGE = 100
FLAGGED = "flagged"
RATERS = "/desk/raters"
TONES = {PASSED: "good", FAILED: "error", BARRED: "error", WARNED: "warning"}
TONES |= {"left out": "warning", "taken back in": "good"}
# How a table of raters can be sorted without a script, and by what.
SORTS: dict[str, Callable[[RaterOverview], float]] = {
    "came": lambda each: each.rater_id,
    "labels": lambda each: -each.labels,
    "time": lambda each: _or_last(each.seconds_per_label),
    "agreement": lambda each: _or_last(each.share),
}
# Where the axis of times may have a tick, and the least time that it shows; in seconds.
TICKS = tuple(each * 10.0**power for power in range(-1, 5) for each in (1, 2, 5))
LEAST_TIME = 0.05
# How far apart, in percent, two names stand at least.
APART = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersPage:
    """Everybody who gave labels; `studies` lead to the raters of each."""

    template: ClassVar[str] = "desk/raters/raters.html"
    shell: DeskShell
    list: Listed[ListedRater]
    studies: Sequence[StoredStudy]


@dataclass(frozen=True, slots=True)
class TimeStrip:
    """The times per answer on one axis: its ticks and the raters, each with its place in percent."""

    ticks: list[tuple[float, float]]
    points: list[tuple[RaterOverview, float]]
    # The ids of those whose names fit beside each other, from the most conspicuous on.
    named: set[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRaters:
    """Who judged in a study.

    Posts `rater`, `excluded` (yes or no), `raters`, `sort` and `which` to `address`, where this person
    may.
    """

    template: ClassVar[str] = "desk/raters/study_raters.html"
    shell: DeskShell
    address: str
    may_change: bool
    # Whose answers are compared, and how rows are sorted; None for all, and as they came.
    raters: str | None
    sort: str | None
    # "flagged" lists only those with a flag; None lists all.
    which: str | None
    choices: tuple[ChoiceLink, ...]
    filters: tuple[ChoiceLink, ...]
    rows: list[RaterOverview]
    # The newest state under each name of a rater's record, by the rater's id.
    records: Mapping[int, Mapping[str, str]]
    # Whoever was just left out or taken back in.
    changed: RaterOverview | None
    times: TimeStrip | None
    freshness: Freshness

    @property
    def listed(self) -> list[RaterOverview]:
        """The rows of the table."""
        return [each for each in self.rows if each.flags or not self.which]

    @property
    def flagged(self) -> int:
        """How many of those who count have a flag."""
        return sum(bool(each.flags) and not each.excluded for each in self.rows)

    @property
    def out(self) -> list[RaterOverview]:
        """Those who count and stand out, the least like the others first."""
        return conspicuous(each for each in self.rows if not each.excluded)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPage:
    """One rater across studies."""

    template: ClassVar[str] = "desk/raters/rater.html"
    shell: DeskShell
    found: RaterView
    # The studies that leave them out.
    excluded_in: set[int]
    # Qualifications and what was decided about their labels, newest first.
    record: list[QualificationEntry]
    tones: Mapping[str, str]


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
    """Who judged in a study, how they worked, how much like the others, and who is left out."""
    study = await find_study(request)
    asked = request.query_params
    raters = judgements.chosen_raters(asked.get("raters"))
    store = deployment_of(request).store
    reading = await read_measured(request, study, raters, StudyMeasures.read_raters)
    found = reading.value or RaterList([])
    address = f"{root_of(request)}/desk/studies/{study.name}/raters"
    sort = next((key for key in SORTS if key == asked.get("sort")), "came")
    kept = None if sort == "came" else sort
    whose = None if raters == "all" else raters
    which = FLAGGED if asked.get("which") == FLAGGED else None
    title = f"Raters of {study.title}: {counted(study.raters, 'rater')}"
    if raters != "all" and reading.value is not None:
        title = f"Raters of {study.title}: {counted(len(found.raters), 'rater')}"
    page = StudyRaters(
        shell=await study_shell(request, person, study, title, "Raters"),
        address=address,
        may_change=person.may("reviewer", study.name) and not store.read_only,
        raters=whose,
        sort=kept,
        which=which,
        choices=judgements.rater_choices(address, raters, which=which, sort=kept),
        filters=tuple(
            ChoiceLink(
                label=label,
                url=with_query(address, raters=whose, which=each, sort=kept),
                current=each == which,
            )
            for label, each in (("All", None), ("Flagged", FLAGGED))
        ),
        rows=sorted(found.raters, key=SORTS[sort]),
        records=found.records,
        changed=next((each for each in found.raters if each.rater == asked.get("changed")), None),
        times=time_strip(found.raters),
        freshness=reading.freshness,
    )
    return show(request, page)


def time_strip(raters: Sequence[RaterOverview]) -> TimeStrip | None:
    """The median time of each rater's answers on a logarithmic axis; None for fewer than two."""
    timed = [(each, max(LEAST_TIME, each.seconds_per_label or 0)) for each in raters]
    timed = [(each, seconds) for each, seconds in timed if each.seconds_per_label is not None]
    if len(timed) < 2:
        return None
    low = min(seconds for _, seconds in timed) / 1.5
    high = max(seconds for _, seconds in timed) * 1.5

    def place(seconds: float) -> float:
        return round(100 * log(seconds / low) / log(high / low), 2)

    ticks = [(tick, place(tick)) for tick in TICKS if low <= tick <= high]
    places = {each.rater_id: place(seconds) for each, seconds in timed}
    named: set[int] = set()
    for each in conspicuous(each for each, _ in timed):
        if all(abs(places[each.rater_id] - places[other]) > APART for other in named):
            named.add(each.rater_id)
    return TimeStrip(ticks, [(each, places[each.rater_id]) for each, _ in timed], named)


def conspicuous(raters: Iterable[RaterOverview]) -> list[RaterOverview]:
    """Those who stand out, the flagged and the least like the others first."""
    return sorted(
        (each for each in raters if each.stands_out),
        key=lambda each: (-len(each.flags), _or_last(each.share)),
    )


@for_role("reviewer", changes=True)
async def change_exclusion(request: Request, person: Person) -> Response:
    """Exclude the rater that the form names from a study, or take them back in."""
    deployment, form = deployment_of(request), await request.form()
    study = await find_study(request)
    key, now = plain(str(form.get("rater", ""))), deployment.clock.now()
    actor = actor_of(request, person)
    excluded, reason = form.get("excluded") == "yes", str(form.get("reason", ""))
    await deployment.store.write(
        lambda c: exclude_rater(
            c, study, key, excluded=excluded, reason=reason, actor=actor, now=now
        )
    )
    address = f"{root_of(request)}/desk/studies/{study.name}/raters"
    kept = {name: plain(str(form.get(name, ""))) or None for name in ("raters", "sort", "which")}
    return RedirectResponse(with_query(address, **kept, changed=key), status_code=303)


@for_role("member")
async def show_rater(request: Request, person: Person) -> Response:
    """One rater: what they did in each study, and their record."""
    key = plain(request.path_params["rater"])

    deployment = deployment_of(request)
    found = await deployment.store.read(
        lambda c: view_rater(c, key, deployment.studies, person.only)
    )
    newest = {note.study_id: note.excluded for note in found.notes}
    page = RaterPage(
        shell=shell(request, person, f"Rater {found.rater.name}", "raters"),
        found=found,
        excluded_in={study_id for study_id, excluded in newest.items() if excluded},
        record=sorted(
            [*found.qualifications, *map(_entry, found.notes)],
            key=lambda entry: entry.time,
            reverse=True,
        ),
        tones=TONES,
    )
    return show(request, page)


def _entry(note: ExclusionNote) -> QualificationEntry:
    """What was decided about a rater's labels, as an entry of their record."""
    why = f": {note.reason}" if note.reason else ""
    return QualificationEntry(
        name="labels",
        state="left out" if note.excluded else "taken back in",
        study_id=note.study_id,
        reason=f"by {note.account or 'an unknown account'}{why}",
        time=note.time,
    )


routes: list[BaseRoute] = [
    Route(RATERS, show_raters, methods=["GET"]),
    Route("/desk/studies/{study}/raters", study_raters, methods=["GET"]),
    Route("/desk/studies/{study}/raters", change_exclusion, methods=["POST"]),
    Route(RATERS + "/{rater:path}", show_rater, methods=["GET"]),
]
