"""Surveys of CoCoA: filed under who was rated, as labels of that seat and back."""

import io
import json
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.records import LabelRecord
from palaver.formats.cocoa.examples import example_record
from palaver.formats.cocoa.surveys import find_survey_labels, surveys_json
from palaver.formats.found_records import Found, FoundRecord, Mistake, Unconverted
from support.cocoa import BARGAIN_EXAMPLE, FRIENDS_EXAMPLE

DIALOGUES = [example_record(raw) for raw in (FRIENDS_EXAMPLE, BARGAIN_EXAMPLE)]
SURVEYS: list[dict[str, Any]] = [
    {
        "C_friends": {"0": "human", "1": "rulebased"},
        "C_bargain": {"0": "human", "1": "human"},
    },
    {
        "C_friends": {"0": {}, "1": {"cooperative": 4, "fluent": "null", "comments": "odd"}},
        "C_bargain": {"0": {}, "1": {}},
    },
]


def found_in(surveys: Any) -> list[Found]:
    return list(find_survey_labels(io.BytesIO(json.dumps(surveys).encode()), "s.json"))


def labels_in(surveys: Any) -> list[LabelRecord]:
    return [each.record for each in found_in(surveys) if isinstance(each, FoundRecord)]


def test_an_answer_is_a_label_of_the_seat_that_was_rated() -> None:
    labels = labels_in(SURVEYS)
    assert [(x.unit, x.rater, x.rater_kind, x.question, x.value, x.label) for x in labels] == [
        ("seat:C_friends:1", "C_friends:0", "person", "cooperative", 4, None),
        ("seat:C_friends:1", "C_friends:0", "person", "fluent", None, "abstained"),
        ("seat:C_friends:1", "C_friends:0", "person", "comments", "odd", None),
    ]


def test_chats_that_nobody_rated_are_counted() -> None:
    left_out = [each for each in found_in(SURVEYS) if isinstance(each, Unconverted)]
    assert [(each.place, each.why) for each in left_out] == [
        ("s.json: chat C_bargain", "a chat that nobody rated")
    ]


def test_labels_and_dialogues_make_the_surveys_again() -> None:
    assert surveys_json(labels_in(SURVEYS), DIALOGUES) == SURVEYS


def test_a_label_of_another_dialogue_or_of_no_seat_is_refused() -> None:
    with pytest.raises(InputError, match="'C_friends' of a label of 'cooperative' is not given"):
        surveys_json(labels_in(SURVEYS), DIALOGUES[1:])
    [label, *_] = labels_in(SURVEYS)
    whole = LabelRecord(
        **{name: getattr(label, name) for name in label.__struct_fields__}
        | {"unit": "dialogue:C_friends"}
    )
    with pytest.raises(InputError, match="labels of seats; got one of 'dialogue:C_friends'"):
        surveys_json([whole], DIALOGUES)


def test_a_chat_without_agents_is_named() -> None:
    [mistake] = found_in([{}, {"C_1": {"0": {"fluent": 3}}}])
    assert isinstance(mistake, Mistake)
    assert str(mistake).startswith("s.json: chat C_1: The types of its agents")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'[{}, {"C_1": ', r"s\.json:1:14: Not JSON"),
        (b"[{}]", "Expected two objects in a list"),
        (b'[{}, {"C_1": {"0": 3}}]', "takes a mapping; got a whole number"),
    ],
)
def test_what_is_not_a_survey_is_named(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(find_survey_labels(io.BytesIO(content), "s.json"))
