"""A submission against the gold data: what is used, and every fault with its dialogue and key."""

import copy
import json
import math
from typing import Any

import numpy as np
import pytest

from palaver.core.errors import InputError
from palaver.evaluation.dialeval.predictions import Predictions, read_predictions
from palaver.evaluation.dialeval.scoring import score
from support.dialeval import TRUTH, dialogue, gold, prediction

GOLD = gold()
PRED = [prediction(each) for each in TRUTH]


def read(entries: list[Any], **more: Any) -> Predictions:
    return read_predictions(json.dumps(entries).encode(), GOLD, name="run.json", **more)


def changed(change: Any) -> list[Any]:
    entries = copy.deepcopy(PRED)
    change(entries)
    return entries


def test_the_order_of_a_submission_does_not_matter() -> None:
    one, other = read(PRED), read(PRED[::-1])
    assert np.array_equal(one.nuggets, other.nuggets)
    assert np.array_equal(one.quality, other.quality)
    assert not one.faults
    one.raise_faults()


def test_sums_other_than_1_and_labels_left_out_are_no_faults() -> None:
    def change(entries: list[Any]) -> None:
        entries[0]["nugget"][0] = {"CNUG": 7}
        entries[0]["quality"]["A"] = {"1": 0.25}

    found = read(changed(change))
    assert not found.faults
    assert found.nuggets[0].tolist() == [0, 7, 0, 0]
    assert found.quality[0, 0].tolist() == [0, 0.25, 0, 0, 0]


def set_share(entries: list[Any], value: float) -> None:
    entries[1]["nugget"][1]["HNUG"] = value


