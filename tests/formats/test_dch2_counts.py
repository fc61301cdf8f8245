"""Counts instead of annotations: both forms of a DCH-2 file say the same, and faults are named."""

import gzip
import json
import random
from collections import Counter
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.dialeval.gold import count_gold
from palaver.formats.dch2 import read_dch2
from palaver.formats.dch2_counts import counted_record, read_counted

from ..support.dialeval import CUSTOMER, HELPDESK, POINTS, STC3, TRUTH

COUNTED = {
    "id": "7",
    "turns": [
        {"sender": "customer", "utterances": ["It is broken."]},
        {"sender": "helpdesk", "utterances": ["Here is a new one."]},
    ],
    "nugget": [{"CNUG0": 17, "CNaN": 2}, {"HNUG": 4, "HNaN": 15}],
    "quality": {
        "A": {"-2": 1, "-1": 2, "0": 3, "1": 4, "2": 9},
        "S": {"2": 19},
        "E": {"0": 10, "1": 9},
    },
}


def counts_of(entry: dict[str, Any]) -> dict[str, Any]:
    """A dialogue with annotations in the counts form, points from -2 up."""
    said = entry["annotations"]
    return {
        "id": entry["id"],
        "turns": entry["turns"],
        "nugget": [Counter(a["nugget"][n] for a in said) for n in range(len(entry["turns"]))],
        "quality": {
            scale: {
                point: sum(a["quality"][scale] == int(point) for a in said)
                for point in reversed(POINTS)
            }
            for scale in "EAS"
        },
    }


def annotations_of(entry: dict[str, Any]) -> dict[str, Any]:
    """A dialogue in the counts form with as many annotators, each of whom said something of it."""
    columns = [
        [label for label, count in counts.items() for _ in range(count)]
        for counts in [*entry["nugget"], *(entry["quality"][scale] for scale in "ASE")]
    ]
    for column in columns:
        random.Random(entry["id"]).shuffle(column)
    turns = len(entry["turns"])
    return {
        "id": entry["id"],
        "turns": entry["turns"],
        "annotations": [
            {
                "nugget": list(said[:turns]),
                "quality": dict(zip("ASE", map(int, said[turns:]), strict=True)),
            }
            for said in zip(*columns, strict=True)
        ],
    }


def lines(entries: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def test_counts_are_complete_and_in_the_official_order() -> None:
    [dialogue] = read_counted(lines([COUNTED]))
    assert dialogue.nugget == [
        {"CNUG0": 17, "CNUG": 0, "CNUG*": 0, "CNaN": 2},
        {"HNUG": 4, "HNUG*": 0, "HNaN": 15},
    ]
    assert [list(counts) for counts in dialogue.nugget] == [CUSTOMER, HELPDESK]
    assert list(dialogue.quality["A"].items()) == list(zip(POINTS, (9, 4, 3, 2, 1), strict=True))
    assert dialogue.quality["S"] == {"2": 19, "1": 0, "0": 0, "-1": 0, "-2": 0}
    assert counted_record(COUNTED) == dialogue


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_both_forms_and_both_kinds_of_file_say_the_same(packed: Any) -> None:
    as_counts = [counts_of(entry) for entry in TRUTH]
    files = [
        lines(TRUTH),
        json.dumps(TRUTH).encode(),
        lines(as_counts),
        json.dumps(as_counts, indent=1).encode(),
    ]
    first, *others = [read_counted(packed(file)) for file in files]
    assert all(other == first for other in others)
    gold, *same = [count_gold(read_dch2(packed(file))) for file in files]
    for other in same:
        assert other.turns == gold.turns
        assert (other.nuggets == gold.nuggets).all()
        assert (other.quality == gold.quality).all()


def test_a_dialogue_that_nobody_judged_and_one_task_alone() -> None:
    bare = {"id": "1", "turns": COUNTED["turns"]}
    unjudged, nuggets, quality = read_counted(
        lines(
            [
                bare,
                {**bare, "id": "2", "nugget": COUNTED["nugget"]},
                {**bare, "id": "3", "quality": {"S": {"1": 3}}},
            ]
        )
    )
    assert (unjudged.nugget, unjudged.quality) == ([], {})
    assert (len(nuggets.nugget), nuggets.quality) == (2, {})
    assert (quality.nugget, list(quality.quality)) == ([], ["S"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"nugget": [{"CNUG": 1}]}, "the counts of each of its 2 turns; got 1"),
        (
            {"nugget": [{"HNUG": 1}, {"HNUG": 1}]},
            r"turn 1, of the customer, takes counts of CNUG0, CNUG, CNUG\*, CNaN; got 'HNUG'",
        ),
        (
            {"nugget": [{"CNUG": 1}, {"HNUG": -1}]},
            "turn 2, of the helpdesk, .* 'HNUG', a whole number from 0; got -1",
        ),
        ({"nugget": [{"CNUG": 0.5}, {"HNUG": 1}]}, "a whole number from 0; got 0.5"),
        ({"nugget": [{"CNUG": True}, {"HNUG": 1}]}, "a whole number from 0; got true"),
        ({"nugget": [{}, {"HNUG": 1}]}, "turn 1, of the customer, has no counts"),
        ({"quality": {"A": {"3": 1}}}, "'A' takes counts of 2, 1, 0, -1, -2; got '3'"),
        ({"quality": {"A": {"2": "many"}}}, 'a whole number from 0; got "many"'),
        ({"quality": {"X": {"2": 1}}}, "'quality' has A, S and E; got 'X'"),
        ({"quality": {"A": 2}}, "Expected `object`, got `int`"),
        ({"annotations": []}, "both 'annotations' and counts"),
    ],
)
def test_what_is_not_counts_is_named_with_its_dialogue(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_counted(lines([{**COUNTED, "id": "6"}, {**COUNTED, **wrong}]), name="gold.jsonl")
    assert "gold.jsonl" in str(caught.value)
    assert "'7'" in str(caught.value)


@pytest.mark.skipif(not STC3.is_dir(), reason="needs the STC-3 files of this project")
@pytest.mark.parametrize(("part", "size"), [("dev", 335), ("train", 1337)])
def test_real_counts_equal_annotations_that_add_up_to_them(part: str, size: int) -> None:
    content = (STC3 / f"stc3_{part}_en.jsonl").read_bytes()
    gold = count_gold(read_dch2(content))
    assert len(gold) == size
    assert set(gold.nuggets.sum(axis=1)) == set(gold.quality.sum(axis=2).ravel()) == {19.0}
    entries = [annotations_of(json.loads(line)) for line in content.splitlines()]
    same = count_gold(read_dch2(json.dumps(entries).encode()))
    assert (same.nuggets == gold.nuggets).all()
    assert (same.quality == gold.quality).all()
