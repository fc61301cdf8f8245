"""Answers become records: what is new or missing is passed over, what is wrong is an error."""

from typing import Any

import pytest

from palaver.core.errors import PanelError
from palaver.core.money import Money
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.fields import AnswerFields
from palaver.crowds.prolific.records import CodeAction, CompletionCode, HookSecret


def fields(**raw: Any) -> AnswerFields:
    return AnswerFields(raw, "a thing")


def test_a_study_that_says_all() -> None:
    study = answers.read_study(
        fields(
            id="s1",
            name="Talk",
            status="AWAITING REVIEW",
            external_study_url="https://x.example",
            total_available_places=20,
            places_taken=19,
            estimated_completion_time=10,
            maximum_allowed_time=45,
            reward=150.0,
            currency_code="GBP",
            estimated_reward_per_hour=900,
            average_reward_per_hour=612.7,
            total_cost=4000.4,
            is_underpaying=False,
            device_compatibility=["desktop"],
            completion_codes=[
                {
                    "code": "A1",
                    "code_type": "COMPLETED",
                    "actor": "participant",
                    "actions": [{"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": "g"}],
                }
            ],
            filters=[{"filter_id": "age", "selected_range": {"lower": 18}}],
            date_created="2026-11-15T10:00:00.500Z",
            what_is_new={"deep": [1]},
        )
    )

    assert study.status == "awaiting_review"
    assert study.places_left == 1
    assert study.reward == Money(150, "GBP")
    assert study.average_hourly == Money(613, "GBP")
    assert study.total_cost == Money(4000, "GBP")
    assert study.codes == (
        CompletionCode(
            code="A1",
            actor="participant",
            actions=(CodeAction(action="ADD_TO_PARTICIPANT_GROUP", group="g"),),
        ),
    )
    assert study.filters[0].lower == 18.0
    assert study.created == 1_794_736_800.5


def test_a_study_that_says_next_to_nothing() -> None:
    study = answers.read_study(fields(id="s1", status=None, reward=None, filters=None))

    assert (study.status, study.reward, study.filters, study.is_underpaying) == ("", None, (), None)


def test_an_old_study_has_one_code() -> None:
    study = answers.read_study(fields(id="s1", completion_code="OLD"))

    assert [each.code for each in study.codes] == ["OLD"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("TIMED-OUT", "timed_out"),
        ("AWAITING REVIEW", "awaiting_review"),
        ("AWAITING_REVIEW", "awaiting_review"),
        ("SCREENED OUT", "screened_out"),
        ("PROCESSING", "processing"),
        ("Quantum Locked", "quantum_locked"),
    ],
)
def test_statuses_are_in_our_words_and_unknown_ones_stay(written: str, read: str) -> None:
    assert answers.read_submission(fields(id="x", status=written)).status == read


def test_a_submission_is_read() -> None:
    submission = answers.read_submission(
        fields(
            id="x",
            participant_id="p",
            status="APPROVED",
            started_at="2026-11-15T10:00:00Z",
            completed_at="2026-11-15T10:10:00",
            time_taken=600.5,
            is_complete=True,
            reward=150,
            study_code="A1",
            bonus_payments=[25, 30],
        )
    )

    assert submission.started is not None
    assert submission.completed == submission.started + 600
    assert (submission.seconds, submission.bonuses) == (600.5, (25, 30))


def test_counts_are_by_our_words() -> None:
    counts = answers.read_counts(fields(**{"ACTIVE": 2, "TIMED-OUT": 1, "TOTAL": 3}))

    assert (counts.total, counts.of("active", "timed_out"), counts.of("returned")) == (3, 3, 0)
    assert answers.read_counts(fields(ACTIVE=2, APPROVED=1)).total == 3


def test_choices_come_as_an_object_or_as_a_list() -> None:
    entry = answers.read_filter_entry(
        fields(filter_id="h", choices={"0": "Left"}, min="2000-01-01")
    )

    assert (entry.choices, entry.lower) == ({"0": "Left"}, None)
    assert answers.read_filter_entry(
        fields(id="h", choices=[{"id": 1, "label": "Right"}, "Both"])
    ).choices == {"1": "Right", "Both": "Both"}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"status": "ACTIVE"}, "'id' is nothing"),
        ({"id": "s", "reward": "much", "currency_code": "GBP"}, "'reward' is 'much'"),
        ({"id": "s", "total_available_places": 1.5}, "not a whole number"),
        ({"id": "s", "total_available_places": True}, "not a number"),
        ({"id": "s", "total_available_places": float("nan")}, "not a number"),
        ({"id": "s", "total_available_places": 10**400}, "not a number"),
        ({"id": "s", "name": {"x": 1}}, "not a text"),
        ({"id": "s", "filters": {}}, "not a list"),
        ({"id": "s", "filters": [3]}, "an object, not 3"),
        ({"id": "s", "is_underpaying": "no"}, "not true or false"),
        ({"id": "s", "date_created": "yesterday"}, "not a time"),
        ({"id": "s", "reward": 1, "currency_code": "pounds"}, "no currency that we know"),
    ],
)
def test_what_is_of_the_wrong_type_is_an_error_that_says_so(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(PanelError, match=said) as raised:
        answers.read_study(AnswerFields(raw, "study s"))
    assert len(str(raised.value)) < 300


def test_secrets_do_not_show() -> None:
    secret = answers.read_secret(fields(id="1", value="hidden", workspace_id="w"))

    assert isinstance(secret, HookSecret)
    assert secret.value == "hidden"
    assert "hidden" not in repr(secret)
