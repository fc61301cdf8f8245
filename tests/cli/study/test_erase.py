"""`palaver erase` and `palaver retention`: what they ask, do and print."""

import json
import time
from pathlib import Path

import pytest

from palaver.storage import Store
from palaver.storage.people.participants import enter, finish, get_assignment
from palaver.storage.studies.studies import list_studies

from ..conftest import Palaver

LONG_AGO = 1_000_000_000.0


@pytest.fixture
def visited(played: Path) -> Path:
    """A home in which ann took part long ago, and ben just now."""
    store = Store(f"sqlite:///{played / 'palaver.db'}")
    study = store.read_now(list_studies)[0]

    def work(connection) -> None:  # type: ignore[no-untyped-def]
        for person, now in (("ann-of-the-panel", LONG_AGO), ("ben-of-the-panel", time.time())):
            visit = enter(
                connection,
                study_id=study.id,
                crowd="link",
                person=person,
                assignment="1",
                first_step="stage:0",
                now=now,
            )
            finish(
                connection,
                visit.id,
                state="finished",
                reason="complete",
                code="C0DE",
                now=now,
            )
            assert get_assignment(connection, visit.key).person == person

    store.write_now(work)
    store.close()
    return played


def holds(home: Path, word: str) -> bool:
    return any(word.encode() in file.read_bytes() for file in home.glob("palaver.db*"))


def test_erasing_is_told_and_leaves_no_id_in_the_file(palaver: Palaver, visited: Path) -> None:
    said = palaver("erase", "first", "ann-of-the-panel", "--yes")

    assert said.status == 0, said.err
    assert "Erased 1 visit of P" in said.out
    assert "keyed hash of their id stays" in said.out
    assert "out of reach" in said.out
    assert not holds(visited, "ann-of-the-panel")
    assert holds(visited, "ben-of-the-panel")
    # It is on record who did it, and nothing looks as if it had been tampered with.
    [entry] = map(json.loads, palaver("audit", "first", "--act", "person.erase").out.splitlines())
    assert (entry["via"], entry["detail"]["asked_by"]) == ("command", "researcher")
    assert palaver("verify", "first").status == 0

    again = palaver("erase", "first", "ann-of-the-panel", "--yes", "--entirely", "--json")
    assert json.loads(again.out) == {
        "study": "first",
        "name": None,
        "visits": 0,
        "already": 0,
        "events": 0,
        "labels": 0,
        "remembered": False,
    }


def test_erasing_asks_first_and_finds_only_who_is_there(palaver: Palaver, visited: Path) -> None:
    unknown = palaver("erase", "first", "nobody", "--yes")
    assert unknown.status == 1
    assert "Nobody in 'first' is 'nobody'" in unknown.err
    unasked = palaver("erase", "first", "ann-of-the-panel", "--json")
    assert unasked.status == 2
    assert "add --yes" in unasked.err
    assert holds(visited, "ann-of-the-panel")


def test_retention_shows_and_deletes_what_is_due(palaver: Palaver, visited: Path) -> None:
    nothing = palaver("retention", "first")
    assert "Nothing has a time" in nothing.out

    shown = palaver("retention", "first", "--ids", "30", "--json")
    assert json.loads(shown.out)["studies"] == [
        {"study": "first", "ids": 1, "words": None, "standing": None, "applied": False}
    ]
    assert holds(visited, "ann-of-the-panel")

    done = palaver("retention", "first", "--ids", "30", "--apply")
    assert "Deleted:" in done.out
    assert not holds(visited, "ann-of-the-panel")
    assert holds(visited, "ben-of-the-panel")


def test_the_days_may_stand_in_the_study_file(palaver: Palaver, visited: Path) -> None:
    file = visited / "study.yaml"
    file.write_text(file.read_text() + "\nretention: {ids: 30, words: 90}\n")

    said = palaver("retention", "first", "--json")

    assert json.loads(said.out)["studies"][0]["ids"] == 1
