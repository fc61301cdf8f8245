"""Plans: power against statsmodels where nothing is clustered, and what must hold everywhere."""

import json

import pytest
from statsmodels.stats.power import NormalIndPower, TTestIndPower
from statsmodels.stats.proportion import proportion_effectsize

from palaver.analysis.planning import Assumptions, assume, plan
from palaver.analysis.planning.simulated_studies import StudyDrawing, tells_apart
from palaver.core.errors import InputError
from palaver.core.serial import plain

INDEPENDENT = {"rater_sd": 0.0, "item_sd": 0.0, "cluster": "dialogue"}


def power_of(assumed: Assumptions, blocks: int, simulations: int) -> float:
    drawing = StudyDrawing(assumed, seed=1)
    found = [
        tells_apart(drawing.study(blocks, number), assumed, seed=number)
        for number in range(simulations)
    ]
    return sum(found) / simulations


def test_ratings_that_are_independent_have_the_power_of_the_t_test() -> None:
    assumed = assume("rating", 0.5, 4, taste_sd=0.0, residual_sd=1.0, **INDEPENDENT)
    expected = TTestIndPower().power(0.5, 64, 0.05)

    # Four Monte-Carlo errors of 500 simulations are 0.07.
    assert power_of(assumed, 64, 500) == pytest.approx(expected, abs=0.07)


def test_proportions_that_are_independent_have_the_power_of_the_z_test() -> None:
    assumed = assume("proportion", 0.2, 4, base=0.3, taste_sd=0.0, **INDEPENDENT)
    effect = proportion_effectsize(0.5, 0.3)
    expected = NormalIndPower().power(effect, 90, 0.05)

    assert power_of(assumed, 90, 500) == pytest.approx(expected, abs=0.07)


def test_votes_that_are_independent_have_the_power_of_one_proportion() -> None:
    assumed = assume("votes", 0.15, 4, ties=0.0, **INDEPENDENT)
    effect = proportion_effectsize(0.65, 0.5)
    expected = NormalIndPower(ddof=0).power(effect, 85, 0.05, ratio=0)

    assert power_of(assumed, 85, 400) == pytest.approx(expected, abs=0.08)


def test_without_a_difference_the_level_is_kept() -> None:
    """Half the level, as only a finding in the right direction counts."""
    assumed = assume("rating", 1e-9, 4, taste_sd=0.0, residual_sd=1.0, **INDEPENDENT)

    assert power_of(assumed, 60, 600) == pytest.approx(0.025, abs=0.025)


def test_a_plan_has_the_size_of_the_textbook() -> None:
    assumed = assume("rating", 0.5, 4, taste_sd=0.0, residual_sd=1.0, **INDEPENDENT)
    found = plan(assumed, simulations=150, pay=12)
    expected = 2 * TTestIndPower().solve_power(0.5, power=0.8, alpha=0.05)

    assert found.dialogues == pytest.approx(expected, rel=0.2)
    assert found.point is not None
    assert found.point.power >= 0.8
    assert found.votes == found.dialogues
    assert found.hours == pytest.approx(found.votes * 2 / 60)
    assert found.cost == pytest.approx(found.hours * 12)


def size(*arguments: object, **options: object) -> int:
    found = plan(assume(*arguments, **options), simulations=30)
    assert found.dialogues is not None
    return found.dialogues


def test_a_larger_difference_needs_fewer() -> None:
    assert size("rating", 0.6, 20) < size("rating", 0.4, 20)
    assert size("votes", 0.3, 20) < size("votes", 0.15, 20)


def test_raters_who_differ_more_cost_more() -> None:
    assert size("votes", 0.2, 25, rater_sd=0.0) < size("votes", 0.2, 25, rater_sd=1.2)
    assert size("rating", 0.5, 25, taste_sd=0.0) < size("rating", 0.5, 25, taste_sd=0.9)


def test_more_power_and_more_systems_cost_more() -> None:
    plain = size("rating", 0.5, 20)
    found = plan(assume("rating", 0.5, 20), power=0.95, simulations=30)
    assert found.dialogues is not None
    assert found.dialogues > plain
    assert size("rating", 0.5, 20, systems=3) > plain


def test_the_same_seed_gives_the_same_plan() -> None:
    one, two = (plan(assume("rating", 0.6, 20), simulations=40, seed=7) for _ in range(2))
    assert plain(one) == plain(two)


def test_too_few_raters_who_differ_too_much_never_reach_it() -> None:
    assumed = assume("rating", 0.2, 10, taste_sd=1.5)
    found = plan(assumed, simulations=40, most=1000, pay=10)

    assert found.dialogues is None
    assert found.cost is None
    assert "only more raters help" in found.reason
    document = plain(found)
    assert document["dialogues"] is None
    assert document["power"] is None
    assert json.dumps(document, allow_nan=False)


def test_what_a_reader_must_know() -> None:
    few = plan(assume("rating", 0.8, 6), simulations=20)
    assert "6 raters say little of raters in general" in few.warnings[0]
    these = plan(assume("rating", 0.8, 3, cluster="dialogue"), simulations=20)
    assert "the difference that these raters see" in these.warnings[0]
    assert plan(assume("rating", 0.8, 12), simulations=20).warnings[:1] != few.warnings[:1]
    small = plan(assume("rating", 5.0, 25), simulations=20)
    assert "smallest study that is considered" in small.warnings[-1]
    assert "<table>" in few._repr_html_()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"power": 1.0}, "A power must be between 0 and 1; got 1"),
        ({"power": 0}, "A power must be between"),
        ({"simulations": 3}, "20 simulated studies or more"),
        ({"most": 1}, "room for two dialogues"),
        ({"pay": -1}, "hourly pay"),
    ],
)
def test_bad_input(options: dict[str, float], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        plan(assume("rating", 0.5, 20), **options)


# What a study says of equal systems, in one direction: at most half of the level and its tolerance.
ONE_SIDED = 0.03
LEVELS = [
    ("rating", 12, {"taste_sd": 0.3}),
    ("rating", 12, {"per_dialogue": 3}),
    ("rating", 5, {}),
    ("proportion", 12, {}),
    ("votes", 12, {}),
    ("votes", 15, {"systems": 4, "rater_sd": 0.7}),
    ("votes", 20, {"per_dialogue": 2}),
]


def share_told_apart(outcome: str, raters: int, options: dict[str, float], times: int) -> float:
    assumed = assume(outcome, 1e-9, raters, **options)
    drawing = StudyDrawing(assumed, seed=3)
    blocks = max(60 // assumed.block, raters)
    told = [tells_apart(drawing.study(blocks, n), assumed, seed=n) for n in range(times)]
    return sum(told) / times


def test_equal_systems_are_hardly_ever_told_apart() -> None:
    # Of 120 studies 3.6 are expected at most; 9 or more come up in one of a hundred.
    assert share_told_apart(*LEVELS[0], times=120) <= 8 / 120


@pytest.mark.long
@pytest.mark.parametrize(("outcome", "raters", "options"), LEVELS)
def test_equal_systems_are_told_apart_no_more_often_than_the_level(
    outcome: str, raters: int, options: dict[str, float]
) -> None:
    times = 1000
    assert (
        share_told_apart(outcome, raters, options, times) <= ONE_SIDED + 2 * (0.025 / times) ** 0.5
    )
