"""Strangers, other teams and members at every address of a challenge: no score before its date, no
address of a team, no key of halves, and no change without a form of our own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from palaver.core.accounts import Role
from palaver.core.audit import COMMAND
from palaver.evaluation.challenges import teams
from palaver.evaluation.challenges.announcements import list_announcements
from palaver.evaluation.challenges.entries import list_entries
from palaver.evaluation.challenges.standings import live_rows
from palaver.evaluation.challenges.stored import find_challenge
from palaver.evaluation.challenges.teams import list_teams
from palaver.storage.evaluation.challenges import set_challenge
from palaver.storage.evaluation.tasks import find_task, set_task_policy
from palaver.storage.people.accounts import create_account
from palaver.web.challenges.routes import routes as public_routes
from palaver.web.desk.challenges.routes import CHALLENGES
from palaver.web.desk.routes import routes as desk_routes
from support.desks import PASSWORD, hashed
from support.held_challenges import (
    DAY,
    EVERYBODY_FROM,
    OWN_FROM,
    PRACTICE_ENDS,
    TEST_ENDS,
    HeldChallenge,
    answers,
    hold_challenge,
    write_challenge,
)

NAMES = {"challenge": "owl-cup", "track": "english", "file": "training"}
# With it both halves of the victims' score have many digits.
SALT = "owls-by-night"
MEMBERS = ("Secret Member",)
# Where the task behind the tracks shows its own models.
ELSEWHERE = (
    "/",
    "/?public",
    "/tasks/nli",
    "/tasks/nli/board.json",
    "/tasks/nli/data",
    "/api/v1/tasks/nli/board",
)
# 7 of 24 wrong answers, and what halves of them could be.
WRONG = range(7)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    """A challenge with a run of a team in its test phase, and another challenge beside it."""
    with hold_challenge(tmp_path) as made:
        made.team("Victims", members=MEMBERS)
        made.team("Rivals")
        made.team("Newcomers", approve=False, accept=False)
        made.team("Outcasts")
        made.home.store.write_now(
            lambda c: teams.refuse_team(c, made.row, "Outcasts", by=COMMAND, now=made.now)
        )
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "train.jsonl").write_text("{}")
        write_challenge(made, tmp_path / "other", name="wren-cup")
        made.home.store.write_now(lambda c: set_task_policy(c, find_task(c, "nli").id, public=True))
        made.home.store.write_now(lambda c: set_challenge(c, made.row.id, salt=SALT))
        made.at(PRACTICE_ENDS + DAY)
        made.hand_in("Victims", "english", wrong=WRONG, run=1)
        yield made


def addresses(method: str) -> list[str]:
    key = {"key": "e_" + "x" * 20, "path": "english/"}
    found = []
    for route in (*public_routes, *desk_routes):
        if not isinstance(route, Route) or method not in (route.methods or ()):
            continue
        if not route.path.startswith(("/challenges", CHALLENGES)):
            continue
        found.append(re.sub(r"{(\w+)(?::\w+)?}", lambda m: {**NAMES, **key}[m[1]], route.path))
    assert len(found) > 10
    return found


def with_choice(path: str) -> str:
    """The address of a board that asks for the part that is shown last."""
    return f"{path}?track=english&phase=test&part=private" if "/board" in path else path


def state(held: HeldChallenge) -> Any:
    """All that a form of these pages can change."""

    def read(connection: Any) -> Any:
        entries = list_entries(connection, held.row, now=held.now, audience="organisers")
        return (
            held.row,
            list_teams(connection, held.row),
            [(each.key, each.is_final, each.withdrawn) for each in entries],
            list_announcements(connection, held.row),
        )

    return held.home.store.read_now(read)


def scores(held: HeldChallenge) -> set[str]:
    """The scores of the victims on all parts of the data, as pages and JSON may write them."""
    values = {
        score.value
        for part in ("all", "public", "private")
        for row in live_rows(
            held.home, held.row, "english", "test", now=held.now, viewer="organisers", part=part
        ).rows
        for score in row.scores.values()
        if score.value is not None
    }
    texts = {text for value in values for text in (f"{value:.4f}"[:6], f"{100 * value:.2f}")}
    # None of them is a number that anything else may have.
    assert len(values) >= 3
    assert all(len(text.rstrip("0").lstrip("0.")) >= 3 for text in texts), texts
    return texts


def become(held: HeldChallenge, who: str) -> None:
    """Let the browser be somebody."""
    held.client.cookies.clear()
    if who in held.tokens:
        held.client.cookies.set("palaver_team_owl-cup", held.tokens[who])
    elif who == "a team of another challenge":
        other = held.home.store.write_now(
            lambda c: teams.add_team(
                c, _other(c), team=f"Wrens {held.now:.0f}", by=COMMAND, now=held.now
            )
        )
        for name in ("owl-cup", "wren-cup"):
            held.client.cookies.set(f"palaver_team_{name}", other.token)
    elif who == "a member":
        add_account(held, "mia", "member")
        held.desk.sign_in("mia")


def _other(connection: Any) -> Any:
    return find_challenge(connection, "wren-cup")


def add_account(held: HeldChallenge, name: str, role: Role) -> None:
    held.desk.store.write_now(
        lambda c: create_account(
            c, name=name, role=role, password_hash=hashed(PASSWORD), one_time=False, now=held.now
        )
    )


OTHERS = (
    "a stranger",
    "a team of another challenge",
    "Rivals",
    "Newcomers",
    "Outcasts",
    "a member",
)


def test_nobody_reads_what_is_not_for_them(held: HeldChallenge) -> None:
    secrets = {held.row.salt, "victims@team.example", MEMBERS[0], *held.tokens.values()}
    numbers = scores(held)
    for who in OTHERS:
        held.at(PRACTICE_ENDS + DAY)
        become(held, who)
        for moment in (TEST_ENDS + 10 * 60, EVERYBODY_FROM - 1):
            held.at(moment)
            for path in (*addresses("GET"), *ELSEWHERE):
                for asked in {path, with_choice(path)}:
                    sent = held.client.get(asked, follow_redirects=False)
                    assert sent.status_code < 500, (who, asked)
                    own = {held.tokens.get(who, "")}
                    found = {each for each in secrets - own if each in sent.text}
                    assert found == set(), (who, asked)
                    told = {each for each in numbers if each in sent.text}
                    assert told == set(), (who, asked, moment)


def test_a_team_sees_its_own_scores_from_their_date_and_others_from_theirs(
    held: HeldChallenge,
) -> None:
    numbers = scores(held)
    board = f"{held.url}/board.json?track=english&phase=test"

    def seen(who: str, moment: float) -> bool:
        become(held, who)
        held.at(moment)
        return any(each in held.client.get(board).text for each in numbers)

    assert not seen("Victims", OWN_FROM - 1)
    assert seen("Victims", OWN_FROM)
    assert not seen("Rivals", OWN_FROM)
    assert not seen("a stranger", EVERYBODY_FROM - 1)
    assert seen("a stranger", EVERYBODY_FROM)


def test_no_form_of_elsewhere_changes_anything(held: HeldChallenge) -> None:
    before = state(held)
    become(held, "Victims")
    held.desk.sign_in("olga")
    forms = {"team": "Newcomers", "subject": "x", "text": "x", "sure": "yes", "name": "owl-cup"}
    for path in addresses("POST"):
        for csrf in ("", "0" * 64):
            files = {"file": ("a.jsonl", answers("test-en"))} if path.endswith("/submit") else None
            sent = held.client.post(
                path, data={"csrf": csrf, **forms}, files=files, follow_redirects=False
            )
            assert sent.status_code in (403, 422), path
            cross = held.client.post(path, data=forms, headers={"sec-fetch-site": "cross-site"})
            assert cross.status_code == 403, path
    assert state(held) == before


def test_no_team_changes_what_is_anothers(held: HeldChallenge) -> None:
    before = state(held)
    key = before[2][0][0]
    become(held, "Rivals")
    for path in (f"/entries/{key}/withdraw", f"/entries/{key}/final"):
        assert held.post(path, final="yes").status_code in (404, 422)
    for path in addresses("POST"):
        if path.startswith(CHALLENGES):
            sent = held.client.post(path, data={"csrf": held.csrf()}, follow_redirects=False)
            assert (sent.status_code, "sign-in" in sent.headers["location"]) == (303, True), path
    assert state(held) == before
