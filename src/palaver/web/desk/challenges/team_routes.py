"""The teams of a challenge at the desk: approved, refused, added; and what is announced to them."""

from collections import Counter
from collections.abc import Callable, Mapping

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import Announcement, ChallengeTeam
from palaver.core.evaluation.submissions import TeamToken
from palaver.evaluation.challenges import teams
from palaver.evaluation.challenges.announcements import announce, list_announcements
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.challenges import view
from palaver.web.desk.challenges.routes import CHALLENGE, all_entries
from palaver.web.desk.challenges.view import AskedChallenge, asked_challenge
from palaver.web.desk.parts import Secret, plain
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.schedules import standing_of

# The fields of the two forms.
TEAM = ("team", "contact", "affiliation", "baseline")
NEWS = ("subject", "text", "public")
LONGEST_TEXT = 20_000
NOTE = (
    "Pass it on now: it is not shown again. It is one token for all tracks; the team enters it on the "
    "page Submit, or keeps it in PALAVER_TOKEN."
)
DONE = {
    "approved": "The team is approved and can hand in.",
    "refused": "The team is refused. What it handed in no longer counts.",
    "announced": "Announced. Letters go out to the approved teams.",
}


@for_role("viewer")
async def show_teams(request: Request, person: Person) -> Response:
    return await _show_teams(request, person, await asked_challenge(request))


@for_role("owner", changes=True)
async def approve_team(request: Request, person: Person) -> Response:
    """Let a team hand in."""
    return await _decide(request, person, teams.approve_team, "approved")


@for_role("owner", changes=True)
async def refuse_team(request: Request, person: Person) -> Response:
    """Let a team hand in nothing more."""
    return await _decide(request, person, teams.refuse_team, "refused")


@for_role("owner", changes=True)
async def add_team(request: Request, person: Person) -> Response:
    """Add a team that is approved at once; its token is shown once."""
    asked, form = await asked_challenge(request), await request.form()
    typed = {name: plain(str(form.get(name, ""))) for name in TEAM}
    actor = actor_of(request, person)
    try:
        made = await deployment_of(request).store.write(
            lambda c: teams.add_team(
                c,
                asked.row,
                team=typed["team"],
                contact=typed["contact"],
                affiliation=typed["affiliation"],
                is_baseline=typed["baseline"] == "yes",
                by=actor,
                now=asked.now,
            )
        )
    except InputError as error:
        return await _show_teams(request, person, asked, typed=typed, error=str(error))
    return await _show_teams(request, person, asked, secret=_secret(made))


@for_role("owner", changes=True)
async def renew_token(request: Request, person: Person) -> Response:
    """Give a team a new token in place of the old one."""
    asked, form = await asked_challenge(request), await request.form()
    team, actor = plain(str(form.get("team", ""))), actor_of(request, person)
    made = await deployment_of(request).store.write(
        lambda c: teams.renew_token(c, asked.row, team, by=actor, now=asked.now)
    )
    return await _show_teams(request, person, asked, secret=_secret(made))


@for_role("viewer")
async def show_news(request: Request, person: Person) -> Response:
    return await _show_news(request, person, await asked_challenge(request))


@for_role("owner", changes=True)
async def announce_news(request: Request, person: Person) -> Response:
    """Tell the approved teams something, and where it is wished everybody."""
    asked, form = await asked_challenge(request), await request.form()
    typed = {name: str(form.get(name, "")).replace("\0", "")[:LONGEST_TEXT] for name in NEWS}
    actor = actor_of(request, person)
    try:
        await deployment_of(request).store.write(
            lambda c: announce(
                c,
                asked.row,
                subject=typed["subject"],
                text=typed["text"],
                public=typed["public"] == "yes",
                by=actor,
                now=asked.now,
            )
        )
    except InputError as error:
        return await _show_news(request, person, asked, typed=typed, error=str(error))
    address = with_query(f"{asked.address}/announcements", done="announced")
    return RedirectResponse(address, status_code=303)


async def _decide(
    request: Request, person: Person, decide: Callable[..., ChallengeTeam], done: str
) -> Response:
    asked, form = await asked_challenge(request), await request.form()
    team, actor = plain(str(form.get("team", ""))), actor_of(request, person)
    await deployment_of(request).store.write(
        lambda c: decide(c, asked.row, team, by=actor, now=asked.now)
    )
    return RedirectResponse(with_query(f"{asked.address}/teams", done=done), status_code=303)


def _secret(made: TeamToken) -> Secret:
    return Secret(title=f"The token of {made.team}", value=made.token, note=NOTE)


async def _show_teams(
    request: Request,
    person: Person,
    asked: AskedChallenge,
    *,
    typed: Mapping[str, str] | None = None,
    secret: Secret | None = None,
    error: str = "",
) -> Response:
    def read(connection: Connection) -> tuple[list[ChallengeTeam], Counter[str]]:
        handed_in = Counter(
            each.team for each in all_entries(connection, asked) if each.withdrawn is None
        )
        return teams.list_teams(connection, asked.row), handed_in

    known, handed_in = await deployment_of(request).store.read(read)
    # Whoever waits for a decision stands first.
    known.sort(key=lambda team: (team.state != "waiting", team.state == "left"))
    page = view.ChallengeTeams(
        shell=view.challenge_shell(request, person, asked, "Teams", {"Teams": len(known)}),
        asked=asked,
        standing=standing_of(asked.row, asked.challenge, asked.now),
        teams=tuple(known),
        entries=handed_in,
        may_change=person.may("owner"),
        form=typed or dict.fromkeys(TEAM, ""),
        secret=secret,
        done="" if error else DONE.get(plain(request.query_params.get("done", "")), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


async def _show_news(
    request: Request,
    person: Person,
    asked: AskedChallenge,
    *,
    typed: Mapping[str, str] | None = None,
    error: str = "",
) -> Response:
    def read(connection: Connection) -> tuple[list[Announcement], int]:
        known = teams.list_teams(connection, asked.row)
        approved = sum(team.state == "approved" and bool(team.contact) for team in known)
        return list(list_announcements(connection, asked.row)), approved

    news, approved = await deployment_of(request).store.read(read)
    page = view.ChallengeNews(
        shell=view.challenge_shell(request, person, asked, "Announcements"),
        asked=asked,
        standing=standing_of(asked.row, asked.challenge, asked.now),
        news=tuple(news),
        approved=approved,
        may_change=person.may("owner"),
        form=typed or dict.fromkeys(NEWS, ""),
        done="" if error else DONE.get(plain(request.query_params.get("done", "")), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


routes: list[BaseRoute] = [
    Route(CHALLENGE + "/teams", show_teams, methods=["GET"]),
    Route(CHALLENGE + "/teams", add_team, methods=["POST"]),
    Route(CHALLENGE + "/teams/approve", approve_team, methods=["POST"]),
    Route(CHALLENGE + "/teams/refuse", refuse_team, methods=["POST"]),
    Route(CHALLENGE + "/teams/renew", renew_token, methods=["POST"]),
    Route(CHALLENGE + "/announcements", show_news, methods=["GET"]),
    Route(CHALLENGE + "/announcements", announce_news, methods=["POST"]),
]
