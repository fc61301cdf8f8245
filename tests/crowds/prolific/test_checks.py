"""Whether Prolific would take a draft or a rejection: all that is wrong, in sentences."""

from typing import Any

import pytest

from palaver.core.money import Money
from palaver.crowds.prolific.checks import problems_of, rejection_problems
from palaver.crowds.prolific.records import CodeAction, CompletionCode, StudyFilter
from support.prolific import APPROVED, drafted

BOTH = CompletionCode(
    code="BOTH",
    actions=(CodeAction(action="AUTOMATICALLY_APPROVE"), CodeAction(action="MANUALLY_REVIEW")),
)


def test_a_good_draft_has_no_problems() -> None:
    assert problems_of(drafted()) == ()
    assert problems_of(drafted(address="http://127.0.0.1:8000/s/talk")) == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"title": " "}, "no title"),
        ({"description": ""}, "no description"),
        ({"description": "<script>x</script>"}, "script"),
        ({"description": '<p onclick="x()">x</p>'}, "p onclick"),
        ({"description": "<!-- x -->x"}, "a comment"),
        ({"address": "http://lab.example/s/talk"}, "https:// alone"),
        ({"address": "javascript:alert(1)"}, "https:// alone"),
        ({"reward": Money(0, "GBP")}, "more than nothing"),
        ({"places": 0}, "at least 1"),
        ({"minutes": 0}, "at least 1"),
        ({"minutes": 1500}, "24 hours"),
        ({"most_minutes": 10}, "longer than"),
        ({"devices": ()}, "No device"),
        ({"codes": ()}, "no completion code"),
        ({"codes": (APPROVED, APPROVED)}, "Used twice: DONE"),
        ({"codes": (BOTH,)}, "Choose one"),
        ({"codes": (CompletionCode(code="A"),)}, "does nothing"),
        ({"codes": (CompletionCode(code="a b", actions=APPROVED.actions),)}, "letters, digits"),
        (
            {"codes": (CompletionCode(code="A", actions=(CodeAction(action="REQUEST_RETURN"),)),)},
            "no reason",
        ),
        ({"filter_set": "f1", "never_groups": ["g1"]}, "not both"),
        (
            {"filters": [StudyFilter(filter_id="age", lower=18)] * 2},
            "Chosen twice: age",
        ),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], said: str) -> None:
    (problem,) = problems_of(drafted(**given))

    assert said in problem


def test_all_problems_are_said_at_once() -> None:
    assert len(problems_of(drafted(title="", places=0, codes=()))) == 3


def test_a_rejection_needs_a_hundred_characters_and_a_category() -> None:
    assert rejection_problems("x" * 100, "LOW_EFFORT") == ()
    short, odd = rejection_problems("  " + "x" * 99 + "  ", "BECAUSE")
    assert "99 characters" in short
    assert "BECAUSE" in odd
