"""Recruiting of a study: how it stands, what would be offered, and what is done with it as a whole."""

import asyncio
from collections.abc import Sequence

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, MissingError
from palaver.core.numbers import whole_number
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.crowds.prolific.records import TestRun
from palaver.studies.recruiting.access import PanelAccess, read_access
from palaver.studies.recruiting.money.top_ups import TopUp, read_top_ups
from palaver.studies.recruiting.offering.codes import codes_of
from palaver.studies.recruiting.offering.filters import filter_words, filters_of
from palaver.studies.recruiting.offering.offers import make_offer
from palaver.studies.recruiting.offering.trials import try_out
from palaver.studies.recruiting.overview import (
    RecruitmentSheet,
    read_recruitments,
    read_sheet,
)
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.moves import (
    DONE,
    MOVES,
    OWNERS,
    foreseen,
    make_move,
    open_moves,
)
from palaver.studies.recruiting.submissions.foreseen import code_words
from palaver.studies.recruiting.submissions.hooks import read_hooks, set_up_hooks
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, require
from palaver.web.desk.frame import find_study, study_shell
from palaver.web.desk.parts import plain
from palaver.web.desk.recruiting import view
from palaver.web.desk.recruiting.request import (
    FAILURES,
    RECRUITING,
    RECRUITMENT,
    asked_recruitment,
    base_of,
    recruiting_url,
)
from palaver.web.formatting import with_query
from palaver.web.rendering import show

TOLD: dict[str, str] = {
    **{str(move): words for move, words in DONE.items()},
    "create": "The draft is created at the panel. Nobody sees it yet; publish it when you are ready.",
    "places": "The number of places is changed.",
}


@for_role("viewer")
async def overview(request: Request, person: Person) -> Response:
    """The current recruitment of a study, or the way to the first."""
    return await _overview(request, person)


@for_role("viewer")
async def show_one(request: Request, person: Person) -> Response:
    asked = await asked_recruitment(request)
    return await _overview(request, person, chosen=asked.recruitment)


