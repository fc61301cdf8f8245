"""The desk and the API speak of dialogues by the user's own ids, and of people by short names."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from palaver.core.names import person_name
from palaver.studies.intake.intake import take_in
from palaver.studies.intake.materials import load_material
from support.desks import Desk, open_desk
from support.seeding import NOW

# Written from right to left; the override would turn round whatever follows it in its line.
ARABIC, TITLE, SYSTEM = (
    "\u0645\u0644\u0641-7\u202e",
    "\u05de\u05d7\u05e7\u05e8",
    "\u0646\u0638\u0627\u0645",
)
STUDY = f"""\
title: {TITLE}
name: own
questions:
  apt: {{kind: likert, text: Is it apt?, points: [1, 2, 3]}}
stages:
  - rate: {{ask: [apt], data: mine.jsonl, raters: 1}}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk with a study whose title, systems and ids are written from right to left."""
    folder = tmp_path / "studies" / "own"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    turns = [["user", "Hi"], ["system", "Hello!"]]
    lines = [{"id": id, "turns": turns, "system": SYSTEM} for id in (ARABIC, "1234", "50%_x")]
    (folder / "mine.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with open_desk(tmp_path) as opened:
        study = opened.deployment.studies["own"]
        material = load_material(study.definition)
        asyncio.run(take_in(opened.store, study.id, material, now=NOW))
        opened.sign_in("olga")
        yield opened


def found(desk: Desk, asked: str) -> list[str]:
    """The keys of the dialogues that a search lists."""
    page = desk.client.get(f"/desk/dialogues?q={quote(asked)}").text
    return re.findall(r'<th scope="row"><a href="/desk/dialogues/([\w-]+)"', page)


def api(desk: Desk, path: str, status: int = 200) -> Any:
    headers = {"authorization": f"Bearer {desk.token('vera')}"}
    answer = desk.client.get(f"/api/v1{path}", headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_dialogue_is_found_by_your_id(desk: Desk) -> None:
    [arabic] = found(desk, ARABIC)
    [number] = found(desk, "1234")
    assert arabic != number
    # What means something in a pattern of SQL means nothing here.
    assert len(found(desk, "50%_")) == 1
    assert found(desk, "5%x") == []
    assert desk.client.get("/desk/dialogues?q=%00").status_code == 200

    listed = api(desk, f"/studies/own/dialogues?source_id={quote(ARABIC)}")["dialogues"]
    assert [each["id"] for each in listed] == [arabic]
    assert api(desk, "/studies/own/dialogues?source_id=123")["dialogues"] == []
    api(desk, "/studies/own/dialogues?source_id=%00", status=422)


def test_a_dialogue_from_a_file_says_so_and_has_no_times(desk: Desk) -> None:
    [key] = found(desk, "1234")
    page = desk.client.get(f"/desk/dialogues/{key}").text

    assert '(yours: <bdi title="1234">1234</bdi>)' in page
    assert "from <bdi>mine.jsonl</bdi>" in page
    assert "not named" in page
    for pretended in ("simulated", "<dt>Started</dt>", "<dt>Duration</dt>", ">0:00<", ">0 s<"):
        assert pretended not in page
    head = api(desk, f"/dialogues/{key}")
    assert (head["source_id"], head["source"]) == ("1234", "mine.jsonl")
    assert (head["created"], head["seconds"]) == (None, None)
    listed = desk.client.get("/desk/dialogues").text
    assert "simulated" not in listed
    assert 'title="from mine.jsonl">imported</span>' in listed
    assert 'class="tag warning" title="from' not in listed


def test_names_from_right_to_left_turn_nothing_else_round(desk: Desk) -> None:
    [key] = found(desk, ARABIC)
    pages = [f"/desk/dialogues/{key}", "/desk/dialogues", "/desk/dialogues?study=own"]
    for path in pages:
        page = desk.client.get(path).text
        body = re.sub(r'="[^"]*"', "", page[page.index("<main") :])
        for name in (ARABIC, SYSTEM):
            for before in re.findall(rf"<(\w+)[^<>]*>{re.escape(name)}", body):
                assert before in ("bdi", "option"), (path, name, before)


def test_people_are_called_by_short_names_everywhere(desk: Desk) -> None:
    ann = desk.study.visit("ann")
    _, key = desk.study.dialogue(ann, "hello there", "I see.")
    name = person_name(ann.participant_id)

    assert found(desk, name) == [key]
    assert found(desk, name.lower()) == [key]
    for path in ("/desk/dialogues", f"/desk/dialogues/{key}", "/desk/studies/pilot-2/participants"):
        page = desk.client.get(path).text
        assert f'title="{ann.alias}">{name}' in page, path
    seat = api(desk, f"/dialogues/{key}")["seats"][0]
    assert (seat["occupant"], seat["name"]) == (ann.alias, name)
