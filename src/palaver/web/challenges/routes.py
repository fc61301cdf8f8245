"""The pages of challenges: every route below /challenges."""

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import MissingError
from palaver.core.evaluation.challenge_entries import Announcement
from palaver.core.evaluation.challenges import Challenge, StoredChallenge
from palaver.evaluation.challenges.announcements import list_announcements
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import list_challenges
from palaver.evaluation.challenges.teams import holder_of
from palaver.web.challenges import data
from palaver.web.challenges.access import (
    ChallengeVisit,
    challenge_shell,
    for_readers,
    has_results,
    is_approved,
    visit,
)
from palaver.web.challenges.board import routes as board
from palaver.web.challenges.results import routes as results
from palaver.web.challenges.teams import endpoint_routes as endpoints
from palaver.web.challenges.teams import routes as teams
from palaver.web.desk.accounts import check_writable, deployment_of, root_of, signed_in
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.schedules import Standing, Timetable, standing_of, timetable
from palaver.web.security import check_csrf
from palaver.web.tasks.access import TaskShell, is_open_to, reader, shell_of
from palaver.web.teams import remember

UNKNOWN = (
    "This is not a valid token, or it was replaced or revoked. Ask the organisers of your challenge "
    "for a new one."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChallenge:
    """A challenge in the list: where it stands, and the titles of its tracks."""

    row: StoredChallenge
    summary: str
    standing: Standing
    tracks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeListPage:
    """The challenges that whoever asks may see; `error` is what was wrong with a token."""

    template: ClassVar[str] = "challenges/list.html"
    shell: TaskShell
    challenges: tuple[ListedChallenge, ...]
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutPage:
    """What a challenge is about, with its tracks and what was announced to everybody."""

    template: ClassVar[str] = "challenges/about.html"
    shell: TaskShell
    url: str
    row: StoredChallenge
    challenge: Challenge
    standing: Standing
    text: str
    news: tuple[Announcement, ...]
    has_team: bool
    has_results: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPage:
    """A page that the organisers wrote, in Markdown."""

    template: ClassVar[str] = "challenges/text.html"
    shell: TaskShell
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePage:
    """The phases with their times, limits and who sees scores from when."""

    template: ClassVar[str] = "challenges/schedule.html"
    shell: TaskShell
    challenge: Challenge
    standing: Standing
    timetable: Timetable
    text: str


@for_readers
async def show_challenges(request: Request) -> Response:
    """The challenges that whoever asks may see."""
    return await _show_list(request)


@for_readers
async def enter_token(request: Request) -> Response:
    """Keep a team's token in this browser, and lead to the challenge that it is for."""
    deployment = deployment_of(request)
    check_writable(deployment)
    await check_csrf(request)
    token = plain(str((await request.form()).get("token", "")))
    held = await deployment.store.read(lambda c: holder_of(c, token))
    if held is None:
        return await _show_list(request, error=UNKNOWN)
    name = held[0].name
    response = RedirectResponse(f"{root_of(request)}/challenges/{name}/submit", status_code=303)
    remember(request, response, token, name)
    return response


@for_readers
async def show_about(request: Request) -> Response:
    found = await visit(request)

    is_among = found.person is not None or is_approved(found)

    def read(connection: Connection) -> tuple[Announcement, ...]:
        return tuple(list_announcements(connection, found.row, public_only=not is_among))

    page = AboutPage(
        shell=challenge_shell(found, "About", "About"),
        url=found.url,
        row=found.row,
        challenge=found.challenge,
        standing=standing_of(found.row, found.challenge, found.now),
        text=_text(found, "about"),
        news=await deployment_of(request).store.read(read),
        has_team=found.team is not None,
        has_results=has_results(found),
    )
    return show(request, page)


@for_readers
async def show_rules(request: Request) -> Response:
    return await _show_text(request, "rules")


@for_readers
async def show_organisers(request: Request) -> Response:
    return await _show_text(request, "organisers")


@for_readers
async def show_citation(request: Request) -> Response:
    return await _show_text(request, "citation")


@for_readers
async def show_schedule(request: Request) -> Response:
    found = await visit(request)
    page = SchedulePage(
        shell=challenge_shell(found, "Schedule", "Schedule"),
        challenge=found.challenge,
        standing=standing_of(found.row, found.challenge, found.now),
        timetable=timetable(found.challenge, found.now),
        text=_text(found, "schedule"),
    )
    return show(request, page)


async def _show_list(request: Request, *, error: str = "") -> Response:
    deployment, person = deployment_of(request), await reader(request)
    now = deployment.clock.now()
    every = await deployment.store.read(list_challenges)
    page = ChallengeListPage(
        shell=shell_of(request, await signed_in(request), "Challenges"),
        challenges=tuple(listed_challenge(row, now) for row in every if is_open_to(row, person)),
        error=error,
    )
    return show(request, page, status=403 if error else 200)


def listed_challenge(row: StoredChallenge, now: float) -> ListedChallenge:
    """A challenge as lists show it."""
    challenge = stored_definition(row)
    return ListedChallenge(
        row=row,
        summary=challenge.summary,
        standing=standing_of(row, challenge, now),
        tracks=tuple(track.title for track in challenge.tracks),
    )


async def _show_text(request: Request, name: str) -> Response:
    found = await visit(request)
    text, heading = _text(found, name), name.capitalize()
    if not text:
        raise MissingError(f"The organisers have not written the page '{name}'.")
    shell = challenge_shell(found, heading, heading)
    return show(request, TextPage(shell=shell, heading=heading, text=text))


def _text(found: ChallengeVisit, name: str) -> str:
    return found.challenge.pages.get(name, "").strip()


ADDRESS = "/challenges/{challenge}"

routes: list[BaseRoute] = [
    Route("/challenges", show_challenges, methods=["GET"]),
    Route("/challenges/team", enter_token, methods=["POST"]),
    Route(ADDRESS, show_about, methods=["GET"]),
    Route(ADDRESS + "/rules", show_rules, methods=["GET"]),
    Route(ADDRESS + "/schedule", show_schedule, methods=["GET"]),
    Route(ADDRESS + "/organisers", show_organisers, methods=["GET"]),
    Route(ADDRESS + "/citation", show_citation, methods=["GET"]),
    *data.routes,
    *board.routes,
    *teams.routes,
    *endpoints.routes,
    *results.routes,
]
