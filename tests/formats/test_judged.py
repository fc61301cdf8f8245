"""Lines of dialogues to judge: every shape is recognised, and every mistake has its place."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.characters import REFUSAL
from palaver.core.dialogue import Seat
from palaver.core.events import END, MESSAGE, Event
from palaver.core.records import DialogueRecord, encode_line
from palaver.formats.dialogue_texts import DialogueText, SheetRecord
from palaver.formats.json_places import place_of
from palaver.formats.judged import KEYS, read_judged
from palaver.formats.line_problems import MOST, LineProblems
from palaver.formats.pseudonyms import origin_pseudonym
from support.shared import ABC_EVAL

TURNS = [["user", "Hi"], ["system", "Hello!"]]


def read(*lines: Any) -> tuple[list[SheetRecord], list[str]]:
    """What the lines give, and what is said about them."""
    line_problems = LineProblems("judged.jsonl")
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    sheets = [line.sheet for line in read_judged(raw, line_problems)]
    return sheets, [str(problem) for problem in line_problems.problems]


def read_one(line: Any) -> SheetRecord:
    sheets, problems = read(line)
    assert problems == []
    return sheets[0]


def said(text: DialogueText) -> list[tuple[int, str]]:
    return [(turn.seat, turn.text) for turn in text.turns]


# --- Shapes ---------------------------------------------------------------------------------------


def test_one_dialogue() -> None:
    sheet = read_one(
        {"id": "a", "turns": TURNS, "system": "tern", "group": "g", "origin": "p1", "raters": 3}
    )

    assert (sheet.id, sheet.group, sheet.people, sheet.raters) == ("a", "g", ("p1",), 3)
    assert sheet.parts[0].ask is None
    assert sheet.parts[0].dialogues[0].system == "tern"
    assert said(sheet.parts[0].dialogues[0]) == [(0, "Hi"), (1, "Hello!")]


def test_turns_as_mappings() -> None:
    turn = {"speaker": "helpdesk", "text": "Hello!", "any_of": ["yes", "no"], "why": "Both do."}
    sheet = read_one({"turns": [{"speaker": "customer", "text": "Hi"}, turn]})

    text = sheet.parts[0].dialogues[0]
    assert said(text) == [(0, "Hi"), (1, "Hello!")]
    assert text.turns[1].answers == {"_disjunction": True, "options": ["yes", "no"]}
    assert text.turns[1].why == "Both do."


def test_what_is_missing_is_named_after_its_place() -> None:
    sheets, problems = read({"turns": TURNS}, b"\n", {"turns": TURNS, "id": 17})

    assert problems == []
    assert [(sheet.id, sheet.group) for sheet in sheets] == [("line-1", "line-1"), ("17", "17")]


def test_a_null_character_is_refused_with_its_line() -> None:
    sound = '{"id": "a", "turns": [["user", "the text \\\\u0000 is about the escape"]]}'
    wrong = '{"id": "b", "turns": [["user", "a\\u0000b"]]}'
    problems = LineProblems("file.jsonl")
    read = list(read_judged([sound.encode(), wrong.encode()], problems))
    assert [line.number for line in read] == [1]
    assert [(each.line, each.message) for each in problems.problems] == [(2, REFUSAL)]


def test_a_pair() -> None:
    sheet = read_one(
        {"id": "p", "pair": [{"id": "x", "turns": TURNS}, {"turns": TURNS}], "ask": ["better"]}
    )

    part = sheet.parts[0]
    assert part.is_pair
    assert [text.id for text in part.dialogues] == ["x", "p-2"]
    assert part.ask == ("better",)


def test_several_dialogues() -> None:
    pair = [{"id": "a", "turns": TURNS}, {"id": "b", "turns": TURNS}]
    sheet = read_one(
        {
            "id": "s",
            "ask": ["good"],
            "origin": ["p1", "p2"],
            "dialogues": [{"id": "a", "turns": TURNS}, {"pair": pair, "ask": ["better"]}],
        }
    )

    assert [part.ask for part in sheet.parts] == [("good",), ("better",)]
    assert sheet.people == ("p1", "p2")


def test_chat_messages() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo!"}]
    sheet = read_one(
        {
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": None, "tool_calls": []},
                {"role": "tool", "content": "42", "tool_call_id": "1"},
                {"role": "assistant", "content": parts},
            ]
        }
    )

    assert said(sheet.parts[0].dialogues[0]) == [(0, "Hi"), (1, "Hello!")]


def test_our_own_export() -> None:
    def event(seq: int, seat: int | None, **given: Any) -> Event:
        return Event(seq=seq, seat=seat, action=given.pop("action", MESSAGE), time=1.0, **given)

    record = DialogueRecord(
        id="d_1",
        study="pilot",
        group="both-of-a-pair",
        seats=[
            Seat(index=0, kind="system", occupant="tern"),
            Seat(index=1, kind="person", occupant="p_ann"),
        ],
        events=[
            event(1, 0, data={"text": "Welcome"}),
            event(2, 1, data={"text": "Hi"}),
            event(3, 1, data=None),
            event(4, 1, data={"text": "psst"}, audience=(0,)),
            event(5, None, action=END, data={"reason": "complete"}),
        ],
    )
    sheets, problems = read(encode_line(record))

    assert problems == []
    assert said(sheets[0].parts[0].dialogues[0]) == [(1, "Welcome"), (0, "Hi")]
    assert sheets[0].parts[0].dialogues[0].system == "tern"
    # One person may judge both dialogues of a pair that somebody else held.
    assert (sheets[0].group, sheets[0].people) == ("d_1", ("p_ann",))


def test_the_other_platform_with_and_without_its_wrapper() -> None:
    item = {"dialogue_id": "l|r", "group_id": "g", "annotation_tasks": ["c"], "turns": TURNS}
    item |= {"turns2": [["user", "Hi"], ["bot", "Yo"]], "bot_persona": [["I sing."], []]}
    wrapped, bare = read_one({"data": [item]}), read_one(item)

    assert wrapped.id == bare.id == "g/l|r"
    left, right = wrapped.parts[0].dialogues
    assert (left.id, left.persona, right.id) == ("l", ("I sing.",), "r")
    assert said(right) == [(0, "Hi"), (1, "Yo")]


def test_the_other_platform_may_ask_of_one_dialogue_on_several_lines() -> None:
    item = {"dialogue_id": "d", "group_id": "g", "turns": TURNS}
    lines = [{"data": [{**item, "annotation_tasks": [task]}]} for task in ("a", "b")]
    sheets, problems = read(*lines)

    assert problems == []
    assert [sheet.id for sheet in sheets] == ["g/d", "g/d/b"]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    sheets, problems = read(b"\xef\xbb\xbf" + json.dumps({"turns": TURNS}).encode())

    assert (len(sheets), problems) == (1, [])


@pytest.mark.skipif(not ABC_EVAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("name", "lines", "parts"),
    [
        ("task_data/empathy", 4, [30]),
        ("task_data/likert", 5, [30]),
        ("task_data/comparative", 4, [30, 30]),
        ("gold_data/empathy", 2, None),
    ],
)
def test_real_files(name: str, lines: int, parts: list[int] | None) -> None:
    line_problems = LineProblems(name)
    with (ABC_EVAL / f"{name}.jsonl").open("rb") as stream:
        sheets = [line.sheet for line in read_judged(stream, line_problems)]

    assert (line_problems.problems, len(sheets)) == ([], lines)
    for sheet in sheets:
        if parts is not None:
            assert [len(text.turns) for text in sheet.parts[0].dialogues] == parts
            assert sheet.group.startswith("assignment_")
            assert sheet.people


# --- Mistakes -------------------------------------------------------------------------------------

SOUND = {"id": "a", "turns": TURNS}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"id": "a", "turns": [}', "2:23: Not JSON"),
        (b"[1]", "2:1: A line takes one JSON object"),
        (b'{"id": "\xff"}', "2:9: Not UTF-8 text."),
        ({"id": "b"}, "2:1: 'turns' is missing. A line has 'turns', 'pair', 'dialogues'"),
        ({"id": "b", "turns": []}, "2:22: 'turns' is empty."),
        ({"turns": [["user", "Hi"], ["system"]]}, "2:28: Turn 2 takes a speaker and a text; got 1"),
        ({"turns": [["user", 7]]}, "2:21: 'text' of turn 1 takes text; got a whole number."),
        ({"turns": [["user", "Hi"], {"speaker": "x"}]}, "2:28: Turn 2 takes a list; got a mapping"),
        ({"turns": [{"speaker": "user"}]}, "2:12: Turn 1: 'text' is missing."),
        ({"id": "a", "turns": TURNS}, "2:8: The id 'a' was already used in line 1."),
        ({"id": "b", "pair": [SOUND]}, "2:21: 'pair' takes two dialogues to compare; got 1."),
        ({"id": "b", "pair": [SOUND, SOUND]}, "2:1: Dialogue 'a' is compared with itself."),
        (
            {"id": "b", "dialogues": [{"id": "a", "turns": [["user", "Bye"]]}]},
            "2:27: Dialogue 'a' has other turns (or another system) here than in line 1.",
        ),
        ({"id": "b", "dialogues": [{"id": "c"}]}, "2:27: A part has neither 'turns' nor 'pair'."),
        ({"id": "b", "turns": TURNS, "raters": -1}, "'raters' takes 0 or more; got -1."),
        ({"id": "b", "turns": TURNS, "raters": "2"}, "'raters' takes a whole number; got text."),
        ({"id": "b\0", "turns": TURNS}, "2:1: An id contains an escaped null character."),
        (
            {"messages": [{"role": "bot", "content": "Hi"}]},
            "2:24: 'role' of message 1 takes 'user'",
        ),
        ({"messages": []}, "2:14: Nothing was said in this dialogue."),
        ({"data": []}, "2:10: 'data' is empty."),
        ({"data": [{"dialogue_id": "d"}]}, "2:11: Entry 1 of 'data': 'turns' is missing."),
        (b'{"turns":' + b"[" * 100_000, "2:1: Nested too deeply."),
    ],
)
def test_a_mistake_is_named_with_its_place(line: Any, expected: str) -> None:
    sheets, problems = read(SOUND, line)

    assert [sheet.id for sheet in sheets] == ["a"]
    assert len(problems) == 1
    assert problems[0].startswith("judged.jsonl:2:")
    assert expected in problems[0]


def test_one_mistake_does_not_hide_the_next() -> None:
    _, problems = read({"turns": []}, SOUND, {"id": "a", "turns": TURNS}, b"{")

    assert [problem.split(":")[1] for problem in problems] == ["1", "3", "4"]


def test_reading_stops_once_too_much_is_wrong() -> None:
    _, problems = read(*[b"{"] * 100)

    assert len(problems) == MOST + 1
    assert problems[-1].endswith(f"reading stopped after {MOST} problems.")


def test_an_empty_file_is_a_mistake() -> None:
    assert read(b"\n") == (
        [],
        ["judged.jsonl:1:1: The file is empty. One JSON object per line is expected."],
    )


def test_what_is_only_odd_is_a_warning() -> None:
    turns = [["Human", "Hi"], ["system", " "]]
    sheets, problems = read({"id": "b", "turns": turns, "orign": "p1"}, {"turns": turns})

    assert len(sheets) == 2
    assert [problem.partition("warning: ")[2] for problem in problems] == [
        "The key 'orign' is not read. Near: 'origin'.",
        "The speaker 'Human' is treated as the system; the user is called 'user'.",
        "Turn 2 of 'b' has no words.",
        "Turn 2 of 'line-2' has no words.",
    ]


NAMES = st.sampled_from((*KEYS, "dialogue_id", "turns2", "role", "content", "speaker", "text"))
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | NAMES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, database=None)
@given(lines=st.lists(st.dictionaries(NAMES, JUNK, max_size=5) | JUNK, max_size=4))
def test_junk_leads_to_problems_only(lines: list[Any]) -> None:
    sheets, problems = read(*lines)

    assert len(sheets) + len(problems) >= len(lines)


@settings(max_examples=200, deadline=None, database=None)
@given(lines=st.lists(st.binary(max_size=30), max_size=3))
def test_bytes_lead_to_problems_only(lines: list[bytes]) -> None:
    sheets, problems = read(*lines)

    assert sheets == []
    assert problems


def test_a_place_is_found_in_any_layout() -> None:
    text = '{\n  "a": {"b": [1, "x,]", {"c": null}]},\n  "d": 4}'

    assert place_of(text, ("a", "b", 2, "c")) == (2, 31)
    assert place_of(text, ("d",)) == (3, 8)
    assert place_of(text, ("a", "nowhere", 3)) == (2, 8)


def test_a_pseudonym_depends_on_the_salt() -> None:
    assert origin_pseudonym("s", "ann") == origin_pseudonym("s", "ann")
    assert origin_pseudonym("s", "ann") != origin_pseudonym("t", "ann")
    assert "ann" not in origin_pseudonym("s", "ann")
