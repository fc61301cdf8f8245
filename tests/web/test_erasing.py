"""Researchers erase by name, key or panel id: at the desk and over the API, with one record."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from palaver.core.names import person_name
from palaver.storage.people.participants import Assignment
from support.databases import new_sqlite
from support.desks import Desk, open_desk


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    url = (
        new_sqlite(tmp_path / "palaver.db")
        if request.param == "sqlite"
        else request.getfixturevalue("postgres").new_database()
    )
    with open_desk(tmp_path, database=url) as opened:
        yield opened


@pytest.fixture
def ann(desk: Desk) -> Assignment:
    visit = desk.study.visit("ann-of-the-panel")
    desk.study.dialogue(visit, "my secret", "I see.", reason="complete")
    return visit


def erase(desk: Desk, who: str, *, name: str = "ruth", status: int = 200, **given: Any) -> Any:
    answer = desk.client.post(
        "/api/v1/studies/pilot-2/erasures",
        headers={"authorization": f"Bearer {desk.token(name)}"},
        json={"who": who, **given},
    )
    assert answer.status_code == status, answer.text
    return answer.json()


def rows(desk: Desk, sql: str) -> list[Any]:
    return desk.store.read_now(lambda c: list(c.execute(text(sql))))


def erased_words(desk: Desk) -> bool:
    said = rows(desk, "SELECT data FROM events WHERE data LIKE '%my secret%'")
    names = rows(desk, "SELECT id FROM participants WHERE external_id = 'ann-of-the-panel'")
    return not said and not names


@pytest.mark.parametrize("by", ["name", "alias", "key", "panel id"])
def test_a_person_is_found_by_every_name(desk: Desk, ann: Assignment, by: str) -> None:
    who = {
        "name": person_name(ann.participant_id).lower(),
        "alias": ann.alias,
        "key": ann.key,
        "panel id": "ann-of-the-panel",
    }[by]

    told = erase(desk, who)

    assert erased_words(desk)
    assert told["name"] == person_name(ann.participant_id)
    assert (told["visits"], told["already"], told["remembered"]) == (1, 0, True)
    [record] = rows(desk, "SELECT events, labels, erasures.by AS who FROM erasures")
    assert (record.events, record.who) == (told["events"], "researcher")
    assert erase(desk, ann.alias)["already"] == 1


def test_a_running_conversation_is_ended(desk: Desk) -> None:
    ben = desk.study.visit("ben", state=None)
    _, key = desk.study.dialogue(ben, "my secret", reason=None)

    erase(desk, "ben")

    [dialogue] = rows(desk, "SELECT key, ending FROM dialogues")
    assert (dialogue.key, dialogue.ending) == (key, "withdrawn")
    desk.sign_in("vera")
    page = desk.client.get(f"/desk/dialogues/{key}").text
    assert "erased by a researcher" in page


def test_even_the_hash_can_be_forgotten_also_later(desk: Desk, ann: Assignment) -> None:
    erase(desk, "ann-of-the-panel")
    assert rows(desk, "SELECT id FROM tombstones")

    told = erase(desk, "ann-of-the-panel", entirely=True)

    assert (told["name"], told["visits"], told["remembered"]) == (None, 0, False)
    assert not rows(desk, "SELECT id FROM tombstones")
    erase(desk, "ann-of-the-panel", status=404)


def test_viewers_erase_nobody_and_strangers_are_not_found(desk: Desk, ann: Assignment) -> None:
    erase(desk, ann.alias, name="vera", status=403)
    refused = erase(desk, "nobody", status=404)
    assert "Nobody in 'pilot-2' is 'nobody'" in refused["error"]["message"]
    erase(desk, "", status=422)
    erase(desk, "a\0b", status=422)
    assert not erased_words(desk)


def test_the_desk_asks_for_the_name_first(desk: Desk, ann: Assignment) -> None:
    name = person_name(ann.participant_id)
    page = f"/desk/studies/pilot-2/participants/{name}"
    desk.sign_in("ruth")
    assert f"Type {name} to confirm" in desk.client.get(page).text

    refused = desk.post(f"{page}/erase", on=page, confirm="yes")
    assert refused.status_code == 422
    assert "Nothing was erased" in refused.text
    assert not erased_words(desk)

    done = desk.post(f"{page}/erase", on=page, confirm=name.lower())
    assert done.status_code == 200
    assert f"What {name} gave is erased" in done.text
    assert "out of reach" in done.text
    assert erased_words(desk)
    assert "Type" not in desk.client.get(page).text
    assert desk.client.get(f"{page}/erase").status_code == 200


def test_a_viewer_sees_visits_without_the_form(desk: Desk, ann: Assignment) -> None:
    name = person_name(ann.participant_id)
    page = f"/desk/studies/pilot-2/participants/{name}"
    desk.sign_in("vera")
    seen = desk.client.get(page).text
    assert "confirm" not in seen
    assert "ann-of-the-panel" not in seen
    refused = desk.client.post(f"{page}/erase", data={"csrf": desk.csrf("/desk"), "confirm": name})
    assert refused.status_code == 403
    for unknown in ("P99999", "nobody", "P"):
        assert desk.client.get(f"/desk/studies/pilot-2/participants/{unknown}").status_code == 404
    assert not erased_words(desk)
