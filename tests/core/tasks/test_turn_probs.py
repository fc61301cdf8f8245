"""A distribution per turn, and masses that need not sum to 1: what is taken and what is refused."""

import math
from typing import Any

import pytest

from palaver.core.errors import AnswerError, InputError
from palaver.core.tasks import Answer, TurnProbs, Turns
from palaver.evaluation.tasks import builtin_task

NUGGET, QUALITY = builtin_task("dialogue-nugget"), builtin_task("dialogue-quality")
TURNS = [
    {"speaker": "customer", "text": "It is broken."},
    {"speaker": "helpdesk", "text": "Restart it."},
    {"speaker": "customer", "text": "Thanks."},
]
FIRST, SECOND = {"CNUG0": 0.5, "CNaN": 0.5}, {"HNUG": 0.2, "HNUG*": 0.2, "HNaN": 0.2}
GIVEN = [FIRST, SECOND, {"CNUG*": 3}]


def nugget_answer(given: Any) -> Answer:
    record = {"uid": "d1", "turns": TURNS, "nugget": [{"CNUG0": 19}, {"HNUG": 19}, {"CNaN": 19}]}
    return NUGGET.read_answer(
        {"id": "d1", "nugget": given}, NUGGET.read_example(record), uploaded=True
    )


def test_shares_and_counts_are_kept_as_they_came_with_every_label_of_the_speaker() -> None:
    found = nugget_answer(GIVEN)
    assert found.values["nugget"] == [
        {"CNUG0": 0.5, "CNUG": 0, "CNUG*": 0, "CNaN": 0.5},
        {"HNUG": 0.2, "HNUG*": 0.2, "HNaN": 0.2},
        {"CNUG0": 0, "CNUG": 0, "CNUG*": 3, "CNaN": 0},
    ]
    assert NUGGET.predicted(found, "nugget")[1] == ("helpdesk", [0.2, 0.2, 0.2])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (GIVEN[:2], "expected 3 predictions, one per turn; got 2"),
        ({"1": FIRST}, "expected a list, one mapping per turn; got {'1': "),
        ([FIRST, FIRST, FIRST], r"turn 2 \(helpdesk\): expected a probability for HNUG, HNUG\*"),
        ([FIRST, {"HNUG": -0.1, "HNaN": 1}, FIRST], r"turn 2 .*'HNUG': .* negative; got -0.1"),
        ([FIRST, SECOND, {"CNaN": math.nan}], r"turn 3 .*'CNaN': .* finite number; got nan"),
        ([FIRST, SECOND, {"CNaN": math.inf}], r"turn 3 .*'CNaN': .* finite number; got inf"),
        ([FIRST, SECOND, {"CNaN": True}], r"turn 3 .*'CNaN': a probability is a number; got True"),
        ([FIRST, SECOND, {"CNaN": 10**400}], r"turn 3 .*'CNaN': .* finite number"),
        ([FIRST, SECOND, {"CNaN": 0}], r"turn 3 \(customer\): the probabilities sum to 0"),
        ([FIRST, SECOND, {}], r"turn 3 \(customer\): the probabilities sum to 0"),
        ([FIRST, 3, FIRST], r"turn 2 \(helpdesk\): expected a probability for each label; got 3"),
        (
            [{**FIRST, "PAD": 0.006}, SECOND, FIRST],
            r"turn 1 \(customer\): 'PAD' is not a label: leave it out, and the other shares are "
            "divided by their sum",
        ),
    ],
)
def test_what_does_not_fit_the_dialogue_is_named_by_turn_and_key(given: Any, problem: str) -> None:
    with pytest.raises(AnswerError, match=f"^Answer to d1: 'nugget': {problem}"):
        nugget_answer(given)


def test_a_scale_is_checked_likewise() -> None:
    point = {"2": 1, "-2": 3}
    record = {"uid": "d1", "turns": TURNS, **dict.fromkeys("ASE", point)}
    example = QUALITY.read_example(record)
    official = {"id": "d1", "nugget": "whatever", "quality": dict.fromkeys("ASE", point)}
    assert QUALITY.predicted(QUALITY.read_answer(official, example, strict=True), "A") == [
        1,
        0,
        0,
        0,
        3,
    ]
    for quality, problem in (
        ({"A": point, "S": point}, "it has no 'quality.E'"),
        ({**official["quality"], "X": point}, "unexpected 'quality.X'; 'quality' holds A, S, E"),
        ([point], "'quality': expected an object with A, S, E; got"),
        ({**official["quality"], "S": {"3": 1}}, "'quality.S': expected a probability for 2, 1, 0"),
    ):
        with pytest.raises(AnswerError, match=f"Answer to d1: {problem}"):
            QUALITY.read_answer({"id": "d1", "quality": quality}, example)


def test_a_dialogue_with_another_speaker_is_no_item() -> None:
    record = {"uid": "d1", "turns": [{"speaker": "bot", "text": "Hi"}], "nugget": [{"CNaN": 1}]}
    with pytest.raises(InputError, match="Item d1: 'turns': turn 1 is of 'bot'; the speakers are"):
        NUGGET.read_example(record)


def test_speakers_need_labels_that_tell_them_apart() -> None:
    for labels, problem in (
        ({}, "takes the labels of each speaker"),
        ({"a": ("x", "x")}, "listed twice for 'a'"),
        ({"a": ("x",)}, "two labels or more for 'a'"),
        ({"a": ("x", "y"), "b": ("y", "x")}, "Two speakers have the same labels"),
    ):
        with pytest.raises(ValueError, match=problem):
            TurnProbs(name="p", labels=labels, reference="turns")


def test_samples_fit_the_speakers_of_the_dialogue() -> None:
    turns = Turns(name="turns", speakers=("ann", "bob"))
    field = TurnProbs(name="p", labels={"ann": ("x", "y"), "bob": ("u", "v")}, reference="turns")
    record = {"turns": turns.said("Hi", "Hi", "Bye")}
    assert field.check(field.sample(record), record) == [
        {"x": 0.5, "y": 0.5},
        {"u": 0.5, "v": 0.5},
        {"x": 0.5, "y": 0.5},
    ]
