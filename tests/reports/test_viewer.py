"""The viewer as a file: what it holds, how it is cut into blocks, and hostile words in it."""

import base64
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from palaver.core.events import MESSAGE, Event
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.cocoa.examples import example_record
from palaver.formats.cocoa.surveys import survey_label
from palaver.reports.export import export_study
from palaver.reports.viewer.page import CHUNK, ViewerPage
from palaver.storage import Store
from palaver.studies.intake.cocoa_files import survey_entries
from palaver.studies.intake.dialogue_records import import_records
from support.cocoa import BARGAIN_EXAMPLE, DEAL_EXAMPLE, EXAMPLES, FRIENDS_EXAMPLE, changed
from support.databases import new_sqlite
from support.seeding import NOW

HOSTILE = "</script><script>alert(1)</script><!--\u2028\u2029]]>\"'&lt;"


def page_of(*given: tuple[DialogueRecord, list[LabelRecord]], title: str = "Test") -> str:
    stream = io.BytesIO()
    page = ViewerPage(stream, title=title)
    for record, labels in given:
        page.add(record, labels)
    page.finish()
    return stream.getvalue().decode()


def blocks(page: str, part: str) -> list[Any]:
    found = re.findall(
        rf'<script type="application/json" data-part="{part}">(.*?)</script>', page, re.S
    )
    return [json.loads(each) for each in found]


def lines(body: dict[str, Any]) -> list[tuple[int | None, str]]:
    return [(line[1], line[2]) for line in body["lines"]]


def test_moves_knowledge_outcome_and_answers_of_each_game_are_there() -> None:
    label = survey_label("C_friends", 1, "humanlike", 4, rater_type="human")
    records = [example_record(each) for each in EXAMPLES]
    page = page_of((records[0], [label]), (records[1], []), (records[2], []))
    [index], [chunk] = blocks(page, "index"), blocks(page, "chunk")
    assert [row[5] for row in index["rows"]] == ["found", "agreed", "agreed"]
    assert [row[4] for row in index["rows"]] == [
        ["person", "rulebased"],
        ["person", "person"],
        ["rulebased", "fb-neural"],
    ]
    assert index["rows"][0][9] == {"humanlike": 4.0}
    friends, bargain, deal = chunk["bodies"]
    assert lines(friends)[1:] == [(1, "selects Ada, Chess"), (0, "selects Ada, Chess")]
    assert friends["answers"] == [["humanlike", "Person 1 about rulebased", "4"]]
    assert lines(bargain)[1:] == [(1, "offers $30"), (0, "accepts the offer")]
    assert bargain["sentence"] == "Agreed on $30."
    assert deal["sentence"].endswith("Points: rulebased 6, fb-neural 10.")
    places = [index["knowledge"][row[11]] for row in index["rows"]]
    assert [chunk["knowledge"][place][0][0]["caption"] for _, place in places] == [
        "Friends",
        "Wants",
        "Items, worth 10 points in all",
    ]


def test_knowledge_is_written_once_and_found_again_across_blocks() -> None:
    many = [
        example_record({**(DEAL_EXAMPLE if n % 2 else FRIENDS_EXAMPLE), "uuid": f"C_{n}"})
        for n in range(2 * CHUNK + 1)
    ]
    page = page_of(*((record, []) for record in many))
    [index], chunks = blocks(page, "index"), blocks(page, "chunk")
    assert [len(chunk["bodies"]) for chunk in chunks] == [CHUNK, CHUNK, 1]
    assert [len(chunk["knowledge"]) for chunk in chunks] == [2, 0, 0]
    assert index["knowledge"] == [[0, 0], [0, 1]]
    assert [row[11] for row in index["rows"]] == [n % 2 for n in range(2 * CHUNK + 1)]


