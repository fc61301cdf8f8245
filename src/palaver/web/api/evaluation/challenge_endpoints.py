"""Endpoints that teams register for a challenge: tested, registered, asked again."""

from typing import Annotated

from fastapi import Body, Request, Response
from pydantic import Field

from palaver.core.evaluation.challenge_entries import EndpointCard, Entry
from palaver.core.evaluation.models import ProbedEndpoint
from palaver.evaluation.challenges.endpoint_cards import MOST_ABOUT, MOST_TITLE
from palaver.evaluation.challenges.endpoint_entries import (
    TeamEndpoint,
    ask_again,
    probe_for_track,
    submit_endpoint,
)
from palaver.evaluation.challenges.entry_place import current_team
from palaver.web.api.access import Owner
from palaver.web.api.errors import ANSWERS, CONFLICT, FORBIDDEN, MISSING, UNREADABLE, USED_UP
from palaver.web.api.evaluation.challenge_request import (
    AskingChallengeTeam,
    RunChallenge,
    TrackName,
)
from palaver.web.api.evaluation.challenge_teams import MOST_RUNS, EntryKey, Link
from palaver.web.api.evaluation.models import Options
from palaver.web.api.evaluation.request import in_thread, missing
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter, answer
from palaver.web.challenges.probe_places import probe_places
from palaver.web.desk.accounts import check_writable

router = RecordRouter(responses=ANSWERS, tags=["challenges"])

ASKED = {**FORBIDDEN, **MISSING, **UNREADABLE, **USED_UP}


class TriedEndpoint(Given):
    """How an endpoint is asked: a kind and its options, of which `url` is the first."""

    kind: Annotated[str, Field(min_length=1, max_length=40)]
    options: Options


class RegisteredEndpoint(TriedEndpoint):
    """An endpoint for a run, and what the board tells of it."""

    run: Annotated[int, Field(ge=1, le=MOST_RUNS)] | None = None
    title: Annotated[str, Field(json_schema_extra={"maxLength": MOST_TITLE})] = ""
    parameters: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    link: Link = ""
    about: Annotated[str, Field(json_schema_extra={"maxLength": MOST_ABOUT})] = ""


@router.post("/challenges/{challenge}/tracks/{track}/probe", responses=ASKED)
async def probe(
    request: Request,
    asking: AskingChallengeTeam,
    track: TrackName,
    wanted: Annotated[TriedEndpoint, Body()],
) -> ProbedEndpoint:
    """Ask an endpoint two made-up questions, for a minute at most; nothing is stored or counted."""
    await asking.read(lambda c: current_team(c, asking.row, asking.team))
    endpoint = TeamEndpoint(kind=wanted.kind, options=wanted.options)
    with missing(), probe_places(request).place(asking.team.id, now=asking.now):
        return await probe_for_track(asking.home, asking.row, track, endpoint, now=asking.now)


@router.post(
    "/challenges/{challenge}/tracks/{track}/endpoint",
    responses={**ASKED, **CONFLICT, 201: answer(Entry, "A new entry.")},
)
async def register(
    request: Request,
    response: Response,
    asking: AskingChallengeTeam,
    track: TrackName,
    wanted: Annotated[RegisteredEndpoint, Body()],
) -> Entry:
    """Register an endpoint for a run of a track, if it answers two made-up questions now.

    It is asked the data of the phase when the phase says so. 201 for a new entry, 200 if the very same
    endpoint is there already.
    """
    check_writable(asking.deployment)
    now = asking.now
    card = EndpointCard(
        title=wanted.title, parameters=wanted.parameters, link=wanted.link, about=wanted.about
    )
    with missing(), probe_places(request).place(asking.team.id, now=now):
        entry = await submit_endpoint(
            asking.home,
            asking.row,
            asking.team,
            TeamEndpoint(kind=wanted.kind, options=wanted.options, card=card),
            track=track,
            run=wanted.run,
            now=now,
            by=asking.actor,
        )
    response.status_code = 201 if entry.created == now else 200
    return entry


@router.post(
    "/challenges/{challenge}/entries/{entry}/retry", responses={**FORBIDDEN, **MISSING, **CONFLICT}
)
async def retry(asking: RunChallenge, person: Owner, entry: EntryKey) -> Entry:
    """Let an endpoint that failed be asked again, for what has no answer yet."""
    check_writable(asking.deployment)
    with missing():
        return await in_thread(
            lambda: ask_again(asking.home, asking.row, entry, now=asking.now, by=asking.actor)
        )
