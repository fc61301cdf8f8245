"""What is sent to Prolific: drafts in its words, codes, bonuses."""

import random
from urllib.parse import parse_qsl, urlsplit

import pytest

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.crowds.prolific.bodies import (
    bonus_lines,
    completion_address,
    filter_body,
    make_codes,
    path_id,
    study_body,
    with_placeholders,
)
from palaver.crowds.prolific.records import CodeAction, CompletionCode, StudyFilter
from support.prolific import drafted


def test_a_draft_becomes_the_body_that_the_service_takes() -> None:
    paid_out = CodeAction(action="FIXED_SCREEN_OUT_PAYMENT", reward=30, slots=20)
    draft = drafted(
        internal_name="talk, wave 2",
        most_minutes=45,
        devices={"desktop", "mobile"},
        peripherals=["microphone"],
        filters=[StudyFilter(filter_id="age", lower=18, upper=40)],
        never_groups=["g1", "g2", "g1"],
        never_studies=["s1"],
        project="p1",
        is_screening=True,
        codes=[CompletionCode(code="OUT", code_type="OTHER", actions=(paid_out,))],
    )

    body = study_body(draft)

    assert body == {
        "name": "Talk with a partner",
        "internal_name": "talk, wave 2",
        "description": "<p>You talk with a partner for <strong>ten minutes</strong>.</p>",
        "external_study_url": "https://lab.example/s/talk?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": "OUT",
                "code_type": "OTHER",
                "actions": [
                    {
                        "action": "FIXED_SCREEN_OUT_PAYMENT",
                        "fixed_screen_out_reward": 30,
                        "slots": 20,
                    }
                ],
            }
        ],
        "total_available_places": 3,
        "estimated_completion_time": 10,
        "reward": 150,
        "device_compatibility": ["desktop", "mobile"],
        "peripheral_requirements": ["microphone"],
        "filters": [
            {"filter_id": "age", "selected_range": {"lower": 18, "upper": 40}},
            {"filter_id": "participant_group_blocklist", "selected_values": ["g1", "g2"]},
            {"filter_id": "previous_studies_blocklist", "selected_values": ["s1"]},
        ],
        "submissions_config": {"max_submissions_per_participant": 1},
        "maximum_allowed_time": 45,
        "project": "p1",
        "is_custom_screening": True,
    }


def test_an_address_says_who_comes_whatever_it_had_before() -> None:
    address = with_placeholders("https://lab.example/s/x?lang=de&pid={{%PROLIFIC_PID%}}#top")

    assert address.endswith("#top")
    told = dict(parse_qsl(urlsplit(address).query))
    assert told["pid"] == "{{%PROLIFIC_PID%}}"
    assert told["SESSION_ID"] == "{{%SESSION_ID%}}"
    assert with_placeholders(address) == address


def test_groups_of_filters_are_nested() -> None:
    chosen = StudyFilter(
        filter_id="or",
        filters=(
            StudyFilter(filter_id="handedness", selected_values=("0",)),
            StudyFilter(filter_id="approval_rate", lower=97.5),
        ),
    )

    assert filter_body(chosen) == {
        "filter_id": "or",
        "selected_filters": [
            {"filter_id": "handedness", "selected_values": ["0"]},
            {"filter_id": "approval_rate", "selected_range": {"lower": 97.5}},
        ],
    }


def test_codes_are_random_and_different_and_say_nothing() -> None:
    draw = random.Random(3).choice
    first = make_codes(["completed", "screened_out", "completed"], draw=draw)
    second = make_codes(["completed", "screened_out"], draw=draw)

    told = [*first.values(), *second.values()]
    assert list(first) == ["completed", "screened_out"]
    assert len(set(told)) == 4
    assert all(len(code) == 8 and code.isalnum() and code.isupper() for code in told)
    assert make_codes(["a"]) != make_codes(["a"])


def test_a_bonus_goes_out_in_pounds_and_a_reward_in_pence() -> None:
    lines = bonus_lines({"p1": Money(425, "GBP"), "p2": Money(30, "GBP")})

    assert lines == "p1,4.25\np2,0.30"
    assert bonus_lines({"p1": Money(30, "JPY")}) == "p1,30"
    assert study_body(drafted(reward=Money(30, "GBP")))["reward"] == 30


@pytest.mark.parametrize(
    ("bonuses", "why"),
    [
        ({}, "1 to 200"),
        ({f"p{n}": Money(1, "GBP") for n in range(201)}, "1 to 200"),
        ({"p1": Money(1, "GBP"), "p2": Money(1, "USD")}, "several currencies"),
        ({"p1,9.00\np2": Money(1, "GBP")}, "not ids"),
        ({"p1": Money(0, "GBP")}, "more than nothing"),
    ],
)
def test_bonuses_that_would_go_wrong_are_refused(bonuses: dict[str, Money], why: str) -> None:
    with pytest.raises(InputError, match=why):
        bonus_lines(bonuses)


def test_ids_and_codes_cannot_lead_elsewhere() -> None:
    assert completion_address("A B&x=1") == (
        "https://app.prolific.com/submissions/complete?cc=A%20B%26x%3D1"
    )
    with pytest.raises(InputError, match="not an id"):
        path_id("../users/me")
