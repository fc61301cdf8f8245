"""Krippendorff's α: against published tables, the definition over all pairs, and `krippendorff`."""

import subprocess
import sys
from itertools import permutations

import krippendorff
import numpy as np
import pytest

from palaver.analysis.agreement import (
    NO_PAIRS,
    NO_VARIATION,
    Judgement,
    agreement,
    agreement_per_label,
)
from palaver.core.errors import InputError

LEVELS = ["nominal", "ordinal", "interval"]

# K. Krippendorff (2011), Computing Krippendorff's alpha-reliability, sections C and D.
FOUR_OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
# The same paper, section A: binary, two observers, ten units; α = 0.095.
BINARY = ["0100000010", "1110010000"]
# Section B: nominal, two observers, twelve units; α = 0.692.
TWO_OBSERVERS = ["aabbdcccedda", "babbbccceddd"]


def read(rows):
    return [
        Judgement(unit, f"rater {rater}", int(value) if value.isdigit() else value)
        for rater, row in enumerate(rows)
        for unit, value in enumerate(row)
        if value != "."
    ]


def drawn(rng, *, units, raters, values, missing=0.3):
    """Judgements of raters who see the unit's own value through noise, some of them missing."""
    truth = rng.choice(values, units)
    return [
        Judgement(unit, rater, float(truth[unit] if rng.random() < 0.6 else rng.choice(values)))
        for unit in range(units)
        for rater in range(raters)
        if rng.random() > missing
    ]


def by_definition(judgements, level):
    """α from coincidences: every ordered pair of values of a unit, one by one."""
    units = {}
    for unit, _, value in judgements:
        units.setdefault(unit, []).append(value)
    coincidences = {}
    for values in units.values():
        for one, other in permutations(values, 2):
            key = (one, other)
            coincidences[key] = coincidences.get(key, 0.0) + 1 / (len(values) - 1)
    total = {}
    for (one, _), weight in coincidences.items():
        total[one] = total.get(one, 0.0) + weight
    n = sum(total.values())

    def distance(one, other):
        if level == "nominal":
            return float(one != other)
        if level == "interval":
            return (one - other) ** 2
        low, high = min(one, other), max(one, other)
        between = sum(count for value, count in total.items() if low <= value <= high)
        return (between - (total[low] + total[high]) / 2) ** 2

    observed = sum(weight * distance(*pair) for pair, weight in coincidences.items()) / n
    expected = sum(
        total[one] * total[other] * distance(one, other) for one in total for other in total
    ) / (n * (n - 1))
    return None if expected == 0 else 1 - observed / expected


def by_package(judgements, level):
    """α as the package `krippendorff` has it."""
    units = sorted({j.unit for j in judgements})
    raters = sorted({j.rater for j in judgements})
    table = np.full((len(raters), len(units)), np.nan)
    for unit, rater, value in judgements:
        table[raters.index(rater), units.index(unit)] = value
    return krippendorff.alpha(reliability_data=table, level_of_measurement=level)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_it_agrees_with_krippendorffs_four_observers(level, published):
    found = agreement(read(FOUR_OBSERVERS), level=level)

    assert round(found.alpha, 3) == published
    assert found.alpha == pytest.approx(by_definition(read(FOUR_OBSERVERS), level), abs=1e-12)


@pytest.mark.parametrize(("rows", "published"), [(BINARY, 0.095), (TWO_OBSERVERS, 0.692)])
def test_it_agrees_with_krippendorffs_two_observers(rows, published):
    assert round(agreement(read(rows), level="nominal").alpha, 3) == published


