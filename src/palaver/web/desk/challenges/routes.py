"""Challenges at the desk: where each stands, and what was handed in."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import get_args

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenges import StoredChallenge, TeamState
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.endpoint_entries import ask_again
from palaver.evaluation.challenges.entry_list import with_scores
from palaver.evaluation.challenges.entry_scores import current_entries
from palaver.evaluation.challenges.entry_values import measure_titles
from palaver.evaluation.challenges.stored import list_challenges, set_challenge
from palaver.evaluation.challenges.teams import list_teams
from palaver.storage.evaluation.challenges import list_entries
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.challenges import view
from palaver.web.desk.challenges.view import CHALLENGES, AskedChallenge, asked_challenge
from palaver.web.desk.frame import shell
from palaver.web.desk.parts import Pager, plain
from palaver.web.desk.tasks.request import asked_number
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.schedules import standing_of, timetable
from palaver.web.shell import ChoiceLink

PAGE = 200
DONE = {
    "again": "The endpoint is asked again.",
    "public": "Everybody can see the challenge now.",
    "private": "Only teams with a token and researchers see the challenge now.",
    "closed": "The challenge is closed, and its results are published.",
    "frozen": "The challenge is closed. Only organisers see its results until you publish them.",
}


@for_role("viewer")
async def show_challenges(request: Request, person: Person) -> Response:
    deployment = deployment_of(request)
    now = deployment.clock.now()

    def read(connection: Connection) -> tuple[view.ChallengeRow, ...]:
        return tuple(_row(connection, row, now) for row in list_challenges(connection))

    page = view.DeskChallenges(
        shell=shell(request, person, "Challenges", "challenges"),
        address=root_of(request) + CHALLENGES,
        challenges=await deployment.store.read(read),
    )
    return show(request, page)


@for_role("viewer")
async def show_challenge(request: Request, person: Person) -> Response:
    """Where a challenge stands, and what needs its organisers."""
    asked = await asked_challenge(request)

    def read(connection: Connection) -> tuple[Counter[TeamState], list[Entry]]:
        states = Counter(team.state for team in list_teams(connection, asked.row))
        return states, all_entries(connection, asked)

    states, entries = await deployment_of(request).store.read(read)
    counts = view.track_counts(asked.challenge, entries)
    page = view.ChallengeOverview(
        shell=view.challenge_shell(request, person, asked, "Overview"),
        asked=asked,
        standing=standing_of(asked.row, asked.challenge, asked.now),
        timetable=timetable(asked.challenge, asked.now),
        teams={state: states[state] for state in get_args(TeamState)},
        counts=counts,
        failed=sum(each.failed for each in counts),
        may_change=person.may("owner"),
        may_export=person.may("reviewer"),
        done=DONE.get(plain(request.query_params.get("done", "")), ""),
    )
    return show(request, page)


@for_role("viewer")
async def show_entries(request: Request, person: Person) -> Response:
    """What all teams handed in, newest first."""
    return await _show_entries(request, person)


async def _show_entries(request: Request, person: Person, *, error: str = "") -> Response:
    asked = await asked_challenge(request)
    tracks = {track.name: track.title for track in asked.challenge.tracks}
    track = plain(request.query_params.get("track", ""))
    start = asked_number(request.query_params.get("start"), most=10**6)
    address, home = f"{asked.address}/entries", deployment_of(request).evaluation

    def read(connection: Connection) -> tuple[int, list[Entry], Mapping[str, str]]:
        kept = [
            e for e in all_entries(connection, asked) if e.track == track or track not in tracks
        ]
        # Only what the page shows is measured.
        shown = with_scores(
            connection,
            asked.challenge,
            asked.row,
            kept[::-1][start : start + PAGE],
            now=asked.now,
            audience="organisers",
            home=home,
        )
        return len(kept), shown, measure_titles(connection, asked.challenge)

    total, entries, measures = await deployment_of(request).store.read(read)

    def at(place: int) -> str:
        return with_query(address, track=track, start=place or None)

    page = view.ChallengeEntries(
        shell=view.challenge_shell(request, person, asked, "Entries"),
        asked=asked,
        standing=standing_of(asked.row, asked.challenge, asked.now),
        entries=tuple(entries),
        total=total,
        choices=tuple(
            ChoiceLink(label=label, url=with_query(address, track=name), current=name == track)
            for name, label in {"": "All tracks", **tracks}.items()
        ),
        titles=tracks,
        phases={phase.name: phase.title for phase in asked.challenge.phases},
        measures=measures,
        pager=Pager(
            previous_url=at(max(0, start - PAGE)) if start else "",
            next_url=at(start + PAGE) if start + PAGE < total else "",
        ),
        may_change=person.may("owner") and asked.row.frozen is None,
        done=DONE.get(plain(request.query_params.get("done", "")), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


@for_role("owner", changes=True)
async def ask_endpoint_again(request: Request, person: Person) -> Response:
    """Let an endpoint that failed be asked again."""
    asked, key = await asked_challenge(request), plain(request.path_params["key"])
    home, actor = deployment_of(request).evaluation, actor_of(request, person)
    try:
        await asyncio.to_thread(ask_again, home, asked.row, key, now=asked.now, by=actor)
    except UnknownNameError:
        raise
    except InputError as error:
        return await _show_entries(request, person, error=str(error))
    address = with_query(f"{asked.address}/entries", done="again")
    return RedirectResponse(address, status_code=303)


@for_role("owner", changes=True)
async def change_public(request: Request, person: Person) -> Response:
    """Let everybody see the challenge, or its teams and researchers alone."""
    asked = await asked_challenge(request)
    public = (await request.form()).get("public") == "yes"
    actor = actor_of(request, person)
    await deployment_of(request).store.write(
        lambda c: set_challenge(c, asked.row, public=public, by=actor, now=asked.now)
    )
    done = "public" if public else "private"
    return RedirectResponse(with_query(asked.address, done=done), status_code=303)


def all_entries(connection: Connection, asked: AskedChallenge) -> list[Entry]:
    """What all teams handed in, oldest first, without scores."""
    return current_entries(connection, asked.row, list_entries(connection, asked.row.id))


def _row(connection: Connection, row: StoredChallenge, now: float) -> view.ChallengeRow:
    challenge = stored_definition(row)
    states = Counter(team.state for team in list_teams(connection, row))
    entries = list_entries(connection, row.id)
    return view.ChallengeRow(
        row=row,
        standing=standing_of(row, challenge, now),
        teams=states["approved"],
        waiting=states["waiting"],
        entries=sum(each.withdrawn is None for each in entries),
    )


CHALLENGE = CHALLENGES + "/{challenge}"

routes: list[BaseRoute] = [
    Route(CHALLENGES, show_challenges, methods=["GET"]),
    Route(CHALLENGE, show_challenge, methods=["GET"]),
    Route(CHALLENGE + "/entries", show_entries, methods=["GET"]),
    Route(CHALLENGE + "/entries/{key}/retry", ask_endpoint_again, methods=["POST"]),
    Route(CHALLENGE + "/public", change_public, methods=["POST"]),
]
