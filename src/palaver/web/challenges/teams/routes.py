"""A team's way through a challenge: register, accept the terms, check a file, hand it in, choose."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.audit import SERVER
from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, CheckedFile, Entry
from palaver.core.evaluation.submissions import TeamToken
from palaver.core.numbers import whole_number
from palaver.evaluation.challenges import entries, teams
from palaver.evaluation.models.uploads import PredictionsError
from palaver.web.challenges.access import (
    ChallengeVisit,
    changing,
    for_readers,
    need_team,
    visit,
)
from palaver.web.challenges.teams.view import (
    RUN,
    TEAM,
    hand_in_page,
    most_bytes,
    register_page,
    token_page,
)
from palaver.web.desk.accounts import check_writable, deployment_of
from palaver.web.desk.parts import plain
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.security import check_token
from palaver.web.teams import forget, remember
from palaver.web.uploads import SentFile, SentForm, TooLargeError, sent_form

UNKNOWN = (
    "This is not a valid token for this challenge, or it was replaced or revoked. Ask the organisers "
    "for a new one."
)
DONE = {
    "submitted": "Handed in. It is listed below.",
    "registered": "It answers, and is registered. It is listed below.",
    "withdrawn": "Withdrawn. Its file and its time stay on record; it counts for nothing.",
    "final": "Your choice is kept.",
    "terms": "Your team has accepted the terms.",
    "changed": "The changes are kept.",
}
LONGEST_MEMBERS = 5000


@for_readers
async def show_register(request: Request) -> Response:
    found = await visit(request)
    done = DONE.get(plain(request.query_params.get("done", "")), "")
    return show(request, register_page(found, done=done))


@for_readers
async def register(request: Request) -> Response:
    """Register a team; its token is shown once, and kept in this browser."""
    found = await changing(request)
    typed = await _typed(request)
    try:
        made = await deployment_of(request).store.write(
            lambda c: teams.register_team(c, found.row, **_team(typed), now=found.now)
        )
    except (InputError, AccessError) as error:
        return show(request, register_page(found, form=typed, error=str(error)), status=422)
    return _show_token(found, made, is_new=True)


@for_readers
async def change_team(request: Request) -> Response:
    """Change what the team says of itself."""
    found = await changing(request)
    team, typed = need_team(found), await _typed(request)
    given = {name: value for name, value in _team(typed).items() if name != "team"}
    try:
        await deployment_of(request).store.write(
            lambda c: teams.change_team(c, found.row, team.id, **given, now=found.now)
        )
    except (InputError, AccessError) as error:
        return show(request, register_page(found, form=typed, error=str(error)), status=422)
    return _again(found, "register", "changed")


@for_readers
async def renew_token(request: Request) -> Response:
    """Make a new token in place of the one this browser keeps; shown once."""
    found = await changing(request)
    team = need_team(found)
    made = await deployment_of(request).store.write(
        lambda c: teams.renew_token(c, found.row, team.id, by=SERVER, now=found.now)
    )
    return _show_token(found, made, is_new=False)


@for_readers
async def leave_challenge(request: Request) -> Response:
    """Take the team out of the challenge, if the box is ticked."""
    found = await changing(request)
    team = need_team(found)
    if (await request.form()).get("sure") != "yes":
        error = "Tick the box to say that the team leaves."
        return show(request, register_page(found, error=error), status=422)
    await deployment_of(request).store.write(
        lambda c: teams.leave_team(c, found.row, team.id, now=found.now)
    )
    response = RedirectResponse(found.url, status_code=303)
    forget(request, response, found.row.name)
    return response


@for_readers
async def give_token(request: Request) -> Response:
    """Keep a team's token in this browser."""
    found = await changing(request)
    secret = plain(str((await request.form()).get("token", "")))
    held = await deployment_of(request).store.read(lambda c: teams.holder_of(c, secret))
    if held is None or held[0].name != found.row.name:
        return show(request, await hand_in_page(found, error=UNKNOWN), status=403)
    response = RedirectResponse(f"{found.url}/submit", status_code=303)
    remember(request, response, secret, found.row.name)
    return response


@for_readers
async def forget_token(request: Request) -> Response:
    """Let this browser act for no team here."""
    found = await changing(request)
    response = RedirectResponse(f"{found.url}/submit", status_code=303)
    forget(request, response, found.row.name)
    return response


@for_readers
async def accept_terms(request: Request) -> Response:
    """Record that the team accepts the terms as it read them."""
    found = await changing(request)
    team, form = need_team(found), await request.form()
    digest = str(form.get("terms", ""))
    try:
        if form.get("accept") != "yes":
            raise InputError("Tick the box to accept the terms.")
        await deployment_of(request).store.write(
            lambda c: teams.accept_terms(c, found.row, team, digest=digest, now=found.now)
        )
    except InputError as error:
        return show(request, await hand_in_page(found, error=str(error)), status=422)
    return _again(found, "submit", "terms")


@for_readers
async def show_submit(request: Request) -> Response:
    found = await visit(request)
    done = DONE.get(plain(request.query_params.get("done", "")), "")
    return show(request, await hand_in_page(found, done=done))


