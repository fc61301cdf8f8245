"""The wild cluster bootstrap against its definition written out, and against Student's t."""

from itertools import product

import numpy as np
import pytest

from palaver.analysis.ranking.cluster_scores import ClusterScores
from palaver.analysis.ranking.wild import _Draws, critical_values
from palaver.analysis.student import quantile


def scores_of(added: np.ndarray, votes: np.ndarray) -> ClusterScores:
    share = votes / votes.sum()
    return ClusterScores(added, np.repeat(share[:, None], added.shape[1], axis=1), share)


def test_every_turn_of_signs_is_as_defined():
    dice = np.random.default_rng(3)
    added = dice.normal(size=(6, 3))
    votes = np.array([10, 20, 5, 5, 30, 10])
    signs = np.array(list(product([-1, 1], repeat=6)), dtype=np.float32)
    drawn = _Draws(scores_of(added, votes), signs)

    share = votes / votes.sum()
    expected = []
    for sign in signs:
        ratios = []
        for one, other in ((0, 1), (0, 2), (1, 2)):
            part = sign * (added[:, one] - added[:, other])
            error = ((part - share * part.sum()) ** 2 / (1 - share)).sum()
            ratios.append(abs(part.sum()) / np.sqrt(error))
        expected.append(max(ratios))
    assert drawn.of_pairs() == pytest.approx(np.array(expected), rel=1e-4)


def test_of_one_difference_and_many_clusters_it_is_students_quantile():
    """Turned signs of normal values have, on average, the quantile of t with G − 1 degrees."""
    dice = np.random.default_rng(5)
    found = []
    for _ in range(40):
        half = dice.normal(size=15)
        added = np.column_stack([half, -half])
        drawn = critical_values(
            scores_of(added, np.ones(15)), confidence=0.95, draws=1000, seed=int(dice.integers(99))
        )
        assert drawn.systems == pytest.approx(drawn.pairs, rel=1e-6)
        found.append(drawn.pairs)
    assert np.mean(found) == pytest.approx(quantile(0.95, 14), rel=0.03)


def test_what_never_varies_is_not_counted():
    added = np.zeros((8, 3))
    added[:, 0] = np.arange(8) - 3.5
    added[:, 1] = added[:, 0]
    found = critical_values(scores_of(added, np.ones(8)), confidence=0.95, draws=500, seed=1)
    assert found.systems[2] == 0
    assert np.isfinite(found.pairs)
    assert found.pairs > 1.5


def test_two_clusters_tell_nothing():
    added = np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = critical_values(scores_of(added, np.ones(2)), confidence=0.95, draws=100, seed=1)
    assert np.isinf(found.pairs)
