"""Who may take part, chosen at the desk: the panel's catalogue, a count on asking, a new version.

The page works without scripts: what is chosen travels in the form from one answer to the next, and
nothing is written before it is saved.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, StudyError
from palaver.core.numbers import whole_number
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.crowds.prolific.records import FilterEntry
from palaver.studies.file.recruiting_terms import FilterRange
from palaver.studies.recruiting.offering.filters import (
    EligiblePeople,
    Wanted,
    can_be_chosen,
    changed_filters,
    chosen_filters,
    count_eligible,
    filters_of,
    find_filters,
    found_choices,
    has_words,
    write_filters,
)
from palaver.studies.recruiting.overview import read_recruitments
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import find_study, study_shell
from palaver.web.desk.parts import plain
from palaver.web.desk.recruiting.request import FAILURES, RECRUITING, recruiting_url
from palaver.web.desk.recruiting.view import FiltersPage, GivenFilter, ShownFilter
from palaver.web.formatting import with_query
from palaver.web.rendering import show

FILTERS = RECRUITING + "/filters"
SHOWN = 20
SAVED = (
    "The filters are saved in the study file. They count for whatever is created at the panel from now "
    "on."
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the page is about at the moment: what is chosen, and what was searched for."""

    given: Mapping[str, GivenFilter]
    search: str = ""
    # The version of the study that it was made of; None for the one that is served.
    base: int | None = None


@for_role("owner")
async def choose(request: Request, person: Person) -> Response:
    """The filters of the study, and the catalogue."""
    deployment, study = deployment_of(request), await find_study(request)
    running = deployment.studies.get(study.name)
    saved = {} if running is None else filters_of(running.definition)
    choice = Choice(
        given={name: _written(value) for name, value in saved.items()},
        search=plain(request.query_params.get("search", ""), most=100),
    )
    done = SAVED if request.query_params.get("done") == "save" else ""
    return await _show(request, person, choice, done=done)


@for_role("owner", changes=True)
async def change(request: Request, person: Person) -> Response:
    """Search, count, take one out or save; only saving writes anything."""
    deployment, study, form = (
        deployment_of(request),
        await find_study(request),
        await request.form(),
    )
    choice = Choice(
        given=_given(form),
        search=plain(str(form.get("search", "")), most=100),
        base=whole_number(str(form.get("base", ""))),
    )
    act = form.get("act")
    try:
        wanted = _wanted(choice.given)
        if act == "save":
            actor = actor_of(request, person)
            await write_filters(deployment, study.name, wanted, actor=actor, base=choice.base)
            address = f"{recruiting_url(request, study.name)}/filters"
            return RedirectResponse(with_query(address, done="save"), status_code=303)
        eligible = await count_eligible(deployment, wanted) if act == "count" else None
    except (*FAILURES, StudyError) as error:
        return await _show(request, person, choice, error=str(error))
    return await _show(request, person, choice, eligible=eligible)