@pytest.mark.parametrize(
    ("change", "fault", "left"),
    [
        (lambda e: e.pop(1), ("d2", "id", "no prediction"), {"nd": 2, "dq": 2}),
        (
            lambda e: e.append({**e[0], "id": "x"}),
            ("x", "id", "no such dialogue"),
            {"nd": 3, "dq": 3},
        ),
        (
            lambda e: e.append(copy.deepcopy(e[1])),
            ("d2", "id", "more than once"),
            {"nd": 3, "dq": 3},
        ),
        (
            lambda e: e[1]["nugget"].pop(),
            ("d2", "nugget", "expected 2 predictions"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: e[1]["nugget"].clear(),
            ("d2", "nugget", "expected 2 predictions"),
            {"nd": 2, "dq": 3},
        ),
        (lambda e: e[1].pop("nugget"), ("d2", "nugget", "missing"), {"nd": 2, "dq": 3}),
        (lambda e: e[1].pop("quality"), ("d2", "quality", "missing"), {"nd": 3, "dq": 2}),
        (lambda e: e[1]["quality"].pop("S"), ("d2", "quality, 'S'", "missing"), {"nd": 3, "dq": 2}),
        (
            lambda e: e[1]["quality"].update(X={"1": 1}),
            ("d2", "quality, 'X'", "A, S and E"),
            {"nd": 3, "dq": 3},
        ),
        (
            lambda e: e[1]["quality"]["E"].update({"3": 1}),
            ("d2", "quality, 'E', '3'", "takes 2, 1, 0, -1, -2"),
            {"nd": 3, "dq": 2},
        ),
        (
            lambda e: e[2]["nugget"][2].update(HNUG=1),
            ("d3", "nugget, turn 3, 'HNUG'", "customer takes CNUG0"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: e[2]["nugget"][1].update(PAD=1),
            ("d3", "nugget, turn 2, 'PAD'", "it is not a label: leave it out"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: set_share(e, -0.5),
            ("d2", "nugget, turn 2, 'HNUG'", "got -0.5"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: set_share(e, math.nan),
            ("d2", "nugget, turn 2, 'HNUG'", "finite number; got nan"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: set_share(e, -math.inf),
            ("d2", "nugget, turn 2, 'HNUG'", "finite number; got -inf"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: set_share(e, "1"),  # type: ignore[arg-type]
            ("d2", "nugget, turn 2, 'HNUG'", "a number; got '1'"),
            {"nd": 2, "dq": 3},
        ),
        (
            lambda e: e[1]["quality"]["A"].update({"2": 1e308, "1": 1e308}),
            ("d2", "quality, 'A'", "sum to inf"),
            {"nd": 3, "dq": 2},
        ),
        (lambda e: e[1].update(note="hi"), ("d2", "'note'", "an entry has"), {"nd": 3, "dq": 3}),
    ],
)
def test_every_defect_is_named_and_only_what_it_touches_is_left_out(
    change: Any, fault: tuple[str, str, str], left: dict[str, int]
) -> None:
    found = read(changed(change))
    (only,) = found.faults
    assert (only.dialogue, only.key) == fault[:2]
    assert fault[2] in only.message
    assert int(found.has_nuggets.sum()) == left["nd"]
    assert int(found.has_quality.all(axis=1).sum()) == left["dq"]
    with pytest.raises(InputError, match=r"run\.json has 1 fault"):
        found.raise_faults()
    scores = score(GOLD, found)
    assert int((~np.isnan(scores.values["jsd"])).sum()) == left["nd"]
    assert len(scores.missing) == 3 - min(left.values())


def test_the_last_of_two_entries_counts() -> None:
    again = prediction(TRUTH[1], tilt=5)
    assert read([*PRED, again]).nuggets[3].tolist() == [6, 1, 1, 1]


def test_shares_that_are_all_0_make_a_dialogue_undefined_and_not_missing() -> None:
    def change(entries: list[Any]) -> None:
        entries[0]["nugget"][0] = {"CNUG": 0}
        entries[2]["quality"]["S"] = {}

    found = read(changed(change))
    assert [(f.dialogue, f.key) for f in found.faults] == [
        ("d1", "nugget, turn 1"),
        ("d3", "quality, 'S'"),
    ]
    scores = score(GOLD, found)
    assert scores.missing == ()
    assert scores.undefined == {
        "d1": "the probabilities for turn 1 sum to 0",
        "d3": "the probabilities for scale S sum to 0",
    }
    assert math.isnan(scores.values["jsd"][0])
    assert math.isnan(scores.values["nmd-S"][2])
    assert not math.isnan(scores.values["nmd-A"][2])


def test_all_faults_of_a_submission_are_collected() -> None:
    def change(entries: list[Any]) -> None:
        entries[0]["nugget"][0].update(CNUG=-1, HNUG=1)
        entries[0]["quality"]["A"]["9"] = 1
        entries[1]["nugget"].append({})
        del entries[2]

    found = read(changed(change))
    assert [(f.dialogue, f.key) for f in found.faults] == [
        ("d3", "id"),
        ("d2", "nugget"),
        ("d1", "nugget, turn 1, 'CNUG'"),
        ("d1", "nugget, turn 1, 'HNUG'"),
        ("d1", "quality, 'A', '9'"),
    ]


def test_a_task_is_seen_wherever_it_stands() -> None:
    """Not only in the first entry."""

    def change(entries: list[Any]) -> None:
        del entries[0]["quality"]
        for entry in entries[1:]:
            del entry["nugget"]

    found = read(changed(change))
    assert found.tasks == ("nd", "dq")
    assert {f.dialogue for f in found.faults if f.key == "nugget"} == {"d2", "d3"}


def test_with_a_task_the_other_is_not_looked_at() -> None:
    entries = changed(lambda e: e[0]["quality"].clear())
    assert not read(entries, task="nd").faults
    assert read(entries, task="nd").tasks == ("nd",)
    alone = [{key: each[key] for key in ("id", "nugget")} for each in PRED]
    assert read(alone).tasks == ("nd",)
    with pytest.raises(InputError, match="has no 'quality'"):
        read(alone, task="dq")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{"id": "x", "nugget": []}], "no dialogue in common"),
        ([{"id": "d1"}, {"id": "d2"}], "neither 'nugget' nor 'quality'"),
        ([], "is empty"),
    ],
)
def test_what_cannot_be_scored_at_all(entries: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(entries)


def test_two_turns_of_one_sender() -> None:
    truth = [dialogue("d", "cch", ("CNUG CNaN HNUG", 0, 0, 0))]
    entry = prediction(truth[0])
    entry["nugget"][2]["CNUG"] = 1
    found = read_predictions(json.dumps([entry]).encode(), gold(truth))
    assert [f.key for f in found.faults] == ["nugget, turn 3, 'CNUG'"]
