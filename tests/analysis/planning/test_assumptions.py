"""What may be assumed, and what may not."""

from math import inf, nan

import pytest

from palaver.analysis.planning import assume
from palaver.core.errors import InputError
from palaver.core.serial import plain


def test_defaults_are_filled_in() -> None:
    found = assume("rating", 0.3, 20, rater_sd=None, item_sd=0.7)

    assert (found.item_sd, found.residual_sd, found.cluster) == (0.7, 0.8, "rater")
    assert plain(found)["meaning"].startswith("the two systems' mean ratings differ")


def test_what_clusters_by_default() -> None:
    assert assume("rating", 0.3, 20, per_dialogue=3).cluster == "both"
    assert assume("rating", 0.3, 9, per_dialogue=3).cluster == "both"
    assert assume("rating", 0.3, 9).cluster == "rater"


def test_an_icc_splits_the_deviation() -> None:
    found = assume("rating", 0.3, 20, sd=2.0, icc=0.25)

    assert found.item_sd == pytest.approx(1.0)
    assert found.residual_sd**2 + found.item_sd**2 == pytest.approx(4.0)


def test_a_proportion_lies_around_a_half_unless_told() -> None:
    assert assume("proportion", 0.2, 20).base == pytest.approx(0.4)
    assert assume("proportion", 0.2, 20, base=0.1).base == 0.1


def test_the_level_is_shared_by_pairs_of_systems() -> None:
    found = assume("rating", 0.3, 20, systems=4)
    assert (found.pairs, found.block) == (6, 4)
    assert found.level == pytest.approx(0.05 / 6)
    assert assume("votes", 0.1, 20, systems=4).block == 6


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("votes", 0, 20), "A difference to look for is above 0 and below 0.5; got 0"),
        (("votes", -0.1, 20), "above 0"),
        (("votes", 0.5, 20), "below 0.5"),
        (("votes", nan, 20), "above 0"),
        (("rating", inf, 20), "above 0"),
        (("proportion", 1.0, 20), "below 1"),
        (("votes", 0.1, 0), "one rater or more"),
        (("votes", 0.1, -3), "one rater or more"),
        (("likert", 0.1, 20), "An outcome is one of votes, rating, proportion; got 'likert'"),
    ],
)
def test_impossible_plans(arguments: tuple[str, float, int], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        assume(*arguments)


@pytest.mark.parametrize(
    ("outcome", "options", "problem"),
    [
        ("votes", {"per_dialogue": 21}, "no more per dialogue"),
        ("votes", {"per_dialogue": 0}, "no more per dialogue"),
        ("votes", {"systems": 1}, "two systems or more"),
        ("votes", {"alpha": 1}, "level of significance"),
        ("votes", {"ties": 1}, "below 1"),
        ("rating", {"ties": 0.2}, "Ties are a share of votes"),
        ("votes", {"taste_sd": 0.2}, "no deviation of taste"),
        ("votes", {"residual_sd": 0.2}, "Only ratings have a residual"),
        ("rating", {"rater_sd": -1}, "'rater_sd' is a number of 0 or more; got -1"),
        ("rating", {"item_sd": nan}, "'item_sd' is a number"),
        ("rating", {"minutes": -1}, "'minutes' is a number"),
        ("rating", {"luck_sd": 1}, "no assumption 'luck_sd'"),
        ("rating", {"cluster": "moon"}, "rater, dialogue or both"),
        ("rating", {"icc": 1.2}, "An icc must be between 0 and 1"),
        ("rating", {"icc": 0.2, "item_sd": 1}, "one or the other"),
        ("votes", {"icc": 0.2}, "for ratings"),
        ("votes", {"base": 0.2}, "A base is the lesser proportion"),
        ("proportion", {"base": 0.95}, "below 1 less the difference"),
    ],
)
def test_impossible_assumptions(outcome: str, options: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        assume(outcome, 0.1, 20, **options)


def test_one_rater_cannot_be_a_cluster() -> None:
    with pytest.raises(InputError, match="One rater says nothing"):
        assume("votes", 0.1, 1, cluster="rater")
    assert assume("votes", 0.1, 1).cluster == "dialogue"