async def _show(
    request: Request,
    person: Person,
    choice: Choice,
    *,
    eligible: EligiblePeople | None = None,
    done: str = "",
    error: str = "",
) -> Response:
    deployment, study = deployment_of(request), await find_study(request)
    running = deployment.studies.get(study.name)
    catalogue: Sequence[FilterEntry] = ()
    try:
        catalogue = (await find_filters(deployment)).filters
    except FAILURES as failure:
        error = error or str(failure)
    entries = {each.filter_id: each for each in catalogue}
    found = [
        each
        for each in catalogue
        if can_be_chosen(each)
        and each.filter_id not in choice.given
        and has_words(each, choice.search)
    ]
    known = await deployment.store.read(lambda c: read_recruitments(c, study.id))
    saved = {} if running is None else filters_of(running.definition)
    page = FiltersPage(
        shell=await study_shell(
            request, person, study, f"Who may take part in {study.title}", "Recruiting"
        ),
        all_url=recruiting_url(request, study.name),
        panel=PROLIFIC,
        search=choice.search,
        chosen=[_shown(name, each, entries) for name, each in choice.given.items()],
        found=[_shown(each.filter_id, GivenFilter(), entries) for each in found[:SHOWN]],
        matching=len(found),
        is_known=bool(catalogue),
        is_changed=_is_changed(choice.given, saved, catalogue),
        is_recruiting=known.current is not None and known.current.state != "missing",
        may_own=running is not None and not deployment.store.read_only,
        base=choice.base or (0 if running is None else running.version),
        eligible=eligible,
        done="" if error else done,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _shown(name: str, given: GivenFilter, entries: Mapping[str, FilterEntry]) -> ShownFilter:
    """A filter as the page shows it, with what is wrong with what is chosen of it."""
    entry, problem = entries.get(name), ""
    if entries and not given.is_empty:
        try:
            chosen_filters(_wanted({name: given}), list(entries.values()))
        except InputError as error:
            problem = str(error)
    if entry is None or not entry.choices:
        return ShownFilter(
            name=name, entry=entry, given=given, strangers=given.values, problem=problem
        )
    ticked = {each: found_choices(entry, [each])[0] for each in given.values}
    return ShownFilter(
        name=name,
        entry=entry,
        given=given,
        ticked=[ids[0] for ids in ticked.values() if ids],
        strangers=[each for each, ids in ticked.items() if not ids],
        problem=problem,
    )


def _is_changed(
    given: Mapping[str, GivenFilter], saved: Wanted, catalogue: Sequence[FilterEntry]
) -> bool:
    """Whether saving would change anything; what cannot be read is a change."""
    try:
        return bool(changed_filters(saved, _wanted(given), catalogue))
    except InputError:
        return True


def _given(form: FormData) -> dict[str, GivenFilter]:
    """What a form has chosen, in its order, without what was taken out."""
    values: dict[str, list[str]] = {}
    ends: dict[tuple[str, str], str] = {}
    for field, told in form.multi_items():
        kind, dot, name = plain(field, most=260).partition(".")
        text = plain(str(told), most=200)
        if dot and kind == "of":
            values.setdefault(name, []).append(text)
        elif dot and kind in ("from", "to"):
            values.setdefault(name, [])
            ends[kind, name] = text
    removed = form.get("remove")
    found = {
        name: GivenFilter(tuple(told), ends.get(("from", name), ""), ends.get(("to", name), ""))
        for name, told in values.items()
        if name != removed
    }
    return {name: each for name, each in found.items() if not each.is_empty}


def _written(value: tuple[str, ...] | FilterRange) -> GivenFilter:
    """What a study file says of a filter, as the form shows it."""
    if isinstance(value, tuple):
        return GivenFilter(value)
    lower, upper = ("" if end is None else f"{end:g}" for end in (value.lower, value.upper))
    return GivenFilter((), lower, upper)


def _wanted(given: Mapping[str, GivenFilter]) -> dict[str, tuple[str, ...] | FilterRange]:
    """Filters as a study means them; InputError where a range is none."""
    return {
        name: each.values if each.values else _range(name, each) for name, each in given.items()
    }


def _range(name: str, given: GivenFilter) -> FilterRange:
    lower, upper = _number(name, given.lower), _number(name, given.upper)
    if lower is not None and upper is not None and lower > upper:
        raise InputError(
            f"The range of '{name[:60]}' begins at {lower:g}, above its end, {upper:g}."
        )
    return FilterRange.model_validate({"from": lower, "to": upper})


def _number(name: str, told: str) -> float | None:
    if not told:
        return None
    try:
        number = float(told)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"The ends of '{name[:60]}' are numbers; got '{told[:40]}'.")
    return number


routes: list[BaseRoute] = [
    Route(FILTERS, choose, methods=["GET"]),
    Route(FILTERS, change, methods=["POST"]),
]
