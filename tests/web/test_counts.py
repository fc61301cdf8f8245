"""Every door tells the same numbers of a study: pages, the API, the board, exports and reports."""

import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from palaver.reports.report.study_subject import of_study
from palaver.reports.target import opened_store
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.screenings import CONDITION
from palaver.storage.people.participants import enter
from palaver.storage.people.rater_work import find_rater
from palaver.storage.schema import dialogues
from palaver.storage.studies import quotas
from palaver.studies.review.progress import read_progress
from support.desks import Desk, open_desk
from support.judging_studies import gold, line, training
from support.reviewing import Judging
from support.seeding import NOW, Seeder

# A study that screens raters and has them judge a file, with a hidden check.
JUDGE = {
    "title": "Judge",
    "name": "judge",
    "stages": [
        {"screen": {"training": "training.json", "ask": "empathy", "at_most": 5}},
        {
            "rate": {
                "ask": ["empathy"],
                "data": "data.jsonl",
                "raters": 2,
                "gold": {"file": "gold.jsonl"},
            }
        },
    ],
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A study of pairs and a study that judges a file, with people in both."""
    folder = tmp_path / "studies" / "judge"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(json.dumps(JUDGE), encoding="utf-8")
    (folder / "training.json").write_text(json.dumps(training()), encoding="utf-8")
    lines = {"data.jsonl": [line(f"d{n}", "I see.") for n in range(3)], "gold.jsonl": [gold("g")]}
    for name, rows in lines.items():
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
    with open_desk(tmp_path) as opened:
        opened.sign_in("olga")
        _fill_pairs(opened)
        _fill_judged(opened)
        yield opened


def _fill_pairs(desk: Desk) -> None:
    """Ann comes twice and finishes twice, Bob talks; one vote is replaced, one rater excluded."""
    people = desk.study
    for number, work in enumerate(("1", "2")):
        visit = _visit(people, "ann", work)
        one, other = _pair(people, visit, f"g{number}")
        people.place(f"g{number}")
        people.preference(one, other, "first", rater=f"sim:{number}")
        people.preference(one, other, "second", rater=f"sim:{number}")
    bob = people.visit("bob", state=None)
    people.place("g2", done=False)
    people.dialogue(bob, "hello", reason=None, group="g2")
    one, other = _pair(people, bob, "g3")
    people.preference(one, other, "first", rater="sim:excluded")
    rater = desk.store.read_now(lambda c: find_rater(c, "sim:excluded"))
    assert rater is not None
    desk.store.write_now(
        lambda c: exclude(c, study_id=people.study_id, rater_id=rater.id, excluded=True, now=NOW)
    )


def _visit(people: Seeder, person: str, work: str) -> Any:
    return people.store.write_now(
        lambda c: enter(
            c,
            study_id=people.study_id,
            crowd="prolific",
            person=person,
            assignment=work,
            first_step="consent",
            now=NOW,
        )
    )


def _pair(people: Seeder, visit: Any, group: str) -> tuple[str, str]:
    _, one = people.dialogue(visit, "hello", "I see.", group=group)
    _, other = people.dialogue(visit, "hello", system="chatty", group=group, position=1)
    return one, other


def _fill_judged(desk: Desk) -> None:
    """Cem judges one of three dialogues for real, once in practice; two of five are screened."""
    study = desk.deployment.studies["judge"]
    assert desk.client.portal is not None
    desk.client.portal.call(study.taken_in.wait)
    study_id = study.id
    cem = _visit(Seeder(desk.store, study_id), "cem", "1")
    for number in (1, 2):
        _screen(desk, study_id, f"screened {number}")
    caller = Caller(desk)
    judging = Judging(desk.store, study_id)
    for use, purpose in (("data", "real"), ("practice", "training")):
        (first, *_) = caller.get(f"/studies/judge/dialogues?for={use}")["dialogues"]
        judging.say(
            "quality",
            first["id"],
            "person:cem",
            3,
            purpose=purpose,  # type: ignore[arg-type]
            assignment_id=cem.id,
        )


def _screen(desk: Desk, study_id: int, group: str) -> None:
    desk.store.write_now(lambda c: quotas.set_quotas(c, study_id, 0, {CONDITION: 5}))
    desk.store.write_now(
        lambda c: quotas.claim(c, study_id, 0, CONDITION, group=group, limited=True, now=NOW)
    )


class Caller:
    """Somebody who asks the API."""

    def __init__(self, desk: Desk) -> None:
        self._client = desk.client
        self._headers = {"Authorization": f"Bearer {desk.token('olga')}"}

    def get(self, path: str) -> Any:
        answer = self.raw(path)
        return json.loads(answer)

    def raw(self, path: str) -> bytes:
        answer = self._client.get(f"/api/v1{path}", headers=self._headers)
        assert answer.status_code == 200, answer.text
        return answer.content


def words(page: str) -> str:
    text = re.sub(r"<(script|style|template|svg)\b.*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def read(desk: Desk, path: str) -> str:
    answer = desk.client.get(path)
    assert answer.status_code == 200, answer.text
    return words(answer.text)


EXPECTED: dict[str, dict[str, Any]] = {
    "pilot-2": {
        **{"people": 2, "visits": 3, "finished": 0, "dialogues": 7, "running": 1},
        **{"practice": 0, "checks": 0, "labels": 2, "raters": 2},
        "state": "2 of 60 pairs done, 1 under way",
    },
    "judge": {
        **{"people": 1, "visits": 1, "finished": 0, "dialogues": 3, "running": 0},
        **{"practice": 3, "checks": 1, "labels": 1, "raters": 1},
        "state": "0 of 6 ratings done",
    },
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_door_tells_the_same_numbers(desk: Desk, name: str) -> None:
    expected, caller = EXPECTED[name], Caller(desk)

    told = caller.get(f"/studies/{name}")
    assert {key: told[key] for key in expected} == expected
    assert told in caller.get("/studies")["studies"]
    live = desk.client.get(f"/desk/studies/{name}/progress.json").json()
    assert live["study"] == told

    row = next(row for row in desk.client.get("/desk").text.split("<tr>") if f">{name}<" in row)
    people, dialogues, labels = (expected[key] for key in ("people", "dialogues", "labels"))
    assert f"{expected['state']} open {people} {dialogues} {labels}" in words(row)

    page = read(desk, f"/desk/studies/{name}")
    tabs = f"Participants {people} Dialogues {dialogues} Judgements {labels}"
    assert f"{expected['state']} open" in page
    assert f"{tabs} Raters {expected['raters']}" in page
    visits = "1 visit" if expected["visits"] == 1 else f"{expected['visits']} visits"
    persons = "1 person" if people == 1 else f"{people} people"
    assert f"{visits} by {persons}" in page
    assert f"{persons} in {visits}, 0 finished" in read(desk, f"/desk/studies/{name}/participants")

    for use, key in (("data", "dialogues"), ("practice", "practice"), ("checks", "checks")):
        listed = caller.get(f"/studies/{name}/dialogues?for={use}")["dialogues"]
        assert len(listed) == expected[key]
        shown = desk.client.get(f"/desk/dialogues?study={name}&for={use}").text
        assert all(dialogue["id"] in shown for dialogue in listed)

    for format in ("csv", "palaver", "bundle"):
        content = caller.raw(f"/studies/{name}/export?format={format}")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            counts = json.loads(archive.read("manifest.json"))["counts"]
        for key in ("dialogues", "practice", "checks", "labels", "raters"):
            assert counts.get(key, 0) == expected[key], format


def test_the_board_counts_the_pairs_of_the_desk(desk: Desk, tmp_path: Path) -> None:
    told = Caller(desk).get("/studies/pilot-2")
    board = Caller(desk).get("/studies/pilot-2/board")
    assert (board["votes"], board["needed"], board["state"]) == (2, 60, "provisional")
    assert (told["done"], told["needed"], told["labels"]) == (2, 60, 2)
    assert "2 of 60 planned comparisons are in" in read(desk, "/desk/studies/pilot-2")
    assert "provisional researchers 2 of 60 votes" in read(desk, "/desk/boards")
    with opened_store(desk.store.url, tmp_path / "studies", "pilot-2") as opened:
        (votes,) = of_study(opened).votes
    assert (len(votes.frame), votes.planned) == (2, 60)


def test_a_study_whose_file_is_gone_still_counts_pairs(desk: Desk) -> None:
    (found,) = desk.store.read_now(lambda c: read_progress(c, {}, "pilot-2"))
    assert (found.state, found.served) == ("2 of 60 pairs done, 1 under way", False)


def test_a_screening_allowance_is_not_a_quota(desk: Desk) -> None:
    told = Caller(desk).get("/studies/judge")
    assert (told["conditions"], told["needed"], told["held"]) == ([], 6, 0)
    assert CONDITION not in read(desk, "/desk/studies/judge").lower().split()


def test_nothing_runs_beside_no_dialogue_is_running(desk: Desk) -> None:
    page = read(desk, "/desk/studies/pilot-2")
    assert "Running dialogues: 1" in page
    desk.study.place("rating", done=False)
    desk.store.write_now(_end_all)
    page = read(desk, "/desk/studies/pilot-2")
    assert "2 of 60 pairs done, 2 under way" in page
    assert "Running dialogues: 0" in page
    assert "No dialogue is running. Those under way are answering questions" in page
    assert not re.search(r"[1-9]\d* running", page)


def _end_all(connection: Connection) -> None:
    connection.execute(update(dialogues).where(dialogues.c.ending.is_(None)).values(ending="quit"))