def hostile_record() -> DialogueRecord:
    example = changed(BARGAIN_EXAMPLE, "scenario", "kbs", 0, "item", "Title", to=HOSTILE)
    example = changed(example, "events", 0, "data", to=HOSTILE)
    scenario = {**example["scenario"], "uuid": HOSTILE, "category": HOSTILE}
    agents = {"0": HOSTILE, "1": HOSTILE}
    return example_record({**example, "uuid": HOSTILE, "agents": agents, "scenario": scenario})


def test_hostile_words_end_no_block() -> None:
    answer = survey_label(HOSTILE, 0, HOSTILE, HOSTILE, rater_type="human")
    page = page_of((hostile_record(), [answer]), title=HOSTILE)
    assert len(re.findall(r"<script\b", page)) == len(re.findall(r"</script", page)) == 3
    assert "\u2028" not in page.replace("&", "").split("<body")[1].split("<main")[1]
    [index], [chunk] = blocks(page, "index"), blocks(page, "chunk")
    assert index["rows"][0][0] == HOSTILE
    assert chunk["bodies"][0]["lines"][0][2] == HOSTILE
    assert chunk["bodies"][0]["answers"][0][2] == HOSTILE


def test_its_own_policy_allows_its_script_and_styles_and_nothing_else() -> None:
    page = page_of()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    for tag, kind in (
        (r"<style>(.*?)</style>", "style"),
        (r'<script type="module">(.*?)</script>', "script"),
    ):
        found = re.search(tag, page, re.S)
        assert found is not None
        digest = base64.b64encode(hashlib.sha256(found.group(1).encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy.group(1)
    assert "default-src 'none'" in policy.group(1)
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)


def test_what_was_erased_private_or_taken_back_is_told_as_such() -> None:
    record = example_record(FRIENDS_EXAMPLE)
    events = (
        Event(seq=1, seat=0, action=MESSAGE, data=None, time=1.0),
        Event(seq=2, seat=1, action="guess", data={"number": 7}, time=2.0, audience=(1,)),
        Event(seq=3, seat=1, action="takeover", data={"system": "tern"}, time=3.0),
    )
    changed_record = DialogueRecord(
        id="d", study="s", scenario=record.scenario, seats=record.seats, events=list(events)
    )
    old = survey_label("d", 0, "humanlike", 1, rater_type="human")
    taken_back = LabelRecord(
        **{f: getattr(old, f) for f in old.__struct_fields__} | {"superseded": True}
    )
    [chunk] = blocks(page_of((changed_record, [taken_back])), "chunk")
    [body] = chunk["bodies"]
    assert [line[2] for line in body["lines"]] == [
        None,
        'guess {"number":7}',
        "tern took this side over",
    ]
    assert body["lines"][1][4] == "only rulebased saw this"
    assert "answers" not in body


@pytest.mark.parametrize("mask", [False, True])
def test_a_study_is_exported_with_what_was_answered(tmp_path: Path, mask: bool) -> None:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    said = changed(FRIENDS_EXAMPLE, "events", 2, "data", to="My name is Rosalind.")
    labels = [
        survey_label("C_friends", 1, "comments", "Rosalind liked it.", rater_type="human"),
        survey_label("C_friends", 1, "humanlike", 4, rater_type="human"),
    ]
    entries = survey_entries(labels)
    import_records(store, "g", [example_record(said)], labels, entries=entries, salt="s", now=NOW)
    out = tmp_path / "v.html"
    export_study(store, study="g", format="html-viewer", destination=out, mask=mask)
    store.close()
    page = out.read_text()
    [index], [chunk] = blocks(page, "index"), blocks(page, "chunk")
    assert index["rows"][0][1] == "d01 (yours: C_friends)"
    assert index["rows"][0][9] == {"humanlike": 4.0}
    assert ("Rosalind" in page) is not mask
    assert ("Personal details are masked: names (2)." in index["note"]) is mask
    answers = {question: answer for question, _, answer in chunk["bodies"][0]["answers"]}
    assert answers["comments"] == ("[name] liked it." if mask else "Rosalind liked it.")
