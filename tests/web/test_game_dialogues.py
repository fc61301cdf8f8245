"""The page of a game's dialogue: what each side knew, moves in place, the outcome in words."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.formats.cocoa.examples import example_record
from palaver.studies.intake.dialogue_records import import_records
from support.cocoa import BARGAIN_EXAMPLE, DEAL_EXAMPLE, EXAMPLES, FRIENDS_EXAMPLE, changed
from support.desks import Desk, open_desk
from support.seeding import NOW

HOSTILE = "<script>alert(1)</script>\u2028\"'><img src=x onerror=alert(2)>"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        opened.sign_in("vera")
        yield opened


def shown(desk: Desk, example: dict[str, Any]) -> str:
    """The page of an example that was imported."""
    record = example_record(example)
    import_records(desk.store, "games", [record], [], entries={}, salt="s", now=NOW)
    listing = desk.client.get("/desk/dialogues?study=games").text
    [address] = set(re.findall(r"/desk/dialogues/d_[0-9a-f]+", listing))
    answer = desk.client.get(address)
    assert answer.status_code == 200
    return answer.text


def cells(page: str) -> list[list[str]]:
    """The rows of the tables of knowledge."""
    tables = re.findall(r'<table class="known-table.*?</table>', page, re.S)
    rows = [row for table in tables for row in re.findall(r"<tr.*?</tr>", table, re.S)]
    return [
        [html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in re.findall(
            r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in rows
    ]  # fmt: skip


def said(page: str) -> list[str]:
    lines = re.findall(r'<p class="said"[^>]*>(.*?)</p>', page, re.S)
    return [html.unescape(line) for line in lines]


def test_both_tables_of_friends_and_the_row_that_matches(desk: Desk) -> None:
    page = shown(desk, FRIENDS_EXAMPLE)
    assert cells(page) == [
        ["Name", "Hobby"],
        ["Ada both know", "Chess"],
        ["Bo", "Go"],
        ["Name", "Hobby"],
        ["Ada both know", "Chess"],
        ["Cy", "Judo"],
    ]
    assert [line for line in said(page) if "select" in line] == [
        "selects Ada, Chess",
        "selects Ada, Chess",
        "Both selected the friend they have in common.",
    ]
    assert "cocoa" not in " ".join(said(page))


def test_the_listing_and_what_each_side_of_a_bargain_wants(desk: Desk) -> None:
    page = shown(desk, BARGAIN_EXAMPLE)
    rows = cells(page)
    assert ["Role", "buyer"] in rows
    assert ["Target", "$20"] in rows
    assert ["Target", "$40"] in rows
    assert rows.count(["Description", "Bright.\nBlue."]) == 2
    assert said(page)[-4:] == [
        "Would you take $30?",
        "offers $30",
        "accepts the offer",
        "Agreed on $30.",
    ]


def test_items_with_the_values_of_each_side(desk: Desk) -> None:
    page = shown(desk, DEAL_EXAMPLE)
    assert [row for row in cells(page) if row[0] == "book"] == [
        ["book", "2", "1"],
        ["book", "2", "3"],
    ]
    assert said(page)[-2:] == [
        "takes 2 books and 1 hat",
        "Agreed: rulebased takes 3 balls and fb-neural takes 2 books and 1 "
        "hat. Points: rulebased 6, fb-neural 10.",
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: str(each["uuid"]))
def test_hostile_words_are_words_everywhere(desk: Desk, example: dict[str, Any]) -> None:
    hostile = {**example, "uuid": f"x{HOSTILE}", "agents": {"0": "human", "1": HOSTILE}}
    kb = hostile["scenario"]["kbs"][0]
    if isinstance(kb, dict):
        hostile = changed(hostile, "scenario", "kbs", 0, "item", "Title", to=HOSTILE)
    elif "Count" not in kb[0]:
        hostile = changed(hostile, "scenario", "kbs", 0, 1, "Name", to=HOSTILE)
    event = {"agent": 0, "action": "message", "data": HOSTILE, "time": 1}
    hostile = {**hostile, "events": [event, *hostile["events"]]}
    page = shown(desk, hostile)
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert HOSTILE in html.unescape(page)


def test_a_dialogue_without_knowledge_has_no_place_for_it(desk: Desk) -> None:
    bare = {**DEAL_EXAMPLE, "scenario": None, "outcome": None}
    page = shown(desk, bare)
    assert "known-table" not in page
    assert said(page)[-1] == "End of what was imported"
