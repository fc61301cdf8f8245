"""What is decided about a team is the same through every door, and is refused in the same words."""

import re
from collections.abc import Callable

import pytest

from palaver.core.audit import SERVER
from palaver.core.evaluation.submissions import ListedTeam
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.submissions import (
    add_team,
    holder_of,
    list_teams,
    revoke_team,
    team_sheet,
)
from palaver.evaluation.submissions.teams import MOST_AFFILIATION, MOST_NAME
from palaver.evaluation.tasks import set_policy
from palaver.storage.evaluation.tasks import find_task
from support.doors import Doors, Refused
from support.runs import NOW

SETTINGS = "/desk/tasks/nli/settings"

# Each returns the token that was shown.
Add = Callable[[Doors, dict[str, str]], str]
Act = Callable[[Doors, str], str]
Accept = Callable[[Doors, str], None]


def add_by_command(doors: Doors, given: dict[str, str]) -> str:
    words = [
        word for name in ("affiliation", "link") for word in (f"--{name}", given.get(name, ""))
    ]
    return str(doors.document("team", "add", "nli", given["team"], *words)["token"])


def add_by_api(doors: Doors, given: dict[str, str]) -> str:
    return str(doors.ask("POST", "/tasks/nli/teams", given)["token"])


def add_by_desk(doors: Doors, given: dict[str, str]) -> str:
    return shown_token(doors, "", **given)


def by_command(doors: Doors, act: str) -> str:
    if act == "revoke":
        return doors.command("team", "revoke", "nli", "Team A")
    return str(doors.document("team", act, "nli", "Team A")["token"])


def by_api(doors: Doors, act: str) -> str:
    answer = doors.ask("POST", f"/tasks/nli/teams/{team(doors).id}/{act}")
    return str(answer.get("token", ""))


def by_desk(doors: Doors, act: str) -> str:
    return shown_token(doors, f"/{act}", id=str(team(doors).id))


def accept_by_api(doors: Doors, digest: str) -> None:
    doors.ask_as_team("POST", "/submissions/terms", json={"digest": digest})


def accept_by_page(doors: Doors, digest: str) -> None:
    doors.send_as_team("/terms", terms=digest, accept="yes")


every_adding = pytest.mark.parametrize("add", [add_by_command, add_by_api, add_by_desk])
every_door = pytest.mark.parametrize("act", [by_command, by_api, by_desk])
every_accepting = pytest.mark.parametrize("accept", [accept_by_api, accept_by_page])


@every_adding
def test_a_team_is_added_with_a_token_of_its_own(doors: Doors, add: Add) -> None:
    given = {"team": " Team   A ", "affiliation": " Uni ", "link": "https://t.org"}
    token = add(doors, given)
    found = team(doors)
    assert (found.team, found.affiliation, found.link) == ("Team A", "Uni", "https://t.org")
    assert (found.used, found.revoked, found.wording) == (0, None, "none")
    assert holder(doors, token) == "Team A"


@every_adding
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"team": "  "}, "A team needs a name."),
        (
            {"team": "x" * (MOST_NAME + 1)},
            f"The name of a team has 1 to {MOST_NAME} characters; got '{'x' * MOST_NAME}'.",
        ),
        (
            {"team": "Bell\x07"},
            "The name of a team has 1 to 100 characters; got 'Bell\x07'.",
        ),
        (
            {"affiliation": "x" * (MOST_AFFILIATION + 1)},
            f"An affiliation has at most {MOST_AFFILIATION} characters; got {MOST_AFFILIATION + 1}.",
        ),
        (
            {"link": "javascript:alert(1)"},
            "A link begins with https:// or http://; got 'javascript:alert(1)'.",
        ),
    ],
)
def test_a_team_that_cannot_be_is_refused_in_the_same_words(
    doors: Doors, add: Add, wrong: dict[str, str], said: str
) -> None:
    with pytest.raises(Refused) as refused:
        add(doors, {"team": "Team A", **wrong})
    assert str(refused.value) == said
    assert teams(doors) == []


@every_adding
def test_a_team_is_added_once(doors: Doors, add: Add) -> None:
    add(doors, {"team": "Team A"})
    with pytest.raises(Refused) as refused:
        add(doors, {"team": "Team A"})
    assert str(refused.value) == (
        "The team 'Team A' already has a token for this task. Renew it to make a new one."
    )
    assert len(teams(doors)) == 1


@every_door
def test_a_team_that_is_revoked_keeps_its_first_date_until_it_is_renewed(
    doors: Doors, act: Act
) -> None:
    first = doors.desk.store.write_now(
        lambda c: add_team(c, doors.bench.row, team="Team A", now=NOW)
    )
    act(doors, "revoke")
    assert team(doors).revoked is not None
    assert holder(doors, first.token) is None
    second = act(doors, "renew")
    assert (holder(doors, first.token), holder(doors, second)) == (None, "Team A")
    doors.desk.store.write_now(lambda c: revoke_team(c, doors.bench.row, "Team A", now=NOW - 5.0))
    act(doors, "revoke")
    assert team(doors).revoked == NOW - 5.0


def test_a_number_names_the_team_with_that_number_and_not_the_one_called_so(doors: Doors) -> None:
    for name in ("2", "Team B"):
        add_by_api(doors, {"team": name})
    assert doors.ask("POST", "/tasks/nli/teams/2/revoke")["team"] == "Team B"
    assert [each.revoked is None for each in teams(doors)] == [True, False]
    doors.command("team", "revoke", "nli", "2")
    assert [each.revoked is None for each in teams(doors)] == [False, False]


@every_accepting
def test_a_team_accepts_the_terms_that_it_read(doors: Doors, accept: Accept) -> None:
    doors.token = add_by_api(doors, {"team": "Team A"})
    set_terms(doors, "Be fair.")
    assert team(doors).wording == "open"
    with pytest.raises(Refused) as refused:
        accept(doors, "0" * 16)
    assert str(refused.value) == (
        f"The terms of 'nli' have changed: their digest is now {terms_digest('Be fair.')}. "
        "Read them again, then accept that digest."
    )
    accept(doors, terms_digest("Be fair."))
    assert team(doors).wording == "current"
    set_terms(doors, "Be very fair.")
    assert team(doors).wording == "earlier"
    row = doors.bench.row
    sheet = doors.desk.store.read_now(lambda c: team_sheet(c, team(doors), row, now=NOW))
    assert (sheet.accepted, sheet.terms) == (False, "Be very fair.")


def set_terms(doors: Doors, terms: str) -> None:
    doors.desk.store.write_now(
        lambda c: set_policy(c, doors.bench.row, terms=terms, actor=SERVER, now=1.0)
    )
    doors.bench.row = doors.desk.store.read_now(lambda c: find_task(c, "nli"))


def teams(doors: Doors) -> list[ListedTeam]:
    return doors.desk.store.read_now(lambda c: list_teams(c, doors.bench.row, now=NOW))


def team(doors: Doors) -> ListedTeam:
    return teams(doors)[0]


def holder(doors: Doors, token: str) -> str | None:
    found = doors.desk.store.read_now(lambda c: holder_of(c, token))
    return None if found is None else found.team


def shown_token(doors: Doors, act: str, **fields: str) -> str:
    """Send a form of the settings; the token that is shown then."""
    page = doors.send(f"{SETTINGS}/teams{act}", on=SETTINGS, **fields)
    found = re.search(r'class="secret">(ps_[^<]+)<', page)
    return "" if found is None else found.group(1)
