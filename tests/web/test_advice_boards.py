"""The board of a round of advice at its address, and the results of closed rounds at theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palaver.core.audit import COMMAND
from palaver.evaluation.challenges.stored import add_challenge, set_challenge
from palaver.reports.advice.results import write_final
from palaver.storage import Store
from palaver.studies.advice.board import read_round_board
from palaver.studies.advice.closing import FinalRound, RoundWriter, close_round
from palaver.studies.advice.kept_board import board_mark, keep_board
from palaver.studies.advice.rounds import advice_task
from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from support.databases import new_sqlite
from support.desks import PATIENT
from support.judged_rounds import NOW, JudgedRound, judged_round, open_round


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    yield opened
    opened.close()


@contextmanager
def visiting(judged: JudgedRound, *, served: bool = True) -> Iterator[TestClient]:
    """A stranger at a server of the round's home."""
    studies = [judged.study] if served else []
    deployment = Deployment(judged.store, studies, folder=judged.home.folder)
    with TestClient(create_app(deployment, PATIENT), follow_redirects=False) as client:
        yield client


def test_a_round_has_the_board_of_advice(sqlite: Store, tmp_path: Path) -> None:
    with visiting(judged_round(sqlite, tmp_path, 1)) as visitor:
        told = visitor.get("/boards/round.json").json()
        assert [row["name"] for row in told["rows"]] == ["Heron <b>", "snipe"]
        page = visitor.get("/boards/round").text
    assert "People, best advice" in page
    assert "Heron &lt;b&gt;" in page
    assert "Heron <b>" not in page
    assert "Why models lose" in page
    # What is being judged is nobody's to read while it is.
    assert "boiler" not in page
    assert "boiler" not in str(told)


def test_a_board_that_nobody_judged_says_so(sqlite: Store, tmp_path: Path) -> None:
    opened = open_round(sqlite, tmp_path, 1)
    board = sqlite.read_now(lambda c: read_round_board(c, opened.study, now=NOW))
    known = sqlite.read_now(lambda c: board_mark(c, opened.study_id, opened.study))
    sqlite.write_now(lambda c: keep_board(c, opened.study_id, known, board))
    with visiting(opened) as visitor:
        assert visitor.get("/boards/round.json").json()["judgements"] == 0
        page = visitor.get("/boards/round").text
    assert "No judgements yet" in page
    assert "snipe" in page


def closed(
    store: Store, folder: Path, *, public: bool, writer: RoundWriter = write_final
) -> JudgedRound:
    judged = judged_round(store, folder, 1, public=public)
    close_round(judged.home, judged.study, writer=writer, by=COMMAND, now=NOW)
    return judged


def short(final: FinalRound, folder: Path) -> None:
    for file in ("index.html", "board.json", "results.jsonl"):
        (folder / file).write_text(final.board.answer)


def test_closed_rounds_keep_their_addresses(sqlite: Store, tmp_path: Path) -> None:
    judged = closed(sqlite, tmp_path, public=True)
    with visiting(judged) as visitor:
        board = visitor.get("/boards/round")
        assert (board.status_code, board.headers["location"]) == (303, "/boards/round/results/")
        assert visitor.get("/boards/round/results").headers["location"] == "/boards/round/results/"
        page = visitor.get("/boards/round/results/")
        kept = visitor.get("/boards/round.json").json()
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "Heron &lt;b&gt;" in page.text
    assert 'href="https://example.org/heron"' in page.text
    assert "<script" not in page.text
    assert "People's advice 0.3." in page.text.replace("&#39;", "'")
    assert kept["judgements"] == 9
    with visiting(judged, served=False) as visitor:
        assert visitor.get("/boards/round/results/").content == page.content
        lines = visitor.get("/boards/round/results/results.jsonl")
        assert lines.headers["content-disposition"].endswith("round-results.jsonl")
        assert '"is_preferred":true' in lines.text
        assert visitor.get("/boards/round/results/tables/board.csv").status_code == 200
        assert visitor.get("/boards/round/results/other.csv").status_code == 404
        assert visitor.get("/boards/round/results/../../palaver.db").status_code == 404
        listed = visitor.get("/boards")
        assert "/boards/round/results/" in listed.text


def test_a_stranger_learns_nothing_of_a_round_that_is_not_public(
    sqlite: Store, tmp_path: Path
) -> None:
    judged = closed(sqlite, tmp_path, public=False, writer=short)
    paths = ("", ".json", "/results", "/results/", "/results/board.json", "/results/results.jsonl")
    for served in (True, False):
        with visiting(judged, served=served) as visitor:
            for path in paths:
                answer = visitor.get(f"/boards/round{path}")
                assert answer.status_code in (403, 404), path
                for secret in ("Heron", "snipe", "boiler", "Which advice"):
                    assert secret not in answer.text, (path, secret)
            assert visitor.get("/boards").headers["location"] == "/desk/boards"


CUP = """\
name: cup
tracks:
  advice:
    task: advice
    takes: endpoints
    data: {first: situations-1}
    judged: {first: round}
phases:
  first: {scores: everybody}
"""


@pytest.mark.parametrize("public", [True, False])
def test_a_challenge_leads_strangers_to_a_public_board_alone(
    sqlite: Store, tmp_path: Path, public: bool
) -> None:
    judged = closed(sqlite, tmp_path, public=public, writer=short)
    file = tmp_path / "challenge.yaml"
    file.write_text(CUP, encoding="utf-8")
    row = add_challenge(judged.home, file, by=COMMAND, now=NOW)
    sqlite.write_now(lambda c: set_challenge(c, row, public=True, by=COMMAND, now=NOW))
    for served in (True, False):
        with visiting(judged, served=served) as visitor:
            page = visitor.get("/challenges/cup/board").text
        assert ("/boards/round" in page) is public
        assert ("not made the board of this round public" in page) is not public


@pytest.mark.parametrize(
    ("date", "status"), [("2999-01-01 00:00 UTC", 403), ("2001-01-01 00:00 UTC", 200)]
)
def test_the_date_of_a_challenge_holds_on_the_board_that_judges_it(
    sqlite: Store, tmp_path: Path, date: str, status: int
) -> None:
    judged = judged_round(sqlite, tmp_path, 1, public=True)
    file = tmp_path / "challenge.yaml"
    file.write_text(CUP.replace("everybody}", f"{{everybody: {date}}}}}"), encoding="utf-8")
    sqlite.write_now(lambda c: advice_task(c, now=NOW))
    add_challenge(judged.home, file, by=COMMAND, now=NOW)
    with visiting(judged) as visitor:
        assert visitor.get("/boards/round.json").status_code == status
    close_round(judged.home, judged.study, writer=short, by=COMMAND, now=NOW)
    with visiting(judged) as visitor:
        assert visitor.get("/boards/round/results/").status_code == status
        assert ("/boards/round/results/" in visitor.get("/boards").text) is (status == 200)
