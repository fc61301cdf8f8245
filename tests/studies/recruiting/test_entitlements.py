"""What people are owed on top, rule by rule, against sums worked by hand."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from palaver.core.events import MESSAGE, Event
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.studies.visits import FINISHED
from palaver.storage.people.participants import Assignment
from palaver.studies.recruiting.money.entitlements import Earner, entitlements
from support.recruiting import write_study

PAY = {"amount": 2.0, "currency": "GBP", "waiting_per_minute": 0.1, "early": 0.75}


def visit(reason: str = "complete", waited: float = 0.0) -> Assignment:
    return Assignment(
        id=1,
        key="a_1",
        study_id=1,
        study="birds",
        participant_id=1,
        alias="p_1",
        crowd="prolific",
        person="person",
        external_id="piece",
        step="done",
        state=FINISHED,
        reason=reason,
        consent_version="1",
        consented=1.0,
        code="X",
        created=0.0,
        finished=10.0,
        waited=waited,
    )


def told(state: str) -> KeptSubmission:
    return KeptSubmission(
        id=7, panel_id="piece", participant="person", state=state, state_time=1.0, seen=1.0
    )


def owed(folder: Path, earner: Earner, **pay: Any) -> dict[str, int]:
    study = write_study(folder, pay={**PAY, **pay})
    return {each.rule: each.amount for each in entitlements(study, [earner])}


def test_waiting_is_paid_by_the_minute(tmp_path: Path) -> None:
    found = owed(tmp_path, Earner(told("approved"), visit(waited=450.0)))
    assert found == {"waiting": 75}


def test_work_that_the_panel_does_not_pay_is_paid_on_top(tmp_path: Path) -> None:
    assert owed(tmp_path, Earner(told("returned"), visit("partner_left"))) == {"work": 200}
    assert owed(tmp_path, Earner(told("timed_out"), visit("quit"))) == {"work": 75}


@pytest.mark.parametrize("state", ["approved", "awaiting_review", "screened_out", "active"])
def test_work_that_the_panel_pays_or_will_is_not(tmp_path: Path, state: str) -> None:
    assert owed(tmp_path, Earner(told(state), visit())) == {}


def test_nobody_is_paid_on_top_who_was_rejected(tmp_path: Path) -> None:
    assert owed(tmp_path, Earner(told("rejected"), visit(waited=600.0))) == {}


@dataclass
class Talk:
    """A conversation that is over, with what each seat earned and wrote."""

    rewards: list[float]
    messages: int

    @property
    def people(self) -> dict[int, int]:
        return {1: 1}

    @property
    def dialogue(self) -> Any:
        said = {"text": "Hello"}
        events = [
            Event(seq=n, seat=1, action=MESSAGE, data=said, time=1.0) for n in range(self.messages)
        ]
        return SimpleNamespace(is_over=True, outcome={"reward": self.rewards}, events=events)


def test_points_and_long_conversations_are_added_up(tmp_path: Path) -> None:
    talks: Any = [Talk([9, 7], 20), Talk([1, 0.5], 19)]
    found = owed(
        tmp_path,
        Earner(told("approved"), visit(), talks),
        bonuses={"point": 0.05, "long_chat": {"messages": 20, "amount": 0.3}},
    )
    # 7.5 points at 5p are 37.5p, rounded half up.
    assert found == {"points": 38, "long_chat": 30}


def test_dues_can_be_left_to_the_panel(tmp_path: Path) -> None:
    earner = Earner(told("returned"), visit("partner_left", waited=600.0))
    assert owed(tmp_path, earner, bonuses={"dues": False}) == {}


def test_a_person_who_was_erased_is_left_out(tmp_path: Path) -> None:
    gone = KeptSubmission(
        id=7, panel_id=None, participant=None, state="returned", state_time=1.0, seen=1.0
    )
    assert owed(tmp_path, Earner(gone, visit("partner_left"))) == {}
