"""What strangers find at `/`, and every board of the home at the desk."""

import asyncio
import dataclasses
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palaver.accounts.rights import grant_study
from palaver.core.audit import COMMAND
from palaver.evaluation.dynaboards import Boards
from palaver.evaluation.dynaboards.leaders import Leaders
from palaver.evaluation.tasks import builtin_task
from palaver.evaluation.tasks.stored import add_task
from palaver.storage import Store
from palaver.storage.people.accounts import create_account
from palaver.studies.advice.closing import FinalRound, close_round
from palaver.studies.file.reader import load_study
from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from palaver.web.front.lines import BoardLine, BoardWords, Known
from support.databases import new_sqlite
from support.desks import PASSWORD, PATIENT, Desk, hashed, open_desk
from support.held_challenges import (
    HeldChallenge,
    hold_challenge,
    items_of,
    write_challenge,
)
from support.houses import write_study
from support.judged_rounds import JudgedRound, judged_round
from support.public_boards import PublicBoard
from support.runs import Bench
from support.seeding import NOW

SKILLS = {"heron": 0.95, "snipe": 0.4}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk without studies; nobody is signed in."""
    with open_desk(tmp_path, studies=False) as opened:
        opened.deployment.folder = tmp_path / "home"
        opened.deployment.folder.mkdir()
        _patient(opened.deployment)
        yield opened


def _patient(deployment: Deployment) -> None:
    """Let pages wait for what their boards say, however long that takes here."""
    deployment.kept[BoardWords] = BoardWords(patience=None)


def task(desk: Desk, name: str, title: str, *, public: bool) -> PublicBoard:
    """A task of its own with two models on one data set."""
    made = dataclasses.replace(builtin_task("nli"), name=name, title=title)
    desk.store.write_now(lambda c: add_task(c, made, now=NOW))
    board = PublicBoard(desk.deployment.evaluation, name, sets={f"{name}-test": 60})
    board.fill({f"{name}-{model}": skill for model, skill in SKILLS.items()})
    board.policy(public=public)
    return board


def source(client: TestClient, path: str = "/") -> str:
    """A page as it came, without what is new in every page."""
    return re.sub(r'value="[0-9a-f]{64}"', "", client.get(path).text)


def words(client: TestClient, path: str = "/") -> str:
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", client.get(path).text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


class TestStrangers:
    def test_where_nothing_is_public_they_are_led_to_the_desk(self, desk: Desk) -> None:
        task(desk, "inner", "Inner", public=False)
        answer = desk.client.get("/", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/desk")
        assert desk.client.get("/").url.path == "/desk/sign-in"

    def test_whoever_is_signed_in_goes_to_the_desk_and_may_look(self, desk: Desk) -> None:
        task(desk, "open", "Open claims", public=True)
        desk.sign_in("vera")
        assert desk.client.get("/", follow_redirects=False).headers["location"] == "/desk"
        assert "This is what everybody sees" in words(desk.client, "/?public")

    def test_they_read_who_leads(self, desk: Desk) -> None:
        task(desk, "open", "Open claims", public=True)
        page = words(desk.client)
        assert "1 board is open to everybody" in page
        assert "Open claims" in page
        assert "open-heron leads; open-snipe follows Dynascore" in page
        assert 'href="/tasks/open"' in desk.client.get("/").text

    def test_what_is_not_public_changes_nothing(self, desk: Desk, tmp_path: Path) -> None:
        """Not a name, a number or an order: the very same page with and without it."""
        board = task(desk, "open", "Open claims", public=True)
        before = source(desk.client)
        board.model("hush", 0.99, published=False)
        task(desk, "inner", "Inner", public=False)
        (tmp_path / "held").mkdir()
        held = HeldChallenge(desk, tmp_path / "held")
        _quiet_challenge(held, tmp_path / "held")
        _closed_round(desk, tmp_path / "round", public=False)
        assert source(desk.client) == before
        _closed_round(desk, tmp_path / "known", public=True, name="known")
        held.public()
        after = words(desk.client)
        assert "4 boards are open to everybody" in after
        assert "The Owl Cup" in after
        assert "Which advice helps more? closed" in after
        assert "hush" not in after
        assert "open-heron leads; open-snipe follows" in after

    def test_scores_of_a_challenge_come_with_their_date(self, tmp_path: Path) -> None:
        with hold_challenge(tmp_path) as held:
            _patient(held.desk.deployment)
            held.team("Otters")
            held.hand_in("Otters", "english", wrong=[1, 2])
            page = words(held.client)
        assert "English Otters, run 1, stands first so far" in page
        assert "French Scores of 'Test' are shown from" in page


def _quiet_challenge(held: HeldChallenge, folder: Path) -> None:
    """A challenge that is not public, with an entry."""
    bench = Bench(held.home, folder)
    for name in ("practice-en", "test-en", "test-fr"):
        bench.dataset(name, items_of(name), access="hidden")
    (folder / "train.jsonl").write_text('{"uid": "t1"}\n', encoding="utf-8")
    write_challenge(held, folder)
    held.team("Otters")
    held.hand_in("Otters", "english")


def _short(final: FinalRound, folder: Path) -> None:
    (folder / "index.html").write_text(final.board.answer)


def _closed_round(desk: Desk, folder: Path, *, public: bool, name: str = "round") -> JudgedRound:
    """A round that is closed; its study is not served any more."""
    folder.mkdir()
    judged = judged_round(desk.store, folder, 1, public=public, name=name)
    close_round(desk.deployment.evaluation, judged.study, writer=_short, by=COMMAND, now=NOW)
    return judged


class TestAtTheDesk:
    def test_nothing_yet_says_what_to_do_first(self, desk: Desk) -> None:
        desk.sign_in("olga")
        page = words(desk.client, "/desk/boards")
        assert "No boards yet" in page
        assert "palaver model add nli my-model" in page
        assert "What everybody sees" not in page

    def test_every_board_is_there_the_newest_first(self, desk: Desk, tmp_path: Path) -> None:
        task(desk, "open", "Open claims", public=True)
        task(desk, "inner", "Inner", public=False)
        _closed_round(desk, tmp_path / "round", public=False)
        desk.sign_in("vera")
        page = words(desk.client, "/desk/boards")
        assert "Open claims task open open-heron leads" in page
        assert "up to date everybody 2 models" in page
        assert "Inner task inner inner-heron leads" in page
        assert "up to date researchers 2 models" in page
        assert "Which advice helps more? study round" in page
        assert "closed researchers 2 models" in page
        # A task of which no run has ended has no time.
        assert page.index("Which advice helps more?") < page.index("Open claims task")

    def test_a_task_says_what_is_going_on_in_it(self, desk: Desk) -> None:
        board = task(desk, "open", "Open claims", public=True)
        desk.sign_in("vera")
        assert "up to date" in words(desk.client, "/desk/boards")
        board.model("late", 0.5, only=())
        board.home.store.write_now(
            lambda c: c.exec_driver_sql("UPDATE runs SET state = 'failed' WHERE id = 1")
        )
        assert "1 run failed" in words(desk.client, "/desk/boards")


BETTER = {"better": {"kind": "comparative", "text": "Which was better?"}}
SYSTEMS = {
    "tern": {"kind": "scripted", "lines": ["Hello."]},
    "plover": {"kind": "scripted", "lines": ["No."]},
}
PAIRED = {
    "chat": {
        "arrangement": "paired",
        "conditions": [{"systems": ["tern", "plover"], "needed": 4}],
        "turns": {"exactly": 2},
    }
}


@pytest.fixture
def studies(tmp_path: Path) -> Iterator[TestClient]:
    """A server with a study whose board is public and one whose is not, and a member of the latter."""
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    served = []
    for name, public in (("seen", True), ("unseen", False)):
        given: dict[str, Any] = {
            "title": f"The {name} study",
            "name": name,
            "systems": SYSTEMS,
            "questions": BETTER,
            "stages": [PAIRED, {"rate": {"ask": ["better"]}}],
            "board": {"public": public},
        }
        (tmp_path / name).mkdir()
        write_study(tmp_path / name, given)
        served.append(load_study(tmp_path / name))
    deployment = Deployment(store, served)
    _patient(deployment)
    with TestClient(create_app(deployment, PATIENT)) as client:
        yield client
    store.close()


def test_strangers_see_the_boards_of_studies_that_are_public(studies: TestClient) -> None:
    page = studies.get("/").text
    assert "/boards/seen" in page
    assert "unseen" not in page
    told = words(studies)
    assert "The seen study provisional Which was better? Nobody yet 0 of 4 votes" in told


def test_a_member_sees_what_was_granted_and_what_is_public(studies: TestClient) -> None:
    store = studies.app.state.deployment.store  # type: ignore[attr-defined]
    store.write_now(
        lambda c: create_account(
            c, name="mia", role="member", password_hash=hashed(PASSWORD), one_time=False, now=NOW
        )
    )
    csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', studies.get("/desk/sign-in").text)
    assert csrf is not None
    studies.post("/desk/sign-in", data={"csrf": csrf[1], "name": "mia", "password": PASSWORD})
    listed = studies.get("/desk/boards").text
    assert "/boards/seen" in listed
    assert "unseen" not in listed
    store.write_now(lambda c: grant_study(c, "mia", "unseen", "viewer", now=NOW))
    assert "/boards/unseen" in studies.get("/desk/boards").text


class TestWords:
    """What boards say is worked out once, and no page waits long for it."""

    @staticmethod
    def line(answer: str = "") -> BoardLine:
        return BoardLine(
            kind="task", name="t", title="T", url="/tasks/t", public=True, answer=answer
        )

    def test_who_asks_meanwhile_is_told_that_it_is_being_computed(self) -> None:
        async def story() -> list[Any]:
            begun: list[int] = []
            go_on = asyncio.Event()

            async def slow() -> BoardLine:
                begun.append(1)
                await go_on.wait()
                return self.line("heron leads")

            words = BoardWords(patience=0)
            known = [Known("t", self.line(), slow), Known("u", self.line())]
            first, quick = await words.read(known)
            second, _ = await words.read(known)
            waiting = asyncio.gather(*words.under_way)
            go_on.set()
            (third,) = await waiting
            return [first.pending, quick.pending, second.pending, third.answer, len(begun)]

        assert asyncio.run(story()) == [True, False, True, "heron leads", 1]

    def test_one_that_cannot_be_read_hides_no_other(self) -> None:
        async def broken() -> BoardLine:
            raise OSError("gone")

        async def good() -> BoardLine:
            return self.line("heron leads")

        known = [Known("a", self.line(), broken), Known("b", self.line(), good)]
        one, other = asyncio.run(BoardWords().read(known))
        assert one.answer == "It cannot be read now; its own page says why."
        assert other.answer == "heron leads"


def test_a_leader_is_found_again_only_when_something_changed(desk: Desk) -> None:
    board = task(desk, "open", "Open claims", public=True)
    board.model("hush", 0.99, published=False)
    read: list[bool] = []

    class Counting(Boards):
        def read(self, *given: Any, **options: Any) -> Any:
            read.append(options["public"])
            return super().read(*given, **options)

    leaders = Leaders(Counting(at_once=True))

    def answer(*, public: bool) -> str:
        return desk.store.read_now(lambda c: leaders.find(c, board.row, public=public)).answer

    assert "hush" not in answer(public=True)
    assert "hush" in answer(public=False)
    assert "hush" not in answer(public=True)
    assert read == [True, False]
    board.model("wren", 0.6)
    assert "wren" in answer(public=True)
    assert read == [True, False, True]
