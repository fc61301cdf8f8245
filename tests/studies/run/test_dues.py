"""What each way out is paid and which code goes with it, worked out by hand from a study file."""

from typing import Any

import pytest

from palaver.studies.run.dues import code_for, owed, ways_out
from support.made_studies import made_study

PAY = {"amount": 3, "currency": "GBP", "waiting_per_minute": 0.1, "early": 1, "practice": 0.5}
CODES = {"completion_code": "ALL", "part_code": "PART", "return_code": "NONE"}
PRACTICE = {"screen": {"training": "empathy"}}
JUDGE = {"rate": {"ask": ["thumbs"], "data": "dialogues.jsonl"}}
MEET = {
    "chat": {"arrangement": "people", "turns": {"at_least": 2}, "conditions": [{"people": True}]}
}


def study(pay: dict[str, Any] | None = PAY, crowd: dict[str, Any] | None = None) -> Any:
    given = {} if pay is None else {"pay": pay}
    return made_study(crowd=crowd or {}, stages=[PRACTICE, JUDGE], **given)


@pytest.mark.parametrize(
    ("state", "reason", "amount", "share"),
    [
        ("finished", "complete", 3.2, "full"),
        ("finished", "partner_left", 3.2, "full"),
        ("finished", "system_failed", 3.2, "full"),
        ("finished", "quit", 1.2, "part"),
        ("finished", "checked_out", 1.2, "part"),
        ("finished", "not_passed", 0.7, "part"),
        ("finished", "nothing_left", 0.7, "part"),
        ("finished", "waited", 0.2, "waiting"),
        ("finished", "full", 0, "nothing"),
        ("declined", "declined", 0, "nothing"),
        ("abandoned", "abandoned", 0, "nothing"),
        ("active", "", 0, "nothing"),
        # Withdrawn in the middle, after the end, and before the beginning.
        ("withdrawn", "withdrawn", 1.2, "part"),
        ("withdrawn", "complete", 3.2, "full"),
        ("withdrawn", "declined", 0, "nothing"),
    ],
)
def test_every_end_has_its_pay(state: str, reason: str, amount: float, share: str) -> None:
    due = owed(study().pay, state=state, reason=reason, waited=120)

    assert due is not None
    assert (round(due.amount, 6), due.share) == (amount, share)


def test_a_study_that_says_nothing_of_pay_owes_nothing_and_tells_nothing() -> None:
    assert owed(None, state="finished", reason="complete") is None
    assert ways_out(study(None)) == ()


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("complete", "ALL"),
        ("system_failed", "ALL"),
        ("quit", "PART"),
        ("not_passed", "PART"),
        ("waited", "NONE"),
        ("declined", "NONE"),
        ("full", "NONE"),
        ("not_eligible", "NONE"),
    ],
)
def test_a_panels_code_claims_no_more_than_is_due(reason: str, code: str) -> None:
    assert code_for(study(crowd=CODES), reason) == code


def test_with_one_code_for_all_steps_nobody_else_gets_one() -> None:
    only = study(crowd={"completion_code": "ALL"})

    assert code_for(only, "complete") == "ALL"
    assert [code_for(only, end) for end in ("quit", "not_passed", "waited", "declined")] == [
        None
    ] * 4


def test_without_a_panel_each_visit_that_began_gets_a_code_of_its_own() -> None:
    codes = [code_for(study(), end) for end in ("complete", "quit", "not_passed", "waited")]

    assert all(codes)
    assert len(set(codes)) == 4
    assert [code_for(study(), end) for end in ("declined", "full", "enough", "taken")] == [None] * 4


def test_people_read_first_what_each_way_out_is_paid() -> None:
    told = {way.when: way.owed.amount for way in ways_out(study())}
    assert told == {"finished": 3, "stopped": 1, "practised": 0.5}

    meeting = made_study(pay={"amount": 2, "currency": "EUR"}, stages=[MEET])
    assert {way.when: way.owed.amount for way in ways_out(meeting)} == {
        "finished": 2,
        "stopped": 0,
        "waited": 0,
    }
