"""The data of a challenge: files for teams that accepted the terms, and what the open phase asks."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from palaver.core.evaluation.challenges import Challenge, Phase, Track
from palaver.evaluation.challenges.material import questions_of, shared_file
from palaver.evaluation.challenges.teams import check_approved, check_terms, has_accepted
from palaver.web.challenges.access import (
    ChallengeVisit,
    challenge_shell,
    for_readers,
    need_team,
    visit,
)
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.tasks.access import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class DataDoor:
    """Whether a team may load data, and what it has to do first where it may not."""

    is_open: bool
    because: str = ""
    next_page: str = ""
    next_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeDataPage:
    """What there is to load; `asked` are the tracks to which the open phases ask something."""

    template: ClassVar[str] = "challenges/data.html"
    shell: TaskShell
    url: str
    challenge: Challenge
    text: str
    door: DataDoor
    now: float
    asked: tuple[tuple[Track, Phase], ...]


@for_readers
async def show_data(request: Request) -> Response:
    found = await visit(request)
    pairs = (
        (track, found.challenge.phase_for(track, found.now)) for track in found.challenge.tracks
    )
    page = ChallengeDataPage(
        shell=challenge_shell(found, "Data", "Data"),
        url=found.url,
        challenge=found.challenge,
        text=found.challenge.pages.get("data", "").strip(),
        door=door_of(found),
        now=found.now,
        asked=tuple(
            (track, phase) for track, phase in pairs if phase is not None and track.takes_files
        ),
    )
    return show(request, page)


@for_readers
async def load_file(request: Request) -> Response:
    """A shared file, for a team that accepted the terms, from its date on."""
    found = await visit(request)
    team, name = need_team(found), plain(request.path_params["file"])
    path = await asyncio.to_thread(shared_file, found.home, found.row, team, name, now=found.now)
    return FileResponse(path, filename=path.name, content_disposition_type="attachment")


@for_readers
async def load_questions(request: Request) -> Response:
    """What the open phase asks on a track, without the right answers."""
    found = await visit(request)
    team, name = need_team(found), plain(request.path_params["track"])
    check_approved(team)
    check_terms(found.row, team)
    lines = await asyncio.to_thread(questions_of, found.home, found.row, name, now=found.now)
    disposition = f"attachment; filename*=UTF-8''{quote(f'{name}-questions.jsonl')}"
    return StreamingResponse(
        lines,
        media_type="application/x-ndjson",
        headers={"content-disposition": disposition},
    )


def door_of(found: ChallengeVisit) -> DataDoor:
    """Whether the browser's team may load data."""
    team = found.team
    if team is None:
        return DataDoor(
            is_open=False,
            because="Data are for registered teams that accepted the terms.",
            next_page="register",
            next_words="Register a team",
        )
    if team.state != "approved":
        return DataDoor(
            is_open=False,
            because=(
                "Your team waits for the approval of the organisers."
                if team.state == "waiting"
                else "The organisers have refused your team."
            ),
            next_page="register",
            next_words="Your team",
        )
    if has_accepted(found.row, team):
        return DataDoor(is_open=True)
    return DataDoor(
        is_open=False,
        because="Your team has not accepted the terms yet.",
        next_page="submit",
        next_words="Read the terms",
    )


routes: list[BaseRoute] = [
    Route("/challenges/{challenge}/data", show_data, methods=["GET"]),
    Route("/challenges/{challenge}/files/{file}", load_file, methods=["GET"]),
    Route("/challenges/{challenge}/questions/{track}", load_questions, methods=["GET"]),
]
