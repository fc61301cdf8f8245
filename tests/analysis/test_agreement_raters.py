"""Each two raters, and each against the rest."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from palaver.analysis.agreement import (
    Judgement,
    agreement,
    pairwise,
    pairwise_of,
    per_rater,
    raters,
    read_judgements,
)
from palaver.core.serial import plain
from support.raters import FOUR_OBSERVERS, judged, matrices, read


def of(said, *raters):
    return [each for each in said if each.rater in raters]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_a_pair_is_what_it_would_be_alone(level):
    said = read(FOUR_OBSERVERS)

    found = pairwise(said, level=level)

    assert len(found.pairs) == 6
    for pair in found.pairs:
        alone = agreement(of(said, pair.first, pair.second), level=level, resamples=0)
        assert pair.alpha == pytest.approx(alone.alpha, abs=1e-12)
        assert pair.percent == pytest.approx(alone.percent)
        assert pair.units == alone.units


@pytest.mark.parametrize(("together", "cells"), [(1, 1), (40, 1000), (200_000, 7)])
def test_a_pair_among_many_is_what_it_would_be_alone(monkeypatch, together, cells):
    monkeypatch.setattr(raters, "TOGETHER", together)
    monkeypatch.setattr(raters, "CELLS", cells)
    said = read(FOUR_OBSERVERS)
    names = {each.rater: f"{each.rater} again" for each in said}
    said += [Judgement(each.unit, names[each.rater], each.value) for each in said]

    found = pairwise(said, level="interval")

    assert len(found.pairs) == 28
    for pair in found.pairs:
        (alone,) = pairwise(of(said, pair.first, pair.second), level="interval").pairs
        assert plain(pair) == pytest.approx(plain(alone), abs=1e-12)


def test_the_matrix_of_a_heat_map_is_symmetric():
    found = pairwise(read(FOUR_OBSERVERS), level="nominal")

    for name in ("percent", "kappa", "alpha"):
        cells = np.array(found.matrix(name))
        assert np.array_equal(cells, cells.T)
        assert (np.diag(cells) == 1).all()
    assert found.matrix("units")[0][1] == 9
    assert math.isnan(found.matrix("units")[0][0])
    assert "<table>" in found._repr_html_()


def test_raters_who_share_nothing_have_no_number():
    (pair,) = pairwise(read(["ab..", "..ab"]), level="nominal").pairs

    assert pair.units == 0
    assert plain(pair) == {
        "a": "rater 0",
        "b": "rater 1",
        "units": 0,
        "percent": None,
        "kappa": None,
        "alpha": None,
    }


def test_only_those_who_share_something_can_be_asked_for():
    # Three groups of four raters, each of whom judges five units of their own.
    rng = np.random.default_rng(3)
    said = [
        Judgement(f"{group} {unit}", f"{group} {rater}", int(rng.integers(3)))
        for group in "abc"
        for rater in range(4)
        for unit in range(5)
    ]
    ratings = read_judgements(said, level="nominal")

    every, shared = pairwise_of(ratings), pairwise_of(ratings, shared=True)

    assert (len(every.pairs), len(shared.pairs)) == (66, 18)
    assert [pair for pair in every.pairs if pair.units] == list(shared.pairs)
    assert shared.raters == every.raters
    assert shared.sharing == every.sharing == 18


def test_those_who_share_most_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(raters, "TOGETHER", 10)
    rng = np.random.default_rng(4)
    said = [
        Judgement(unit, rater, int(rng.integers(3)))
        for rater in range(12)
        for unit in rng.choice(30, size=int(rng.integers(2, 20)), replace=False).tolist()
    ]
    ratings = read_judgements(said, level="ordinal")
    every = [pair for pair in pairwise_of(ratings).pairs if pair.units]

    found = pairwise_of(ratings, most=7)

    chosen = sorted(every, key=lambda pair: -pair.units)[:7]
    assert list(found.pairs) == [pair for pair in every if pair in chosen]
    assert found.sharing == len(every)


def test_one_rater_against_the_rest():
    said = read(FOUR_OBSERVERS)
    whole = agreement(said, level="ordinal", resamples=0)

    found = per_rater(said, level="ordinal")

    assert [each.rater for each in found] == [f"rater {n}" for n in range(4)]
    for each in found:
        rest = [judgement for judgement in said if judgement.rater != each.rater]
        without = agreement(rest, level="ordinal", resamples=0)
        assert each.alpha_without == pytest.approx(without.alpha, abs=1e-12)
        assert each.gain == pytest.approx(without.alpha - whole.alpha, abs=1e-12)
        pairs = [
            mine.value == other.value
            for mine in of(said, each.rater)
            for other in rest
            if other.unit == mine.unit
        ]
        assert each.pairs == len(pairs)
        assert each.percent == pytest.approx(np.mean(pairs))


@settings(max_examples=50, deadline=None)
@given(matrix=matrices())
def test_the_raters_pairs_add_up_to_all_pairs_twice(matrix):
    said = judged(matrix)
    whole = agreement(said, level="nominal", resamples=0)

    found = per_rater(said, level="nominal")

    assert sum(each.pairs for each in found) == 2 * whole.pairs
    alike = sum(each.pairs * each.percent for each in found if each.pairs)
    assert alike == pytest.approx(2 * whole.pairs * (whole.percent or 0))


def test_somebody_who_answers_at_random_is_found():
    rng = np.random.default_rng(1)
    own = rng.integers(4, size=60)
    said = [Judgement(n, rater, int(own[n])) for n in range(60) for rater in "AB"]
    said += [Judgement(n, "C", int(rng.integers(4))) for n in range(60)]

    found = {each.rater: each for each in per_rater(said, level="nominal")}

    assert found["C"].gain > 0.5
    assert max(found["A"].gain, found["B"].gain) < 0
    assert found["C"].percent < found["A"].percent


def test_of_two_raters_nobody_can_be_left_out():
    found = per_rater(read(["aab", "abb"]), level="nominal")

    assert all(math.isnan(each.alpha_without) and math.isnan(each.gain) for each in found)
    assert plain(found[0])["alpha_without"] is None
    assert "two raters" in plain(found[0])["reason"]


def test_nobody_has_nobody_to_agree_with():
    assert per_rater([], level="nominal") == ()
    assert pairwise([], level="nominal").pairs == ()
