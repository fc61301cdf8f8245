"""Challenges over HTTP: from registering to the entry that counts, and who is told what."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.clock import VirtualClock
from palaver.evaluation.challenges.stored import set_challenge
from palaver.storage.outbox.letters import list_mails
from support.challenges import DEADLINE, FILE, FINAL, HOUR, PRACTICE, TEST, Cup, answers
from support.evaluation_desk import ApiCaller, EvaluationDesk, open_evaluation_desk


class HeldCup(Cup):
    """A public challenge behind the API, and who calls it."""

    def __init__(self, desk: EvaluationDesk, folder: Path) -> None:
        super().__init__(desk.desk.deployment.evaluation, folder)
        self.desk = desk
        self.at(FINAL)
        self.home.store.write_now(
            lambda c: set_challenge(c, self.row, public=True, by=COMMAND, now=PRACTICE)
        )

    def at(self, now: float) -> None:
        """Let it be this time."""
        self.desk.desk.deployment.clock = VirtualClock(now)

    def register(self, name: str = "Otters", **more: Any) -> ApiCaller:
        """A team that registered, with its token."""
        given = {"team": name, "contact": f"{name.lower()}@example.org", **more}
        made = self.desk.stranger().post("/challenges/cup/teams", given, 201)
        return ApiCaller(self.desk.desk, made["token"])

    def approved(self, name: str = "Otters") -> ApiCaller:
        """A team that registered, was approved, and accepted the terms."""
        team, olga = self.register(name), self.desk.caller("olga")
        (waiting,) = [
            each["id"]
            for each in olga.get("/challenges/cup/teams")["teams"]
            if each["team"] == name
        ]
        olga.post(f"/challenges/cup/teams/{waiting}/approve")
        digest = team.get("/challenges/cup/team")["terms_digest"]
        team.post("/challenges/cup/team/terms", {"digest": digest})
        return team

    def letters(self) -> list[str]:
        """The subjects of all letters, oldest first."""
        return [each.subject for each in self.home.store.read_now(list_mails)][::-1]


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[HeldCup]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "palaver.yaml").write_text("upload_megabytes: 1\n")
    with open_evaluation_desk(tmp_path) as desk:
        yield HeldCup(desk, tmp_path)


def hand_in(
    team: ApiCaller,
    content: bytes | None = None,
    status: int = 201,
    *,
    track: str = "english",
    **query: Any,
) -> Any:
    path = f"/challenges/cup/tracks/{track}/entries"
    body = answers(TEST) if content is None else content
    return team.send("POST", path, status, content=body, params=query).json()


def test_strangers_see_a_public_challenge_and_no_other(cup: HeldCup) -> None:
    stranger = cup.desk.stranger()
    (listed,) = stranger.get("/challenges")["challenges"]
    assert (listed["name"], listed["title"]) == ("cup", "The NLI Cup")
    shown = stranger.get("/challenges/cup")
    assert (shown["phase"], shown["states"]) == ("final", {"practice": "over", "final": "open"})
    assert [each["name"] for each in shown["definition"]["tracks"]] == ["english", "chinese"]
    assert shown["definition"]["files"] == [
        {"name": "training", "title": "Training data", "since": 1788307200.0}
    ]
    assert not {"folder", "salt", "content", "id"} & shown.keys()
    assert "Near: 'cup'" in stranger.get("/challenges/cap", 404)["error"]["message"]
    cup.desk.caller("olga").patch("/challenges/cup", {"public": False})
    assert stranger.get("/challenges")["challenges"] == []
    hidden, absent = (stranger.get(f"/challenges/{name}", 404) for name in ("cup", "cap"))
    assert hidden == absent
    assert cup.desk.caller("vera").get("/challenges/cup")["public"] is False


def test_from_registering_to_an_entry_that_is_withdrawn(cup: HeldCup) -> None:
    team, olga = cup.register(members=["Ada", "Bob"]), cup.desk.caller("olga")
    sheet = team.get("/challenges/cup/team")
    assert (sheet["team"]["state"], sheet["accepted"]) == ("waiting", False)
    assert "waits for the organisers" in hand_in(team, status=403)["error"]["message"]
    (row,) = olga.get("/challenges/cup/teams")["teams"]
    assert (row["contact"], row["members"]) == ("otters@example.org", ["Ada", "Bob"])
    assert row["id"] != sheet["team"]["id"]
    assert olga.post(f"/challenges/cup/teams/{row['id']}/approve")["state"] == "approved"
    assert "Accept the terms" in hand_in(team, status=403)["error"]["message"]
    team.get("/challenges/cup/questions/english", 403)
    team.get("/challenges/cup/files/training", 403)
    accepted = team.post("/challenges/cup/team/terms", {"digest": sheet["terms_digest"]})
    assert accepted["accepted"]
    asked = team.send("GET", "/challenges/cup/questions/english").text.splitlines()
    assert [set(json.loads(line)) for line in asked] == [{"uid", "context", "hypothesis"}] * 6
    assert team.send("GET", "/challenges/cup/files/training").text == "training\n"
    checked = team.send(
        "POST",
        "/challenges/cup/tracks/english/check",
        content=answers(TEST),
        params={"filename": "mine.jsonl"},
    ).json()
    assert (checked["file"], checked["valid"], checked["items"]) == ("mine.jsonl", True, 6)
    assert team.get("/challenges/cup/entries")["entries"] == []
    made = hand_in(team, run=2)
    assert (made["track"], made["run"], made["late"]) == ("english", 2, False)
    cup.at(FINAL + 1)
    assert hand_in(team, status=200, run=2)["key"] == made["key"]
    (entry,) = team.get("/challenges/cup/entries")["entries"]
    assert entry["key"] == made["key"]
    assert "scores" not in entry
    assert "are shown from" in entry["withheld"]
    chosen = team.post(f"/challenges/cup/entries/{made['key']}/final", {"final": True})
    assert chosen["final"]
    gone = team.post(f"/challenges/cup/entries/{made['key']}/withdrawal")
    assert (gone["state"], gone["final"]) == ("withdrawn", False)
    assert cup.letters() == ["[cup] Team Otters is registered", "[cup] Team Otters is approved"]


def test_scores_are_told_to_whom_the_date_allows(cup: HeldCup) -> None:
    team, other = cup.approved(), cup.approved("Newts")
    hand_in(team)
    assert cup.desk.stranger().get("/challenges/cup/entries")["entries"] == []
    assert other.get("/challenges/cup/entries")["entries"] == []
    (seen,) = cup.desk.caller("vera").get("/challenges/cup/entries")["entries"]
    assert seen["scores"]["accuracy"] == 1.0
    board = "/challenges/cup/tracks/english/board"
    assert "are shown from" in cup.desk.stranger().get(board)["withheld"]
    assert [row["rank"] for row in cup.desk.caller("vera").get(board)["rows"]] == [1.0]
    assert cup.desk.stranger().get(f"{board}?phase=practise", 404)["error"]["code"] == "not_found"
    cup.at(DEADLINE + 20 * 24 * HOUR)
    (row,) = team.get(board)["rows"]
    assert (row["name"], row["own"], row["scores"]["accuracy"]["value"]) == (
        "Otters-run1",
        True,
        1.0,
    )
    (public,) = cup.desk.stranger().get("/challenges/cup/entries")["entries"]
    assert (public["team"], public["scores"]["accuracy"]) == ("Otters", 1.0)


def test_a_token_opens_its_own_challenge_and_nothing_else(cup: HeldCup) -> None:
    team = cup.approved()
    cup.add(FILE.replace("name: cup", "name: other"))
    refused = team.get("/challenges/other/team", 403)["error"]["message"]
    assert refused == "The token of 'Otters' is for the challenge 'cup', not for 'other'."
    team.get("/challenges/cup/teams", 401)
    team.get("/submissions/team", 401)
    cup.desk.caller("olga").get("/challenges/cup/team", 401)
    wrong = ApiCaller(cup.desk.desk, "ps_nobody")
    assert "valid token" in wrong.get("/challenges/cup/team", 401)["error"]["message"]
    # One that is not valid is refused where none is needed, too.
    wrong.get("/challenges/cup", 401)
    ruth = cup.desk.caller("ruth")
    ruth.post("/challenges/cup/announcements", {"subject": "Hello", "text": "You."}, 403)
    ruth.patch("/challenges/cup", {"public": False}, 403)


def test_a_team_that_leaves_is_not_known_any_more(cup: HeldCup) -> None:
    team = cup.approved()
    hand_in(team)
    assert team.patch("/challenges/cup/team", {"members": ["Zoë"]})["members"] == ["Zoë"]
    assert team.post("/challenges/cup/team/leave")["state"] == "left"
    team.get("/challenges/cup/team", 401)
    (kept,) = cup.desk.caller("vera").get("/challenges/cup/entries")["entries"]
    assert kept["state"] == "withdrawn"


def test_a_lost_token_is_replaced_and_the_old_one_no_longer_works(cup: HeldCup) -> None:
    team, olga = cup.approved(), cup.desk.caller("olga")
    (row,) = olga.get("/challenges/cup/teams")["teams"]
    made = olga.post(f"/challenges/cup/teams/{row['id']}/token")
    team.get("/challenges/cup/team", 401)
    ApiCaller(cup.desk.desk, made["token"]).get("/challenges/cup/team")
    olga.post("/challenges/cup/teams/999/token", status=404)
    assert olga.post(f"/challenges/cup/teams/{row['id']}/refuse")["state"] == "refused"


@pytest.mark.parametrize(
    ("content", "query", "status", "words"),
    [
        (b"", {}, 422, "Nothing was sent"),
        (b"x" * 1_100_000, {}, 413, "larger than 1 MiB"),
        (answers(TEST[:5]), {"filename": "five.jsonl"}, 422, "five.jsonl"),
        (b'{"uid": "u100", "label": "perhaps"}\n', {}, 422, "answers.jsonl:1"),
        (answers(TEST), {"run": 9}, 422, "Runs are numbered 1 to 4; got 9."),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place_and_changes_nothing(
    cup: HeldCup, content: bytes, query: dict[str, Any], status: int, words: str
) -> None:
    team = cup.approved()
    message = hand_in(team, content, status, **query)["error"]["message"]
    assert words in message
    assert "/tmp" not in message
    assert team.get("/challenges/cup/entries")["entries"] == []


def test_limits_and_deadlines_answer_as_they_should(cup: HeldCup) -> None:
    team = cup.approved()
    for right in range(3):
        hand_in(team, answers(TEST, right=right))
    path = "/challenges/cup/tracks/english/entries"
    refused = team.send("POST", path, 429, content=answers(TEST))
    assert refused.json()["error"]["code"] == "used_up"
    assert refused.headers["retry-after"] == str(24 * 3600)
    cup.at(DEADLINE + 0.9)
    assert hand_in(team, answers(TEST, right=3), run=1)["late"] is False
    cup.at(DEADLINE + 1)
    assert hand_in(team, answers(TEST, right=4), run=1)["late"] is True
    cup.at(DEADLINE + 13 * HOUR)
    closed = hand_in(team, answers(TEST, right=5), 403, run=1)["error"]["message"]
    assert "'Final' closed at 2026-12-01 11:59 UTC (2026-11-30 23:59 AoE)" in closed
    team.get("/challenges/cup/questions/english", 403)
    assert hand_in(team, track="dutch", status=404)["error"]["code"] == "not_found"


def test_announcements_reach_teams_by_mail_and_readers_on_the_page(cup: HeldCup) -> None:
    team, olga, stranger = cup.approved(), cup.desk.caller("olga"), cup.desk.stranger()
    cup.register("Waiting")
    path = "/challenges/cup/announcements"
    made = olga.post(path, {"subject": "New data", "text": "Version 2 is out."}, 201)
    assert (made["public"], made["created_by"]) == (True, "olga")
    olga.post(path, {"subject": "For teams", "text": "Secret.", "public": False}, 201)
    subjects = [
        [each["subject"] for each in asking.get(path)["announcements"]]
        for asking in (stranger, team, olga)
    ]
    assert subjects == [["New data"], ["For teams", "New data"], ["For teams", "New data"]]
    assert cup.letters()[-2:] == ["[cup] New data", "[cup] For teams"]
    letter = next(each for each in cup.home.store.read_now(list_mails))
    assert letter.recipient == "otters@example.org"
    assert letter.text == (
        "Secret.\n\n-- \nThe NLI Cup\nYour team: Otters\nQuestions: cup@example.org\n"
    )
    several = olga.refused(path, {"subject": "One\nBcc: eve@example.org", "text": "x"})
    assert "one line" in several
    assert "needs a text" in olga.refused(path, {"subject": "One", "text": " "})


def test_registering_is_checked_and_told_once_to_an_address(cup: HeldCup) -> None:
    stranger, path = cup.desk.stranger(), "/challenges/cup/teams"
    for wrong, words in (
        ({"team": "A", "contact": "nobody"}, "looks like name@example.org"),
        ({"team": "", "contact": "a@example.org"}, "needs a name"),
        ({"team": "../x", "contact": "a@example.org"}, "because its runs are downloaded"),
        ({"team": "A", "contact": "a@b.org\nBcc: c@d.org"}, "looks like name@example.org"),
    ):
        assert words in stranger.refused(path, wrong)
    cup.register("One", contact="same@example.org")
    cup.register("Two", contact="same@example.org")
    assert cup.letters() == ["[cup] Team One is registered"]
    assert "already" in stranger.refused(path, {"team": "one", "contact": "x@example.org"})
