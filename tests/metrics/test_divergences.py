"""Distances as metrics: means over items, against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from palaver.core.errors import InputError
from palaver.metrics import find_metric

MASSES = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)
PAIRS = st.lists(st.tuples(MASSES, MASSES), min_size=1, max_size=5)


@settings(max_examples=50, deadline=None)
@given(PAIRS)
def test_against_scipy(pairs: list[tuple[list[int], list[int]]]) -> None:
    predictions, references = map(list, zip(*pairs, strict=True))
    shares = [(np.array(p) / sum(p), np.array(q) / sum(q)) for p, q in pairs]
    places = np.arange(4)
    expected = {
        "jsd": [np.nan_to_num(jensenshannon(p, q, base=2)) ** 2 for p, q in shares],
        "nmd": [wasserstein_distance(places, places, p, q) / 3 for p, q in shares],
        "rnss": [np.linalg.norm(p - q) / np.sqrt(2) for p, q in shares],
    }
    for name, values in expected.items():
        found = find_metric(name).compute(predictions, references)
        assert found.per_item == pytest.approx(values, abs=1e-7)
        assert found.value == pytest.approx(np.mean(values), abs=1e-7)


def test_rsnod_by_hand() -> None:
    # Squared differences 0, 0.25, 0.25; weighted by distance 0.75, 0.25, 0.25; over either support
    # 0.5; √(0.5 / 2) = 0.5.
    found = find_metric("rsnod").compute([[1, 0, 1]], [[1, 1, 0]])
    assert found.value == pytest.approx(0.5, abs=1e-12)


def test_items_may_have_different_numbers_of_labels() -> None:
    found = find_metric("nmd").compute([[1, 0], [0, 0, 1]], [[0, 1], [0, 0, 5]])
    assert found.per_item == (1.0, 0.0)


def test_both_sides_need_the_same_labels() -> None:
    with pytest.raises(InputError, match="Item 2 has 2 labels in the prediction and 3"):
        find_metric("jsd").compute([[1, 0], [1, 0]], [[1, 0], [1, 0, 0]])


def test_arrays_will_do() -> None:
    p, q = np.array([[0.5, 0.5], [1, 0]]), np.array([[0.5, 0.5], [0, 1]])
    assert find_metric("jsd").compute(p, q).value == 0.5
