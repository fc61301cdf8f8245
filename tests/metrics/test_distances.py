"""The four distances: worked examples, other implementations, and what must hold of any pair."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.metrics.distances import (
    DISTANCES,
    distance_weighted,
    entropy,
    jsd,
    nmd,
    normalised,
    order_divergence,
    rnss,
    rsnod,
    sod,
)
from support.dialeval import EXAMPLES, examples, plain_nmd, plain_rsnod

ALL = [nmd, rsnod, jsd, rnss]
shared = pytest.mark.skipif(not EXAMPLES.exists(), reason="the shared examples are not here")

masses = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 100.0)), min_size=2, max_size=7).filter(
    any
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    p = draw(masses)
    q = draw(
        st.lists(
            st.one_of(st.just(0.0), st.floats(1e-6, 100.0)), min_size=len(p), max_size=len(p)
        ).filter(any)
    )
    return p, q


@shared
def test_the_worked_examples() -> None:
    for each in examples()["distributions"]:
        for distance in ALL:
            found = distance(each["pred"], each["gold"])
            assert found == pytest.approx(each[distance.__name__], abs=1e-9), each["name"]


def test_the_steps_of_rsnod_by_hand() -> None:
    """Two halves at the ends against two halves near the top: worked out on paper."""
    p, q = [0.5, 0, 0, 0, 0.5], [0, 0.5, 0.5, 0, 0]
    assert distance_weighted(p, q).tolist() == [1.75, 1.25, 1.25, 1.75, 2.25]
    assert order_divergence(p, q) == 2.0
    assert order_divergence(q, p) == 1.25
    assert sod(p, q) == 1.625
    assert rsnod(p, q) == pytest.approx(math.sqrt(1.625 / 4))


def test_rsnod_asks_whether_a_share_is_exactly_0() -> None:
    """A softmax's 1e-9 instead of 0 moves it far; nothing is smoothed away."""
    assert rsnod([1, 0, 0, 0, 0], [0, 1, 0, 0, 0]) == 0.5
    assert rsnod([1 - 4e-9, 1e-9, 1e-9, 1e-9, 1e-9], [0, 1, 0, 0, 0]) > 0.74


@given(pairs())
@settings(max_examples=50, deadline=None)
def test_nmd_is_the_earth_movers_distance_over_the_length_of_the_scale(
    pair: tuple[list[float], list[float]],
) -> None:
    p, q = pair
    places = range(len(p))
    moved = scipy.stats.wasserstein_distance(places, places, p, q)
    assert nmd(p, q) == pytest.approx(moved / (len(p) - 1), abs=1e-9)
    assert nmd(p, q) == pytest.approx(plain_nmd(p, q), abs=1e-12)


@given(pairs())
@settings(max_examples=50, deadline=None)
def test_jsd_is_the_square_of_scipys_distance(pair: tuple[list[float], list[float]]) -> None:
    p, q = pair
    root = scipy.spatial.distance.jensenshannon(p, q, base=2)
    assert jsd(p, q) == pytest.approx(root**2, abs=1e-9)


@given(pairs())
@settings(max_examples=50, deadline=None)
def test_rsnod_and_rnss_by_loops(pair: tuple[list[float], list[float]]) -> None:
    p, q = pair
    assert rsnod(p, q) == pytest.approx(plain_rsnod(p, q), abs=1e-12)
    apart = np.linalg.norm(np.array(p) / sum(p) - np.array(q) / sum(q))
    assert rnss(p, q) == pytest.approx(apart / math.sqrt(2), abs=1e-12)


@given(masses)
@settings(max_examples=50, deadline=None)
def test_entropy_is_scipys(p: list[float]) -> None:
    assert entropy(p) == pytest.approx(scipy.stats.entropy(p, base=2), abs=1e-9)
    assert 0 <= entropy(p) <= math.log2(len(p)) + 1e-12


