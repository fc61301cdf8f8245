"""The boards of a challenge: rows, marks, parts of the data, and the verdict that is computed beside."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.challenges import teams
from palaver.web.challenges import verdict_worker
from support.held_challenges import (
    PRACTICE_ENDS,
    TERMS,
    TEST_ENDS,
    HeldChallenge,
    hold_challenge,
)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(tmp_path) as made:
        made.team("Terns")
        made.team("Owls of Ghent")
        yield made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked to be computed beside the server; nothing is."""
    found: list[Any] = []

    async def beside(module: str, folder: Path, task: Any) -> str | None:
        found.append(task)
        return None

    monkeypatch.setattr("palaver.web.challenges.verdicts.run_beside", beside)
    return found


def test_a_board_ranks_runs_and_marks_them(held: HeldChallenge, asked: list[Any]) -> None:
    assert "Nobody has handed in yet" in held.get("/board").text

    def add(connection: Any) -> None:
        made = teams.add_team(
            connection, held.row, team="Uniform", is_baseline=True, by=COMMAND, now=held.now
        )
        teams.accept_terms(connection, held.row, made, digest=terms_digest(TERMS), now=held.now)

    held.home.store.write_now(add)
    held.hand_in("Uniform", "english", wrong=range(16))
    held.hand_in("Terns", "english", wrong=range(5))
    held.hand_in("Owls of Ghent", "english", wrong=range(2))
    page = held.get("/board").text
    assert "<bdi>Owls of Ghent</bdi>, run 1, stands first so far" in page
    assert ">baseline<" in page
    assert "0.9167" in page
    assert "higher is better" in page
    assert ">your team<" not in page
    held.enter("Terns")
    assert held.get("/board").text.count(">your team<") == 1
    found = held.get("/board.json?track=english&phase=practice").json()
    assert [row["team"] for row in found["rows"]] == ["Owls of Ghent", "Terns", "Uniform"]
    assert [row["own"] for row in found["rows"]] == [False, True, False]
    assert "mark" not in found
    assert "salt" not in str(found)


def test_the_verdict_is_computed_beside_and_then_stands_first(
    held: HeldChallenge, asked: list[Any]
) -> None:
    held.hand_in("Terns", "english", wrong=range(12))
    assert "is being computed" not in held.get("/board").text
    assert asked == []
    held.hand_in("Owls of Ghent", "english")
    assert "is being computed" in held.get("/board").text
    verdict_worker.compare(asked[0])
    page = held.get("/board").text
    assert "is being computed" not in page
    assert "<h1>Owls of Ghent-run1 leads" in page
    assert "Randomised Tukey HSD test" in page


def test_organisers_see_every_part_before_its_date_and_are_told_so(
    held: HeldChallenge, asked: list[Any]
) -> None:
    held.at(PRACTICE_ENDS + 100)
    held.hand_in("Terns", "english", wrong=range(5), run=1)
    held.at(TEST_ENDS + 60)
    held.hand_in("Owls of Ghent", "english", wrong=range(3), run=1)
    stranger = held.get("/board?track=english").text
    assert "Scores are not shown yet" in stranger
    assert "Terns" not in stranger
    assert asked == []
    held.desk.sign_in("vera")
    page = held.get("/board?track=english").text
    assert "You see this as an organiser." in page
    assert "On the public part of the test items" in page
    assert ">late<" in page
    assert "On the private part" in held.get("/board?track=english&part=private").text
    assert "On 24 items" in held.get("/board?track=english&part=all").text


def test_a_board_that_is_not_there_is_named(held: HeldChallenge) -> None:
    for query in ("track=klingon", "phase=never", "track=french&phase=practice"):
        assert held.get(f"/board?{query}").status_code == 404
    assert held.get("/board.json?track=klingon").json()["error"]["code"] == "missing"
    assert held.get("/board?start=x&part=none").status_code == 200
    assert "<bdi>Test</bdi> is not open yet" in held.get("/board?phase=test").text
