"""Conversions of single files: merged, split, checked, complete or not at all."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.formats.cocoa.surveys import survey_label, surveys_json
from palaver.formats.conversion import Conversion, convert, parts_of
from palaver.formats.dialogue_files import DIALOGUE_FILES, FilesBeside
from palaver.formats.masking import Masker
from palaver.formats.messages import chat_row
from support.cocoa import (
    BARGAIN_EXAMPLE,
    DEAL_EXAMPLE,
    DEAL_LINE,
    DEAL_SCENARIO,
    EXAMPLES,
    FRIENDS_EXAMPLE,
    OTHER_DEAL_LINE,
    changed,
    write_array,
)

WRONG = changed(BARGAIN_EXAMPLE, "events", 1, "data", "price", to="free")


def run(*sources: Path, to: Path, formats: str, **options: Any) -> Conversion:
    reads, writes = (DIALOGUE_FILES.get(name) for name in formats.split(" to "))
    return convert(sources, to, reads=reads, writes=writes, **options)


def read_array(path: Path) -> list[Any]:
    return list(json.loads(path.read_text()))


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    return write_array(tmp_path / "examples.json", *EXAMPLES)


def test_examples_become_lines_and_examples_again(examples: Path, tmp_path: Path) -> None:
    result = run(examples, to=tmp_path / "a.jsonl", formats="cocoa to palaver")
    assert result.games == {"mutual_friends": 1, "craigslist_bargain": 1, "deal_or_no_deal": 1}
    run(tmp_path / "a.jsonl", to=tmp_path / "b.json", formats="palaver to cocoa")
    assert read_array(tmp_path / "b.json") == list(EXAMPLES)


def test_moves_are_readable_turns_of_messages_and_survive_them(
    examples: Path, tmp_path: Path
) -> None:
    first, again = tmp_path / "m.jsonl", tmp_path / "n.jsonl"
    run(examples, to=first, formats="cocoa to messages")
    rows = [json.loads(line) for line in first.read_text().splitlines()]
    assert [[message["content"] for message in row["messages"]] for row in rows] == [
        ["Hi", "[selects Ada, Chess]", "[selects Ada, Chess]"],
        ["Would you take $30?", "[offers $30]", "[accepts the offer]"],
        ["books ?", "[takes 3 balls]", "[takes 2 books and 1 hat]"],
    ]
    assert rows[1]["messages"][1] == {
        "role": "assistant",
        "content": "[offers $30]",
        "move": {"action": "offer", "data": {"price": 30.0, "sides": ""}},
    }
    run(first, to=again, formats="messages to messages")
    assert again.read_bytes() == first.read_bytes()


def test_deal_text_is_merged_with_what_is_left_out_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{DEAL_LINE}\n{OTHER_DEAL_LINE}\n")
    (tmp_path / "b.txt").write_text(f"{DEAL_LINE.replace('i want', 'give me')}\n")
    result = run(
        tmp_path / "a.txt", tmp_path / "b.txt", to=tmp_path / "c.json", formats="deal-text to cocoa"
    )
    assert result.records == 2
    assert result.left_out == {"the other side's view of a dialogue": 1}


def test_the_same_dialogue_is_written_once_and_named(examples: Path, tmp_path: Path) -> None:
    other = write_array(tmp_path / "other.json", DEAL_EXAMPLE)
    result = run(examples, other, to=tmp_path / "all.json", formats="cocoa to cocoa")
    assert read_array(tmp_path / "all.json") == list(EXAMPLES)
    assert result.duplicates == (
        f"{other}:1: example 1 (E_deal): the same as {examples}:1: example 3 (E_deal)",
    )


def test_one_id_with_two_contents_is_refused(examples: Path, tmp_path: Path) -> None:
    other = write_array(
        tmp_path / "other.json", changed(DEAL_EXAMPLE, "events", 0, "data", to="hats ?")
    )
    with pytest.raises(InputError, match="'E_deal' stands with other content at"):
        run(examples, other, to=tmp_path / "all.json", formats="cocoa to cocoa")
    assert left_in(tmp_path) == {"examples.json", "other.json"}


def test_scenarios_of_dialogues_come_once_each(tmp_path: Path) -> None:
    mended = changed(DEAL_EXAMPLE, "scenario", "kbs", 0, 0, "Value", to=5)
    source = write_array(
        tmp_path / "x.json", DEAL_EXAMPLE, {**DEAL_EXAMPLE, "uuid": "b"}, {**mended, "uuid": "c"}
    )
    result = run(source, to=tmp_path / "s.json", formats="cocoa to cocoa-scenarios")
    assert read_array(tmp_path / "s.json") == [DEAL_SCENARIO]
    assert result.left_out == {"a later version of a scenario with the same id": 1}
    run(tmp_path / "s.json", to=tmp_path / "c.txt", formats="cocoa-scenarios to deal-contexts")
    assert (tmp_path / "c.txt").read_text() == "2 1 1 2 3 2\n2 3 1 4 3 0\n"


def test_every_mistake_is_told_and_nothing_written(tmp_path: Path) -> None:
    source = write_array(tmp_path / "x.json", WRONG, DEAL_EXAMPLE, {**WRONG, "uuid": 7})
    with pytest.raises(InputError) as refused:
        run(source, to=tmp_path / "y.jsonl", formats="cocoa to palaver")
    assert str(refused.value).splitlines() == [
        "Nothing was written. What is wrong (--lenient leaves it out):",
        f"  {source}:1: example 1 (C_bargain): Event 2: The price of an offer is a number or null; "
        "got 'free'.",
        f"  {source}:1: example 3: 'uuid' takes text; got a whole number.",
    ]
    assert left_in(tmp_path) == {"x.json"}


def test_what_is_wrong_can_be_left_out(tmp_path: Path) -> None:
    source = write_array(tmp_path / "x.json", WRONG, DEAL_EXAMPLE, FRIENDS_EXAMPLE)
    result = run(source, to=tmp_path / "y.txt", formats="cocoa to deal-text", lenient=True)
    assert result.records == 1
    assert [place.split(": ")[1] for place in result.mistakes] == [
        "example 1 (C_bargain)",
        "example 3 (C_friends)",
    ]


def test_reading_stops_after_twenty_mistakes(tmp_path: Path) -> None:
    source = write_array(tmp_path / "x.json", *[WRONG] * 30)
    with pytest.raises(InputError, match="reading stopped after 20 mistakes") as refused:
        run(source, to=tmp_path / "y.jsonl", formats="cocoa to palaver")
    assert len(str(refused.value).splitlines()) == 22


@pytest.mark.parametrize("lenient", [False, True])
def test_a_half_written_file_is_refused(tmp_path: Path, lenient: bool) -> None:
    (tmp_path / "x.json").write_text(json.dumps(list(EXAMPLES))[:-30])
    with pytest.raises(InputError, match=r"It looks cut off\. Read so far: 2 whole\."):
        run(
            tmp_path / "x.json",
            to=tmp_path / "y.jsonl",
            formats="cocoa to palaver",
            lenient=lenient,
        )
    assert left_in(tmp_path) == {"x.json"}


def test_what_is_there_stays_unless_it_may_go(examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "y.jsonl"
    out.write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        run(examples, to=out, formats="cocoa to palaver")
    assert out.read_text() == "mine"
    assert run(examples, to=out, formats="cocoa to palaver", overwrite=True).records == 3
    assert len(out.read_text().splitlines()) == 3


def test_a_split_is_exact_drawn_by_seed_and_loses_nothing(tmp_path: Path) -> None:
    many = [{**DEAL_EXAMPLE, "uuid": f"E_{n:02}"} for n in range(20)]
    source = write_array(tmp_path / "all.json", *many)

    def parts(out: str, seed: int) -> list[list[str]]:
        result = run(
            source,
            to=tmp_path / out,
            formats="cocoa to cocoa",
            parts=parts_of("0.8,0.1,0.1"),
            seed=seed,
        )
        return [[each["uuid"] for each in read_array(Path(file.file))] for file in result.files]

    train, dev, test = parts("a.json", 1)
    assert [len(train), len(dev), len(test)] == [16, 2, 2]
    assert sorted(train + dev + test) == [each["uuid"] for each in many]
    assert train == sorted(train)
    assert parts("b.json", 1) == [train, dev, test]
    assert parts("c.json", 2) != [train, dev, test]
    assert (tmp_path / "a-dev.json").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.8,0.3", "add up to 1; '0.8,0.3' adds up to 1.1"),
        ("1", "lies between 0 and 1; got '1'"),
        ("a=0.5,a=0.5", "a plain name of its own"),
        ("a/b=0.5,c=0.5", "a plain name of its own"),
        ("0.5,half", "lies between 0 and 1; got 'half'"),
        ("nan,0.5", "lies between 0 and 1; got 'nan'"),
    ],
)
def test_shares_that_do_not_add_up_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parts_of(text)
    assert message in str(refused.value)


def test_surveys_become_labels_and_surveys_again(examples: Path, tmp_path: Path) -> None:
    types = {raw["uuid"]: raw["agents"] for raw in EXAMPLES}
    answers = {chat: {"0": {}, "1": {}} for chat in types}
    answers["C_friends"]["1"] = {"cooperative": 4, "humanlike": "null"}
    surveys = write_array(tmp_path / "s.json", types, answers)
    labels, again = tmp_path / "labels.jsonl", tmp_path / "t.json"
    assert run(surveys, to=labels, formats="cocoa-surveys to labels").records == 2
    with pytest.raises(InputError, match="--dialogues"):
        run(labels, to=again, formats="labels to cocoa-surveys")
    run(examples, to=tmp_path / "d.jsonl", formats="cocoa to palaver")
    dialogues = tuple(
        each.record
        for each in DIALOGUE_FILES.get("cocoa").find(
            examples.open("rb"), "examples.json", FilesBeside()
        )
    )
    run(
        labels,
        to=again,
        formats="labels to cocoa-surveys",
        beside=FilesBeside(dialogues=dialogues),
    )
    assert read_array(again) == [types, answers]


def test_surveys_that_went_through_a_store_have_their_chats_again() -> None:
    [record] = (example_record(FRIENDS_EXAMPLE),)
    kept = msgspec.structs.replace(record, id="d_1")
    label = survey_label("d_1", 1, "humanlike", 4, rater_type="human")
    [types, answers] = surveys_json([label], [kept])
    assert types == {"C_friends": FRIENDS_EXAMPLE["agents"]}
    assert answers == {"C_friends": {"0": {}, "1": {"humanlike": 4}}}
    assert example_json(kept) == FRIENDS_EXAMPLE


def test_a_format_that_is_only_read_is_not_written_and_the_other_way_round(
    examples: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="'cocoa-db' is only read; it cannot be written"):
        run(examples, to=tmp_path / "y.db", formats="cocoa to cocoa-db")
    with pytest.raises(InputError, match="'html-viewer' is only written; it cannot be read"):
        run(examples, to=tmp_path / "y.json", formats="html-viewer to cocoa")
    assert left_in(tmp_path) == {"examples.json"}


def test_masking_knows_the_names_that_a_dialogue_says(tmp_path: Path) -> None:
    said = changed(BARGAIN_EXAMPLE, "events", 0, "data", to="My name is Rosalind. rosa@example.org")
    source = write_array(tmp_path / "x.json", said)
    label = survey_label("C_bargain", 0, "comments", "Rosalind was kind.", rater_type="human")
    beside = FilesBeside(labels={"C_bargain": [label]})
    masker = Masker()
    for to in ("palaver", "cocoa", "messages", "html-viewer"):
        out = tmp_path / to
        run(source, to=out, formats=f"cocoa to {to}", beside=beside, masker=masker)
        assert "Rosalind" not in out.read_text()
        assert "rosa@" not in out.read_text()
    assert "[name] was kind." in (tmp_path / "html-viewer").read_text()
    assert masker.counts["email"]


def test_moves_that_were_not_for_both_are_counted_not_told(tmp_path: Path) -> None:
    for raw in EXAMPLES:
        record = example_record(raw)
        events = [
            msgspec.structs.replace(event, audience=(0,)) if event.action != MESSAGE else event
            for event in record.events
            if event.is_turn
        ]
        row = chat_row(msgspec.structs.replace(record, events=events))
        assert [each["content"] for each in row.messages] == [
            event.text for event in events if event.action == MESSAGE
        ]
        assert row.other_moves == 2


def test_rows_of_hugging_face_have_readable_moves(examples: Path, tmp_path: Path) -> None:
    bargain = write_array(tmp_path / "b.json", BARGAIN_EXAMPLE)
    run(bargain, to=tmp_path / "b.jsonl", formats="cocoa to hf-bargain")
    run(tmp_path / "b.jsonl", to=tmp_path / "m.jsonl", formats="hf-bargain to messages")
    [row] = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert [each["content"] for each in row["messages"]] == [
        "Would you take $30?",
        "[offers $30]",
        "[accepts the offer]",
    ]


def test_help_desk_dialogues_keep_their_turns(tmp_path: Path) -> None:
    turns = [
        {"sender": "customer", "utterances": ["Hi", "It is broken."]},
        {"sender": "helpdesk", "utterances": []},
    ]
    quality = {"quality": {"A": 1, "S": 0, "E": 2}}
    source = write_array(tmp_path / "x.json", {"id": "1", "turns": turns, "annotations": [quality]})
    result = run(source, to=tmp_path / "y.jsonl", formats="dch2 to palaver")
    assert list(result.left_out.values()) == [1]
    run(tmp_path / "y.jsonl", to=tmp_path / "z.json", formats="palaver to dch2")
    assert read_array(tmp_path / "z.json") == [{"id": "1", "turns": turns}]


def test_files_of_different_kinds_do_not_convert(examples: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'cocoa' holds dialogues and 'labels' labels"):
        run(examples, to=tmp_path / "y", formats="cocoa to labels")


@pytest.mark.parametrize("to", ["cocoa", "deal-text", "hf-bargain", "cocoa-scenarios"])
def test_knowledge_of_no_game_is_named_whatever_is_written(tmp_path: Path, to: str) -> None:
    for game in ("open_chat", "craigslist_bargain", "deal_or_no_deal"):
        line = {
            "id": game,
            "study": "s",
            "scenario": {"game": game, "kbs": [{"personal": 1}, [7]]},
            "seats": [{"index": 0, "kind": "person", "occupant": "p"}],
            "events": [
                {"seq": 1, "seat": 0, "action": "select", "data": {"cocoa": 3}, "time": 1},
                {"seq": 2, "seat": None, "action": "end", "data": {"cocoa": []}, "time": 1},
            ],
        }
        (tmp_path / "x.jsonl").write_text(json.dumps(line))
        with pytest.raises(InputError, match=r"x\.jsonl:1: "):
            run(tmp_path / "x.jsonl", to=tmp_path / "y", formats=f"palaver to {to}")


def both_ways() -> list[str]:
    formats = map(DIALOGUE_FILES.get, DIALOGUE_FILES.names())
    return [each.name for each in formats if each.ways == "read and written"]


@pytest.mark.parametrize("name", both_ways())
def test_an_empty_file_holds_nothing_in_every_format(name: str, tmp_path: Path) -> None:
    reads = DIALOGUE_FILES.get(name)
    empty = "[{}, {}]" if name == "cocoa-surveys" else "[]" if name == "dch2" else ""
    (tmp_path / "x").write_text(empty)
    out = tmp_path / "y"
    result = convert(
        [tmp_path / "x"], out, reads=reads, writes=reads, beside=FilesBeside(dialogues=())
    )
    assert result.records == 0
    again = convert(
        [out], tmp_path / "z", reads=reads, writes=reads, beside=FilesBeside(dialogues=())
    )
    assert again.records == 0


def test_counts_of_annotators_are_left_out_and_counted(tmp_path: Path) -> None:
    turn = {"sender": "customer", "utterances": ["Hello?"]}
    entries = [{"id": f"{n}", "turns": [turn], "nugget": [{"CNUG0": 19}]} for n in range(2)]
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(each) + "\n" for each in entries))
    result = run(tmp_path / "dev.jsonl", to=tmp_path / "out.json", formats="dch2 to dch2")
    assert result.left_out == {
        "the counts of a dialogue's annotators (palaver score reads them)": 2
    }
    assert read_array(tmp_path / "out.json") == [
        {"id": each["id"], "turns": each["turns"]} for each in entries
    ]
