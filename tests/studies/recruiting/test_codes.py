"""A code for each outcome: what Prolific does with each, and that the file gets them once."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.studies.outcomes import OUTCOMES
from palaver.crowds.prolific.checks import code_problems
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.offering.codes import (
    FROM_HERE,
    codes_of,
    completion_codes,
    screen_out_pay,
    screens_out,
    write_codes,
)
from palaver.studies.run.dues import owed_for
from support.recruiting import ADA, TERMS, recruiting, write_study


def actions(folder: Path, **given: Any) -> dict[str, str]:
    """What Prolific does by itself, by outcome."""
    study = write_study(folder, crowd={"kind": "prolific"}, **given)
    codes = codes_of(study)
    found = completion_codes(study, codes, places=10)
    assert list(code_problems(found)) == []
    by_code = {each.code: each.actions[0].action for each in found}
    return {outcome: by_code[code] for outcome, code in codes.items()}


def test_whoever_came_in_vain_gives_the_place_back(tmp_path: Path) -> None:
    found = actions(tmp_path)
    assert set(found) == {*OUTCOMES, FROM_HERE}
    assert found["completed"] == found["partner_left"] == "MANUALLY_REVIEW"
    assert found["attention_failed"] == "MANUALLY_REVIEW"
    asked = ("screened_out", "no_consent", "waited", "over_quota", "stopped", "withdrew")
    assert {found[each] for each in asked} == {"REQUEST_RETURN"}


def test_a_part_that_is_paid_is_a_screen_out_with_that_pay(tmp_path: Path) -> None:
    study = write_study(tmp_path, pay={**TERMS["pay"], "over_quota": 0.25})
    codes = codes_of(study)
    found = {each.code: each for each in completion_codes(study, codes, places=10)}
    (paid,) = found[codes["over_quota"]].actions
    assert (paid.action, paid.reward, paid.slots) == ("FIXED_SCREEN_OUT_PAYMENT", 25, 10)
    assert screens_out(study)


def test_one_code_alone_pays_a_screen_out_by_itself(tmp_path: Path) -> None:
    pay = {**TERMS["pay"], "practice": 0.5, "over_quota": 0.25, "early": 0.75}
    found = actions(tmp_path, pay=pay)
    assert found["screened_out"] == "FIXED_SCREEN_OUT_PAYMENT"
    assert {found[each] for each in ("over_quota", "stopped", "withdrew")} == {"MANUALLY_REVIEW"}


def test_as_much_as_the_reward_is_no_screen_out_by_itself(tmp_path: Path) -> None:
    pay = {**TERMS["pay"], "practice": TERMS["pay"]["amount"], "over_quota": 0.25}
    found = actions(tmp_path, pay=pay)
    assert found["screened_out"] == "MANUALLY_REVIEW"
    assert found["over_quota"] == "FIXED_SCREEN_OUT_PAYMENT"


def test_a_screen_out_pays_what_the_end_of_such_a_visit_is_worth(tmp_path: Path) -> None:
    pay = {**TERMS["pay"], "practice": 0.5, "over_quota": 0.25, "early": 0.75}
    study = write_study(tmp_path, pay=pay)
    found = {outcome: screen_out_pay(study, outcome) for outcome in OUTCOMES}
    parts = {"screened_out": 50, "over_quota": 25, "stopped": 75, "withdrew": 75}
    assert found == {**dict.fromkeys(OUTCOMES, 0), **parts}
    for outcome in parts:
        due = owed_for(study, outcome)
        assert due is not None
        assert found[outcome] == round(due.amount * 100)


def test_a_study_may_have_its_people_approved_at_once(tmp_path: Path) -> None:
    found = actions(tmp_path, recruit={"description": "Talk.", "approve": "at_once"})
    assert found["completed"] == "AUTOMATICALLY_APPROVE"


def test_the_code_for_completing_from_here_is_the_researchers(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    codes = codes_of(study)
    found = {each.code: each.actor for each in completion_codes(study, codes, places=10)}
    assert found.pop(codes[FROM_HERE]) == "researcher"
    assert set(found.values()) == {"participant"}


@pytest.mark.asyncio
async def test_the_file_gets_a_code_for_each_outcome_once(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in, crowd={"kind": "prolific"}) as home:
        assert home.study.definition.crowd.codes == {}
        await home.published()
        first, version = home.study.definition.crowd.codes, home.study.version
        assert set(first) == set(OUTCOMES)
        assert len(set(first.values())) == len(OUTCOMES)
        text = (tmp_path / "study.yaml").read_text(encoding="utf-8")
        assert all(f"{outcome}: {code}" in text for outcome, code in first.items())
        await write_codes(home.deployment, "birds", actor=ADA)
        assert (home.study.definition.crowd.codes, home.study.version) == (first, version)
