"""The answer in one sentence, and no more than the votes say."""

import random

import pytest

from palaver.analysis.rank_sets import open_sentence, order_sentence
from palaver.analysis.win_rates import (
    CountedPreference,
    leader_sentence,
    told_apart,
    win_rates,
)


def votes(*results: tuple[str, str, int, int]) -> list[CountedPreference]:
    """(first, second, wins of the first, wins of the second) as counted preferences."""
    return [
        CountedPreference(first, second, value, count)
        for first, second, won, lost in results
        for value, count in (("first", won), ("second", lost))
    ]


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ([], "No comparisons yet"),
        ([("A", "B", 40, 40)], "No system leads yet; A and B cannot be distinguished"),
        ([("A", "B", 20, 2)], "A leads; B follows"),
        ([("A", "B", 2, 20)], "B leads; A follows"),
        ([("A", "B", 11, 9)], "No system leads yet; A and B cannot be distinguished"),
        (
            [("A", "B", 18, 2), ("A", "C", 19, 1), ("B", "C", 11, 9)],
            "A leads; B and C cannot be distinguished",
        ),
        (
            [("A", "B", 11, 9), ("A", "C", 19, 1), ("B", "C", 19, 1)],
            "No system leads yet; A and B cannot be distinguished; C follows",
        ),
        (
            [("A", "B", 80, 20), ("A", "C", 99, 1), ("B", "C", 80, 20)],
            "A leads; B and C follow, in this order",
        ),
        (
            [("A", "B", 24, 16), ("A", "C", 34, 6), ("B", "C", 24, 16)],
            "No system leads yet; A and B cannot be distinguished, nor can B and C",
        ),
    ],
)
def test_the_sentence(results, sentence):
    assert leader_sentence(win_rates(votes(*results))) == sentence


def test_a_final_board_does_not_say_yet():
    rates = win_rates(votes(("A", "B", 11, 9)))

    assert leader_sentence(rates, final=True) == "No system leads; A and B cannot be distinguished"


def test_systems_without_votes_are_named():
    rates = win_rates(votes(("A", "B", 20, 2)), systems=["A", "B", "C", "D"])

    assert leader_sentence(rates) == "A leads; B follows; C and D have no votes yet"


def test_rates_against_different_opponents_are_not_compared():
    rates = win_rates(votes(("A", "B", 20, 0), ("C", "D", 10, 10)))

    assert not told_apart(rates, "A", "C")
    assert leader_sentence(rates).startswith("No system leads yet")


def test_rates_against_one_common_baseline_are_compared():
    rates = win_rates(votes(("A", "base", 38, 2), ("B", "base", 10, 30)))

    assert told_apart(rates, "A", "B")


def test_different_opponents_leave_the_direct_comparison():
    rates = win_rates(votes(("A", "B", 20, 2), ("B", "C", 20, 2)))

    assert told_apart(rates, "A", "B")
    assert not told_apart(rates, "B", "A")


def test_equal_systems_are_seldom_told_apart():
    rng = random.Random(3)
    leaders = 0
    for _ in range(600):
        results = [
            (x, y, won, 40 - won)
            for x, y in (("A", "B"), ("A", "C"), ("B", "C"))
            for won in [rng.choices([0, 1], k=40).count(1)]
        ]
        leaders += " leads;" in leader_sentence(win_rates(votes(*results))).replace(
            "No system leads yet", ""
        )

    assert leaders / 600 < 0.05


def test_all_ties_have_no_leader() -> None:
    rates = win_rates([CountedPreference("A", "B", "tie", 500)])
    assert leader_sentence(rates) == "No system leads yet; A and B cannot be distinguished"


def test_one_system_leads_nobody() -> None:
    rates = win_rates([CountedPreference("A", "A", "first", 5)], systems=["A"])
    assert leader_sentence(rates).startswith("No system can lead")
    assert order_sentence(["A"], [["A"]]) == "A is the only system"


def test_without_a_test_of_the_order_the_top_is_named_and_does_not_lead() -> None:
    why = "there is one vote only"
    assert open_sentence({"A": 1.0}, why, what="score") == "A is the only system"
    two = open_sentence({"A": 1.0, "B": 1.0, "C": 0.5}, why, what="score", final=False)
    assert two == (
        "No system leads yet: there is one vote only; A and B share the highest score so far"
    )
