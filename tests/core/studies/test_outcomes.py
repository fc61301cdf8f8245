"""Every end of a visit has one outcome, also ends that somebody adds."""

import re
from pathlib import Path
from typing import get_args

import palaver
from palaver.core.studies.outcomes import BY_REASON, OUTCOMES, WORDS, outcome_of
from palaver.studies.run import dues
from palaver.studies.run.openings import Closed
from palaver.web.participant.pages import END_REASONS

SOURCE = Path(palaver.__file__).parent


def test_every_reason_that_pages_know_has_its_outcome() -> None:
    assert set(END_REASONS) - {"already_finished"} <= BY_REASON.keys()
    assert set(get_args(Closed)) <= BY_REASON.keys()


def test_every_reason_that_is_paid_for_has_its_outcome() -> None:
    assert BY_REASON.keys() >= dues.BEGUN | dues.ABSENT
    assert {outcome_of(reason) for reason in dues.PRACTISED} == {"screened_out"}
    assert {outcome_of(reason) for reason in dues.FULL} == {"completed", "partner_left"}


def test_every_reason_that_the_code_ends_a_visit_for_has_its_outcome() -> None:
    written = set()
    for folder in ("studies/run", "web/participant"):
        for file in (SOURCE / folder).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            written |= set(re.findall(r"participation\.end, reason=\"(\w+)\"", text))
            written |= set(re.findall(r"Ending\(\"(\w+)\"\)", text))
    assert written <= BY_REASON.keys()
    assert {"nothing_left", "removed"} <= written


def test_every_outcome_comes_of_some_end_and_has_words() -> None:
    assert set(BY_REASON.values()) == set(OUTCOMES) == WORDS.keys()


def test_a_reason_of_tomorrow_closes_the_door() -> None:
    assert outcome_of("on_holiday") == "over_quota"