async def _overview(
    request: Request,
    person: Person,
    *,
    chosen: Recruitment | None = None,
    trial: TestRun | None = None,
    error: str = "",
) -> Response:
    deployment, study = deployment_of(request), await find_study(request)
    definition, now = deployment.definition(study.name), deployment.clock.now()

    def read(
        c: Connection,
    ) -> tuple[Sequence[Recruitment], RecruitmentSheet | None, Sequence[TopUp]]:
        known = read_recruitments(c, study.id)
        mine = next((r for r in known.recruitments if chosen and r.id == chosen.id), known.current)
        if mine is None:
            return known.recruitments, None, ()
        others = [each for each in known.recruitments if each.id != mine.id]
        return others, read_sheet(c, mine, definition, now=now), read_top_ups(c, mine, now=now)

    others, sheet, top_ups = await deployment.store.read(read)
    may_own = person.may("owner", study.name) and not deployment.store.read_only
    may_review = person.may("reviewer", study.name) and not deployment.store.read_only
    moves = () if sheet is None or definition is None else open_moves(sheet.recruitment)
    page = view.OverviewPage(
        shell=await study_shell(
            request, person, study, f"Recruiting for {study.title}", "Recruiting"
        ),
        all_url=recruiting_url(request, study.name),
        panel=PROLIFIC,
        sheet=sheet,
        others=others,
        moves=moves,
        allowed=[each for each in moves if may_own or (may_review and each not in OWNERS)],
        may_own=may_own and definition is not None,
        top_ups=top_ups,
        access=await _access(request, person),
        trial=trial,
        done="" if error else TOLD.get(request.query_params.get("done", ""), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


async def _access(request: Request, person: Person) -> PanelAccess | None:
    """Whether there is a token, for owners alone; where that cannot be known, why."""
    if deployment_of(request).store.read_only or not person.may("owner"):
        return None
    try:
        return await asyncio.to_thread(read_access)
    except InputError as error:
        return PanelAccess(file="", trouble=str(error))


@for_role("owner")
async def offer(request: Request, person: Person) -> Response:
    """What would be created, and what it costs; the panel is asked, and nothing is made."""
    return await _offer(request, person, given=plain(request.query_params.get("places", "")))


async def _offer(request: Request, person: Person, *, given: str, error: str = "") -> Response:
    deployment, study = deployment_of(request), await find_study(request)
    made, words, filters = None, {}, {}
    try:
        running = deployment.study(study.name)
        filters = {
            name: filter_words(each) for name, each in filters_of(running.definition).items()
        }
        places = _places(given) if given else None
        made = await make_offer(deployment, running, base=base_of(request), places=places)
        codes = codes_of(running.definition)
        words = code_words(running.definition, codes, places=made.places, currency=made.currency)
    except FAILURES as failure:
        error = error or str(failure)
    known = await deployment.store.read(lambda c: read_recruitments(c, study.id))
    page = view.OfferPage(
        shell=await study_shell(request, person, study, f"Offer {study.title}", "Recruiting"),
        all_url=recruiting_url(request, study.name),
        offer=made,
        has_recruitment=known.current is not None and known.current.state != "missing",
        code_words=words,
        filters=filters,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


@for_role("owner", changes=True)
async def create(request: Request, person: Person) -> Response:
    """Create the draft that was looked at, at the cost that was told."""
    deployment, study, form = (
        deployment_of(request),
        await find_study(request),
        await request.form(),
    )
    given, cost = plain(str(form.get("places", ""))), plain(str(form.get("cost", "")))
    try:
        known_cost = whole_number(cost)
        if known_cost is None:
            raise InputError("Look at what it costs first. Nothing was created.")
        made = await recruit.create(
            deployment,
            study.name,
            base=base_of(request),
            actor=actor_of(request, person),
            places=_places(given),
            cost=known_cost,
        )
    except FAILURES as error:
        return await _offer(request, person, given=given, error=str(error))
    address = f"{recruiting_url(request, study.name)}/{made.key}"
    return RedirectResponse(with_query(address, done="create"), status_code=303)


@for_role("viewer")
async def confirm(request: Request, person: Person) -> Response:
    """What a move will do, and the button that makes it."""
    asked, move = await asked_recruitment(request), _move(request)
    require(person, "owner" if move in (*OWNERS, "places", "try") else "reviewer", asked.study.name)
    mine = asked.recruitment
    if move == "places":
        words = (
            "People may take so many places in all. A published study takes no fewer than it has, and "
            "what the new places may cost is spoken for in the budget first."
        )
        shown = {"verb": "Change the places", "foreseen": words, "asks": "places"}
        shown["value"] = str(mine.places)
    elif move == "try":
        words = (
            "The draft is opened to test participants: they go the whole way, and nobody is recruited. "
            "A test participant is made for an e-mail address that has no account at the panel."
        )
        shown = {"verb": "Open for a test run", "foreseen": words, "asks": "email"}
    else:
        shown = {"verb": view.MOVE_WORDS[move], "foreseen": foreseen(move, mine)}  # type: ignore[index, arg-type]
    page = view.ConfirmPage(
        shell=await study_shell(
            request, person, asked.study, f"{shown['verb']}: {mine.title}", "Recruiting"
        ),
        address=asked.address,
        recruitment=mine,
        action=f"{asked.address}/acts/{move}",
        is_danger=move in ("stop", "delete"),
        **shown,
    )
    return show(request, page)


@for_role("viewer", changes=True)
async def act(request: Request, person: Person) -> Response:
    """Make a move; what does not work out is said above the recruitment."""
    asked, move = await asked_recruitment(request), _move(request)
    require(person, "owner" if move in (*OWNERS, "places", "try") else "reviewer", asked.study.name)
    deployment, actor, form = (
        deployment_of(request),
        actor_of(request, person),
        await request.form(),
    )
    mine = asked.recruitment
    try:
        if move == "places":
            wanted = _places(plain(str(form.get("places", ""))))
            await recruit.set_places(deployment, mine, wanted, actor=actor)
        elif move == "try":
            email = plain(str(form.get("email", "")))
            trial = await try_out(deployment, mine, actor=actor, email=email)
            return await _overview(request, person, chosen=mine, trial=trial)
        else:
            await make_move(deployment, mine, move, actor=actor)
    except FAILURES as error:
        return await _overview(request, person, chosen=mine, error=str(error))
    return RedirectResponse(with_query(asked.address, done=move), status_code=303)


@for_role("owner")
async def hooks(request: Request, person: Person) -> Response:
    return await _hooks(request, person)


@for_role("owner", changes=True)
async def make_hooks(request: Request, person: Person) -> Response:
    """Have the panel tell this server of what happens."""
    try:
        actor = actor_of(request, person)
        await set_up_hooks(deployment_of(request), base=base_of(request), actor=actor)
    except FAILURES as error:
        return await _hooks(request, person, error=str(error))
    return await _hooks(request, person, done="The panel tells this server of what happens.")


async def _hooks(request: Request, person: Person, *, done: str = "", error: str = "") -> Response:
    deployment, study, state = deployment_of(request), await find_study(request), None
    try:
        state = await read_hooks(deployment, base=base_of(request))
    except FAILURES as failure:
        error = error or str(failure)
    page = view.HooksPage(
        shell=await study_shell(request, person, study, "News of the panel", "Recruiting"),
        all_url=recruiting_url(request, study.name),
        state=state,
        done=done,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _move(request: Request) -> str:
    move = plain(request.path_params["act"], most=40)
    if move not in (*MOVES, "places", "try"):
        raise MissingError(f"Nothing is called '{move}' that one could do here.")
    return move


def _places(given: str) -> int:
    number = whole_number(given)
    if number is None:
        raise InputError(f"How many places is a whole number; got '{given[:40]}'.")
    return number


routes: list[BaseRoute] = [
    Route(RECRUITING, overview, methods=["GET"]),
    Route(RECRUITING + "/offer", offer, methods=["GET"]),
    Route(RECRUITING + "/create", create, methods=["POST"]),
    Route(RECRUITING + "/hooks", hooks, methods=["GET"]),
    Route(RECRUITING + "/hooks", make_hooks, methods=["POST"]),
    Route(RECRUITMENT, show_one, methods=["GET"]),
    Route(RECRUITMENT + "/confirm/{act}", confirm, methods=["GET"]),
    Route(RECRUITMENT + "/acts/{act}", act, methods=["POST"]),
]