@pytest.mark.parametrize("distance", ALL)
@given(pair=pairs(), scale=st.floats(0.01, 100))
@settings(max_examples=50, deadline=None)
def test_what_holds_of_every_distance(
    distance: Callable[[Any, Any], Any], pair: tuple[list[float], list[float]], scale: float
) -> None:
    p, q = pair
    found = distance(p, q)
    assert -1e-12 <= found <= 1 + 1e-12
    assert distance(q, p) == pytest.approx(found, abs=1e-12)
    assert distance(p, p) == 0
    assert distance([scale * x for x in p], q) == pytest.approx(found, abs=1e-9)
    # Read from the other end, a scale is as long.
    assert distance(p[::-1], q[::-1]) == pytest.approx(found, abs=1e-12)
    # All pairs at once are the pairs one by one, however they are stacked.
    stacked = distance(np.array([[p, q], [q, q]]), np.array([[q, q], [p, p]]))
    assert stacked.shape == (2, 2)
    assert stacked[0, 0] == pytest.approx(found, abs=1e-12)
    assert stacked[0, 1] == 0


@pytest.mark.parametrize("distance", [jsd, rnss])
@given(pair=pairs(), seed=st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_nominal_distances_know_no_order_and_no_empty_labels(
    distance: Callable[[Any, Any], Any], pair: tuple[list[float], list[float]], seed: int
) -> None:
    p, q = pair
    order = np.random.default_rng(seed).permutation(len(p))
    found = distance(p, q)
    assert distance(np.array(p)[order], np.array(q)[order]) == pytest.approx(found, abs=1e-12)
    assert distance([*p, 0.0], [*q, 0.0]) == pytest.approx(found, abs=1e-12)


def test_opposite_ends_are_1_apart_and_neighbours_nearer() -> None:
    for size in (2, 3, 7):
        first, last, second = np.eye(size)[0], np.eye(size)[-1], np.eye(size)[1]
        for distance in ALL:
            assert distance(first, last) == pytest.approx(1)
        for distance in DISTANCES["ordinal"].values():
            assert distance(first, second) <= distance(first, last)


@pytest.mark.parametrize("distance", ALL)
def test_what_sums_to_0_has_no_distance(distance: Callable[[Any, Any], Any]) -> None:
    assert math.isnan(distance([0, 0], [1, 2]))
    found = distance([[0, 0], [1, 1]], [[1, 2], [1, 1]])
    assert np.isnan(found[0])
    assert found[1] == 0


@pytest.mark.parametrize("distance", ALL)
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, -0.1], "of 0 or more; got -0.1"),
        ([0.5, math.nan], "got nan"),
        ([0.5, math.inf], "got inf"),
        ([1e308, 1e308], "whose sum is infinite"),
        ([0.2, 0.3, 0.5], "same categories; got 3 and 2"),
        ([], "one or more categories"),
        (0.5, "one or more categories"),
        (["a", "b"], "one number per category"),
        ([[1, 2], [3]], "one number per category"),
    ],
)
def test_what_is_no_distribution(distance: Callable[[Any, Any], Any], p: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distance(p, [1.0, 2.0])


def test_pairs_must_match_one_to_one() -> None:
    with pytest.raises(InputError, match="one by one"):
        jsd(np.ones((2, 3)), np.ones((4, 3)))


def test_one_category_has_no_order() -> None:
    for distance in (nmd, rsnod):
        with pytest.raises(InputError, match="two or more ordered categories"):
            distance([1.0], [1.0])
    assert jsd([1.0], [2.0]) == 0


def test_no_pairs_have_no_distances() -> None:
    assert jsd(np.empty((0, 4)), np.empty((0, 4))).shape == (0,)


def test_the_smallest_numbers_there_are() -> None:
    assert jsd([5e-324, 1.0], [0.0, 1.0]) == pytest.approx(0, abs=1e-12)
    assert normalised([5e-324, 0.0]).tolist() == [1.0, 0.0]
