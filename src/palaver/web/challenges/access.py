"""Whose page it is: the challenge that an address names, and as what somebody looks at it.

Somebody is a stranger, a member of a team (by the token that the browser keeps), or an organiser
(signed in at the desk). Strangers are told the same of a challenge that is not public and of one that
does not exist. Also what stands around every page of a challenge.
"""

from dataclasses import dataclass, replace

from sqlalchemy import Connection
from starlette.requests import Request

from palaver.core.errors import AccessError
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.core.evaluation.challenges import Challenge, StoredChallenge
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import find_challenge, find_public_challenge
from palaver.evaluation.challenges.teams import holder_of
from palaver.evaluation.home import EvaluationHome
from palaver.web.desk.accounts import (
    Person,
    check_writable,
    deployment_of,
    root_of,
    signed_in,
)
from palaver.web.desk.parts import plain
from palaver.web.security import check_csrf
from palaver.web.shell import ChoiceLink
from palaver.web.tasks.access import TaskShell, answering, reader, shell_of
from palaver.web.teams import kept_token

for_readers = answering("challenges")


@dataclass(frozen=True, slots=True)
class ChallengeVisit:
    """A request for a page of a challenge, and when it came.

    `person` is an organiser, `team` the team whose token the browser keeps; None for strangers.
    """

    request: Request
    row: StoredChallenge
    challenge: Challenge
    person: Person | None
    # Whoever is signed in, whatever they may see.
    visitor: Person | None
    team: ChallengeTeam | None
    now: float

    @property
    def home(self) -> EvaluationHome:
        return deployment_of(self.request).evaluation

    @property
    def url(self) -> str:
        """The address of the challenge."""
        return f"{root_of(self.request)}/challenges/{self.row.name}"

    @property
    def desk_url(self) -> str:
        """The address of the challenge at the desk."""
        return f"{root_of(self.request)}/desk/challenges/{self.row.name}"


async def visit(request: Request) -> ChallengeVisit:
    """The challenge of the address; UnknownNameError if it is not open to whoever asks."""
    name, person = plain(request.path_params["challenge"]), await reader(request)
    deployment = deployment_of(request)
    token = kept_token(request, name)

    def read(connection: Connection) -> tuple[StoredChallenge, ChallengeTeam | None]:
        held = holder_of(connection, token) if token else None
        if held is not None and held[0].name == name:
            return held
        find = find_challenge if person is not None else find_public_challenge
        return find(connection, name), None

    row, team = await deployment.store.read(read)
    visitor = await signed_in(request)
    now = deployment.clock.now()
    return ChallengeVisit(request, row, stored_definition(row), person, visitor, team, now)


async def changing(request: Request) -> ChallengeVisit:
    """The challenge, for a form of one of our pages."""
    found = await visit(request)
    check_writable(deployment_of(request))
    await check_csrf(request)
    return found


def need_team(found: ChallengeVisit) -> ChallengeTeam:
    """The team of this browser; AccessError if it has none."""
    if found.team is None:
        raise AccessError("Enter your team's token first, on the page 'Submit'.")
    return found.team


def is_approved(found: ChallengeVisit) -> bool:
    """Whether the browser acts for a team that the organisers approved."""
    return found.team is not None and found.team.state == "approved"


def has_results(found: ChallengeVisit) -> bool:
    """Whether whoever asks may see the results: organisers once it is closed, others when published."""
    row = found.row
    return row.frozen is not None and (row.published is not None or found.person is not None)


def challenge_shell(found: ChallengeVisit, title: str, current: str = "") -> TaskShell:
    """The frame of a page of a challenge; `current` is the word of its tab."""
    root = root_of(found.request)
    own = shell_of(found.request, found.visitor, f"{title} · {found.row.title}")
    return replace(
        own,
        heading=found.row.title,
        is_public=found.row.public,
        tabs=tuple(
            ChoiceLink(label=label, url=found.url + path, current=label == current)
            for label, path in _tabs(found).items()
        ),
        desk_url=found.desk_url if found.person else f"{root}/desk" if found.visitor else None,
    )


def _tabs(found: ChallengeVisit) -> dict[str, str]:
    """The pages that this challenge has, by the words of their tabs."""
    written = {name for name, text in found.challenge.pages.items() if text.strip()}
    tabs = {
        "About": "",
        "Results": "/results/" if has_results(found) else None,
        "Board": "/board",
        "Data": "/data",
        "Rules": "/rules" if "rules" in written else None,
        "Schedule": "/schedule",
        "Organisers": "/organisers" if "organisers" in written else None,
        "Citation": "/citation" if "citation" in written else None,
        "Your team" if found.team else "Register": "/register",
        "Submit": "/submit",
    }
    return {label: path for label, path in tabs.items() if path is not None}