def test_a_table_worked_by_hand():
    # Units 1: a a, 2: a b, 3: b b b. Pairable values n = 7, of them n_a = 3, n_b = 4.
    # n D_o = 2 / 1 = 2 (unit 2: two ordered pairs, m − 1 = 1). n (n − 1) D_e = 2 · 3 · 4 = 24.
    # α = 1 − (7 − 1) · 2 / 24 = 0.5. Pairs: 1 + 1 + 3, of which 1 + 0 + 3 are alike.
    found = agreement(read(["aab", "abb", "..b"]), level="nominal")

    assert found.alpha == pytest.approx(0.5)
    assert found.percent == pytest.approx(4 / 5)
    assert (found.units, found.lone, found.raters, found.pairs) == (3, 0, 3, 5)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", range(40))
def test_it_agrees_with_the_definition_and_with_the_package(level, case):
    rng = np.random.default_rng(case)
    values = [1, 2, 3, 4, 5] if case % 2 else [-3.5, 0.0, 2.25, 10.0]
    said = drawn(rng, units=3 + case, raters=2 + case % 5, values=values, missing=case % 4 / 8)

    found = agreement(said, level=level, resamples=0)

    expected = by_definition(said, level)
    assert found.alpha == (None if expected is None else pytest.approx(expected, abs=1e-10))
    if expected is not None:
        assert found.alpha == pytest.approx(by_package(said, level), abs=1e-10)


def test_a_unit_with_one_answer_changes_nothing_but_the_count():
    said = read(FOUR_OBSERVERS)
    more = [*said, Judgement("lone", "rater 0", 5)]

    found = agreement(more, level="ordinal")

    assert found.alpha == agreement(said, level="ordinal").alpha
    assert found.lone == 2


def test_who_sees_units_and_in_which_order_is_all_the_same():
    said = read(FOUR_OBSERVERS)

    assert agreement(said[::-1], level="interval") == agreement(said, level="interval")


def test_only_the_order_of_ordinal_values_counts():
    said = read(FOUR_OBSERVERS)
    stretched = [Judgement(j.unit, j.rater, j.value**3) for j in said]

    assert agreement(stretched, level="ordinal").alpha == agreement(said, level="ordinal").alpha
    assert agreement(stretched, level="interval").alpha != agreement(said, level="interval").alpha


def test_large_numbers_far_from_zero_lose_nothing():
    said = read(FOUR_OBSERVERS)
    far = [Judgement(j.unit, j.rater, j.value + 1e8) for j in said]

    assert agreement(far, level="interval").alpha == pytest.approx(0.849, abs=5e-4)


@pytest.mark.parametrize("level", LEVELS)
def test_without_two_answers_to_one_unit_it_is_undefined(level):
    for said in ([], read(["12..", "..34"])):
        found = agreement(said, level=level)
        assert (found.alpha, found.interval, found.percent) == (None, None, None)
        assert found.reason == NO_PAIRS
    assert found.lone == 4


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("value", [3, 0.1])
def test_without_variation_it_is_undefined_though_all_agree(level, value):
    said = [Judgement(unit, rater, value) for unit in range(7) for rater in "ABC"]

    found = agreement(said, level=level)

    assert found.alpha is None
    assert found.reason == NO_VARIATION
    assert found.percent == 1.0
    assert found.pairs == 21


def test_a_rater_who_answers_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        agreement([Judgement(1, "A", 1), Judgement(1, "A", 2)], level="nominal")


@pytest.mark.parametrize("given", [{"resamples": -1}, {"confidence": 95}])
def test_impossible_bootstraps_are_refused(given):
    with pytest.raises(InputError, match="bootstrap"):
        agreement(read(BINARY), level="nominal", **given)


@pytest.mark.parametrize("level", LEVELS)
def test_the_bootstrap_draws_units_as_a_plain_loop_would(level):
    said = drawn(np.random.default_rng(5), units=40, raters=4, values=[1, 2, 3, 4, 5])
    rng = np.random.default_rng(6)
    units = {}
    for judgement in said:
        units.setdefault(judgement.unit, []).append(judgement)
    shared = [each for each in units.values() if len(each) > 1]
    looped = []
    for _ in range(1500):
        chosen = rng.integers(len(shared), size=len(shared))
        sample = [
            Judgement(n, j.rater, j.value) for n, place in enumerate(chosen) for j in shared[place]
        ]
        looped.append(agreement(sample, level=level, resamples=0).alpha)

    found = agreement(said, level=level, resamples=4000)

    low, high = np.quantile(looped, [0.025, 0.975])
    assert found.interval.low == pytest.approx(low, abs=0.025)
    assert found.interval.high == pytest.approx(high, abs=0.025)
    assert found.interval.low < found.alpha < found.interval.high