@for_readers
async def submit(request: Request) -> Response:
    """Check a file, or hand it in as a run; the same page with every fault where it will not do."""
    found = await visit(request)
    check_writable(deployment_of(request))
    # Before anything is read: only teams may send files.
    team = need_team(found)
    typed = dict.fromkeys(RUN, "")
    try:
        async with sent_form(request, most=most_bytes(found)) as sent:
            check_token(request, sent.word("csrf"))
            typed = {name: plain(sent.word(name)) for name in RUN}
            # A run is in time if its last byte was.
            now = deployment_of(request).clock.now()
            checked = await asyncio.to_thread(_take, found, team, sent, now)
    except (InputError, AccessError) as error:
        status = 413 if isinstance(error, TooLargeError) else 422
        page = await hand_in_page(found, form=typed, error=str(error))
        return show(request, page, status=status)
    if checked is None:
        return _again(found, "submit", "submitted")
    page = await hand_in_page(found, form=typed, checked=checked)
    return show(request, page, status=200 if checked.valid else 422)


@for_readers
async def withdraw(request: Request) -> Response:
    """Take back a run."""
    return await _change(request, entries.withdraw_entry, "withdrawn")


@for_readers
async def choose(request: Request) -> Response:
    """Let a run count in the end, or no longer."""
    final = (await request.form()).get("final") == "yes"
    return await _change(request, partial(entries.choose_final, final=final), "final")


async def _change(request: Request, change: Callable[..., Entry], done: str) -> Response:
    """Change the run of the team that a form of theirs is about."""
    found = await changing(request)
    team, key = need_team(found), plain(request.path_params["key"])
    try:
        await asyncio.to_thread(change, found.home, found.row, team, key, now=found.now)
    except InputError as error:
        return show(request, await hand_in_page(found, error=str(error)), status=422)
    return _again(found, "submit", done)


def _take(
    found: ChallengeVisit, team: ChallengeTeam, sent: SentForm, now: float
) -> CheckedFile | None:
    """What a check found; None where the file was handed in."""
    teams.check_approved(team)
    teams.check_terms(found.row, team)
    file, track = _file(sent), plain(sent.word("track"))
    if sent.word("act") == "check":
        return entries.check_file(found.home, found.row, track, file.path, name=file.name, now=now)
    try:
        entries.submit_file(
            found.home,
            found.row,
            team,
            track=track,
            run=_run(plain(sent.word("run"))),
            content=file.path,
            name=file.name,
            now=now,
        )
    except PredictionsError as error:
        return CheckedFile(file=file.name, track=track, items=0, problems=error.problems)
    return None


def _run(typed: str) -> int | None:
    """The number of a run; None where nothing was typed, which is the next free one."""
    number = whole_number(typed, most=10**6) if typed else None
    if typed and number is None:
        raise InputError(f"The number of a run is a whole number; got '{typed[:20]}'.")
    return number


def _file(sent: SentForm) -> SentFile:
    """The file of the form; a field without one is sent as a file without a name."""
    for each in sent.files:
        if each.field == "file" and each.path.stat().st_size:
            return each
    raise InputError(
        "Choose the file with the answers of your system; none was sent, or an empty one."
    )


def _show_token(found: ChallengeVisit, made: TeamToken, *, is_new: bool) -> Response:
    response = show(found.request, token_page(found, made, is_new=is_new))
    remember(found.request, response, made.token, found.row.name)
    return response


async def _typed(request: Request) -> dict[str, str]:
    form = await request.form()
    return {
        name: plain(str(form.get(name, "")), most=LONGEST_MEMBERS if name == "members" else 500)
        for name in TEAM
    }


def _team(typed: dict[str, str]) -> dict[str, Any]:
    members = tuple(name for line in typed["members"].splitlines() if (name := line.strip()))
    return {**typed, "members": members}


def _again(found: ChallengeVisit, page: str, done: str) -> Response:
    return RedirectResponse(with_query(f"{found.url}/{page}", done=done), status_code=303)


ADDRESS = "/challenges/{challenge}"

routes: list[BaseRoute] = [
    Route(ADDRESS + "/register", show_register, methods=["GET"]),
    Route(ADDRESS + "/register", register, methods=["POST"]),
    Route(ADDRESS + "/team", give_token, methods=["POST"]),
    Route(ADDRESS + "/team/change", change_team, methods=["POST"]),
    Route(ADDRESS + "/team/renew", renew_token, methods=["POST"]),
    Route(ADDRESS + "/team/leave", leave_challenge, methods=["POST"]),
    Route(ADDRESS + "/team/forget", forget_token, methods=["POST"]),
    Route(ADDRESS + "/terms", accept_terms, methods=["POST"]),
    Route(ADDRESS + "/submit", show_submit, methods=["GET"]),
    Route(ADDRESS + "/submit", submit, methods=["POST"]),
    Route(ADDRESS + "/entries/{key}/withdraw", withdraw, methods=["POST"]),
    Route(ADDRESS + "/entries/{key}/final", choose, methods=["POST"]),
]
