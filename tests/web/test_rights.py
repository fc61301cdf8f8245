"""Rights per study: of a study that was not granted a member learns nothing, at any door."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from starlette.routing import Route

from palaver.accounts.register import change_role
from palaver.accounts.rights import grant_study, revoke_study
from palaver.accounts.tokens import make_token
from palaver.core.accounts import Role
from palaver.storage.people.accounts import create_account, find_account
from palaver.web.api.routes import create_api
from palaver.web.boards.routes import routes as boards
from palaver.web.desk.routes import routes as desk_routes
from support.cases import every_case
from support.desks import PASSWORD, Desk, hashed, open_desk
from support.reviewing import STUDY, Judging
from support.seeding import NOW

# Names of the same form that nothing here has.
ABSENT = {
    "study": "judgex",
    "name": "judgex",
    "dialogue": "d_" + "x" * 20,
    "key": "d_" + "x" * 20,
    "question": "quality",
    "rater": "sim:nobody",
    "alias": "sim:nobody",
    "link": "7654322",
    "recruitment": "r_" + "v" * 20,
    "order": "o_" + "v" * 20,
    "act": "act-that",
    "how": "how-that",
}
SECRETS = ("Judged", "judged", "Hello there", "sim:ann", "pilot-2", "Pilot 2")


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Iterator[Desk]:
    """A desk with two studies, and mia, a member who was granted nothing."""
    folder = tmp_path / "studies" / "judged"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    with open_desk(tmp_path, database=database_url) as opened:
        opened.store.write_now(
            lambda c: create_account(
                c,
                name="mia",
                role="member",
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )
        yield opened


@pytest.fixture
def names(desk: Desk) -> dict[str, str]:
    """What stands for a name in braces in the addresses of this home."""
    judging = Judging(desk.store, desk.deployment.studies["judged"].id)
    key = judging.dialogue("Hello there", "I see.")
    for rater in ("sim:ann", "sim:bob"):
        judging.say("quality", key, rater, 3, seconds=2.0)
    present = {"study": "judged", "dialogue": key, "rater": "sim:ann"}
    return {
        **present,
        "name": "judged",
        "key": key,
        "alias": "sim:ann",
        "question": "quality",
        "link": "7654321",
        "recruitment": "r_" + "w" * 20,
        "order": "o_" + "w" * 20,
        "act": "act-this",
        "how": "how-this",
    }


def token(desk: Desk, name: str, role: Role = "reviewer") -> dict[str, str]:
    def work(connection: Connection) -> str:
        account = find_account(connection, name)
        assert account is not None
        return make_token(connection, account, name="t", role=role, now=NOW).secret

    return {"authorization": f"Bearer {desk.store.write_now(work)}"}


def grant(desk: Desk, role: str, study: str = "judged") -> None:
    desk.store.write_now(lambda c: grant_study(c, "mia", study, role, now=NOW))


def filled(path: str, names: dict[str, str]) -> str | None:
    """An address with names for its braces; None where it has one of something else."""
    wanted = re.findall(r"{(\w+)(?::\w+)?}", path)
    if not wanted or any(each not in names for each in wanted):
        return None
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: names[found[1]], path)


def same(one: str, other: str, names: dict[str, str]) -> bool:
    """Whether two answers differ in nothing but the names that were asked for."""
    for name in sorted(names, key=lambda each: -len(names[each])):
        one, other = one.replace(names[name], "…"), other.replace(ABSENT[name], "…")
    return one == other


def test_of_a_study_that_is_not_granted_every_desk_route_answers_as_if_there_were_none(
    desk: Desk, names: dict[str, str]
) -> None:
    desk.sign_in("mia")
    csrf, asked = desk.csrf("/desk/settings"), 0
    addresses = [
        (route, route.path.replace("{folder}/{name}", "tables/means.csv"))
        for route in (*desk_routes, *boards)
        if isinstance(route, Route)
    ]
    with every_case() as case:
        for route, path in addresses:
            there, nowhere = filled(path, names), filled(path, ABSENT)
            if there is None or nowhere is None:
                continue
            for method in sorted((route.methods or set()) - {"HEAD"}):
                with case(f"{method} {there}"):
                    asked += 1
                    form = {"csrf": csrf, "rater": "sim:ann", "excluded": "yes", "count": "1"}
                    given = {"data": form} if method == "POST" else {}
                    found = desk.client.request(method, there, follow_redirects=False, **given)
                    nothing = desk.client.request(method, nowhere, follow_redirects=False, **given)
                    assert found.status_code == nothing.status_code == 404
                    assert same(found.text, nothing.text, names)
    assert asked >= 16


def test_of_a_study_that_is_not_granted_every_api_route_answers_as_if_there_were_none(
    desk: Desk, names: dict[str, str]
) -> None:
    headers, asked = token(desk, "mia"), 0
    with every_case() as case:
        for path, operations in create_api(desk.deployment).openapi()["paths"].items():
            if not path.startswith(("/studies/", "/dialogues/")):
                continue
            address = path.replace("{table}", "means.csv").replace("{number}", "1")
            there, nowhere = filled(address, names), filled(address, ABSENT)
            assert there is not None, path
            assert nowhere is not None, path
            for method in operations:
                with case(f"{method} {there}"):
                    asked += 1
                    body: Any = [] if path.endswith("labels") else {}
                    given = {"json": body} if method == "post" else {}
                    found, nothing = (
                        desk.client.request(method, f"/api/v1{each}", headers=headers, **given)
                        for each in (there, nowhere)
                    )
                    assert found.status_code == nothing.status_code == 404
                    assert same(found.text, nothing.text, names)
    assert asked >= 11


def test_lists_show_a_member_what_was_granted_and_nothing_else(
    desk: Desk, names: dict[str, str]
) -> None:
    desk.sign_in("mia")
    headers = token(desk, "mia")
    pages = ("/desk", "/desk/dialogues", "/desk/dialogues?study=judged", "/desk/boards")
    pages += ("/desk/dialogues?q=Hello", "/desk/settings", "/tasks", "/api/v1/studies")
    for page in pages:
        shown = desk.client.get(page, headers=headers if "api" in page else {})
        assert shown.status_code == 200, page
        said = shown.text.replace('value="judged"', "").replace(">judged<", "")
        assert [each for each in SECRETS if each in said] == [], page
    # What belongs to no study belongs to no member.
    for page in ("/desk/raters", "/desk/tasks", "/desk/tasks/nli"):
        assert desk.client.get(page).status_code == 403, page
    for page in ("/runs", "/metrics", "/tasks/nli/models"):
        assert desk.client.get(f"/api/v1{page}", headers=headers).status_code == 403, page

    grant(desk, "viewer")
    assert "Judged" in desk.client.get("/desk").text
    assert "Pilot 2" not in desk.client.get("/desk").text
    assert "Hello there" in desk.client.get("/desk/dialogues").text
    listed = desk.client.get("/api/v1/studies", headers=headers).json()["studies"]
    assert [each["name"] for each in listed] == ["judged"]


def test_what_was_granted_opens_and_closes_at_once_on_desk_and_api(
    desk: Desk, names: dict[str, str]
) -> None:
    desk.sign_in("mia")
    headers = token(desk, "mia")

    def seen() -> list[int]:
        return [
            desk.client.get("/desk/studies/judged").status_code,
            desk.client.get(f"/desk/dialogues/{names['dialogue']}").status_code,
            desk.client.get("/desk/raters/sim:ann").status_code,
            desk.client.get("/desk/exports/judged?format=messages").status_code,
            desk.client.get("/api/v1/studies/judged/labels", headers=headers).status_code,
            desk.client.get(f"/api/v1/dialogues/{names['key']}", headers=headers).status_code,
            desk.client.get("/api/v1/studies/judged/export", headers=headers).status_code,
            desk.client.get("/desk/studies/pilot-2").status_code,
        ]

    assert seen() == [404] * 8
    grant(desk, "viewer")
    assert seen() == [200, 200, 200, 403, 200, 200, 403, 404]
    grant(desk, "reviewer")
    assert seen() == [200, 200, 200, 200, 200, 200, 200, 404]
    desk.store.write_now(lambda c: revoke_study(c, "mia", "judged", now=2.0))
    assert seen() == [404] * 8


def test_a_token_holds_a_member_to_less_than_was_granted(desk: Desk, names: dict[str, str]) -> None:
    grant(desk, "reviewer")
    reading = token(desk, "mia", "viewer")
    path = "/api/v1/studies/judged"
    assert desk.client.get(path, headers=reading).status_code == 200
    assert desk.client.get(f"{path}/export", headers=reading).status_code == 403


def test_a_viewer_of_everything_may_be_a_reviewer_of_one_study(
    desk: Desk, names: dict[str, str]
) -> None:
    desk.store.write_now(lambda c: grant_study(c, "vera", "judged", "reviewer", now=NOW))
    desk.sign_in("vera")
    export = "/desk/exports/{}?format=messages"
    assert desk.client.get(export.format("judged")).status_code == 200
    assert desk.client.get(export.format("pilot-2")).status_code == 403
    desk.store.write_now(lambda c: change_role(c, "vera", "member", now=2.0))
    assert desk.client.get("/desk", follow_redirects=False).status_code == 303