def test_the_same_seed_gives_the_same_interval():
    said = read(FOUR_OBSERVERS)

    assert agreement(said, level="nominal").interval == agreement(said, level="nominal").interval
    other = agreement(said, level="nominal", seed=2).interval
    assert other != agreement(said, level="nominal").interval


@pytest.mark.parametrize("level", LEVELS)
def test_its_interval_covers_the_truth_about_as_often_as_it_says(level):
    # Every rater gives the unit's own value with probability 0.7, else one of five at random.
    # Limits of D_o and D_e for many units: two raters, and two random values, differ like this.
    points, keep = np.arange(5.0), 0.7
    told = np.full((5, 5), (1 - keep) / 5) + keep * np.eye(5)
    together = told.T @ told / 5
    # The values are equally frequent, so mid-ranks are as far apart as the values.
    apart = (points[:, None] - points[None, :]) ** 2
    distance = apart > 0 if level == "nominal" else apart
    truth = 1 - (together * distance).sum() / (distance.sum() / 25)
    rng = np.random.default_rng(11)
    covered = []
    for _ in range(300):
        own = rng.integers(5, size=(80, 1))
        given = np.where(rng.random((80, 3)) < keep, own, rng.integers(5, size=(80, 3)))
        said = [
            Judgement(unit, rater, int(value))
            for unit, row in enumerate(given)
            for rater, value in enumerate(row)
        ]
        interval = agreement(said, level=level, resamples=400).interval
        covered.append(interval.low <= truth <= interval.high)

    assert 0.9 < np.mean(covered) < 0.985


def test_an_interval_is_withheld_when_many_draws_have_no_alpha():
    # One unit of two differs: a quarter of the draws hold the other unit twice.
    found = agreement(read(["aa", "ab"]), level="nominal")

    assert found.alpha == pytest.approx(0.0)
    assert found.interval is None
    assert 200 < found.undefined < 300
    assert found.resamples == 1000


def test_one_unit_has_no_interval():
    found = agreement(read(["1", "2"]), level="interval")

    assert found.alpha == pytest.approx(0.0)
    assert found.interval is None


def test_many_distinct_numbers_take_little_memory_and_time():
    rng = np.random.default_rng(1)
    own = rng.random(5000) * 100
    said = [
        Judgement(unit, rater, float(own[unit] + rng.normal(0, 5)))
        for unit in range(5000)
        for rater in range(3)
    ]

    found = agreement(said, level="interval", resamples=200)

    # The variance of the values is 100² / 12, that of the noise 25.
    assert found.alpha == pytest.approx(1 - 25 / (100**2 / 12 + 25), abs=0.005)
    assert found.interval.high - found.interval.low < 0.01


def test_sets_of_labels_are_judged_label_by_label():
    rng = np.random.default_rng(2)
    names = ["rude", "dull", "false"]
    said = [
        Judgement(unit, rater, {name for name in names if rng.random() < 0.2 + 0.6 * (unit % 2)})
        for unit in range(50)
        for rater in "ABC"
    ]

    found = agreement_per_label(said, names)

    for name in names:
        present = [Judgement(j.unit, j.rater, int(name in j.value)) for j in said]
        assert found[name].alpha == pytest.approx(by_package(present, "nominal"), abs=1e-10)


def test_numpy_is_loaded_only_when_something_is_computed():
    code = "import sys, palaver.analysis.agreement; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
