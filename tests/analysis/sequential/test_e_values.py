"""E-values: published vectors, and scipy's distributions."""

import pytest
from scipy import stats

from palaver.analysis.sequential.e_values import (
    UNIFORM,
    beta_e_value,
    beta_interval,
    beta_path,
    e_bh,
    e_bonferroni,
)
from palaver.core.errors import InputError


@pytest.mark.parametrize(
    ("wins", "n", "jeffreys", "uniform"),
    [
        (8, 10, 1.676, 2.069),
        (60, 100, 0.596, 0.913),
        (65, 100, 7.68, 11.46),
        (70, 100, 298.0, 427.3),
        (550, 1000, 3.78, 5.90),
    ],
)
def test_the_published_numbers(wins: int, n: int, jeffreys: float, uniform: float) -> None:
    assert beta_e_value(wins, n) == pytest.approx(jeffreys, rel=2e-3)
    assert beta_e_value(wins, n, prior=UNIFORM) == pytest.approx(uniform, rel=2e-3)
    # The ratio of two distributions of scipy's.
    mixed = stats.betabinom.pmf(wins, n, 0.5, 0.5) / stats.binom.pmf(wins, n, 0.5)
    assert beta_e_value(wins, n) == pytest.approx(mixed, rel=1e-6)


@pytest.mark.parametrize(("wins", "n"), [(7, 10), (0, 12), (30, 30), (70, 100)])
def test_the_interval_is_where_the_evidence_is_small(wins: int, n: int) -> None:
    found = beta_interval(wins, n)
    for end in (found.low, found.high):
        if 0 < end < 1:
            mixed = stats.betabinom.pmf(wins, n, 0.5, 0.5) / stats.binom.pmf(wins, n, end)
            assert mixed == pytest.approx(20.0, rel=1e-6)
    assert wins / n in found


def test_the_path_ends_at_the_number_of_its_counts() -> None:
    assert beta_path([1, 1, 0, 1], rate=0.4)[-1] == pytest.approx(beta_e_value(3, 4, rate=0.4))


def test_expectation_is_one_under_the_hypothesis() -> None:
    """Exact: summed over all outcomes of twelve fair comparisons."""
    whole = sum(stats.binom.pmf(s, 12, 0.5) * beta_e_value(s, 12) for s in range(13))
    assert whole == pytest.approx(1.0)


def test_e_bh_by_trying_every_number_of_rejections() -> None:
    values = [25.0, 90.0, 3.0, 45.0, 0.2]
    best = 0
    for k in range(1, 6):
        best = k if sum(value >= 5 / (k * 0.05) for value in values) >= k else best
    assert sum(e_bh(values)) == best == 0
    assert e_bh([100.0, 90.0, 3.0, 31.0, 0.2]) == [True, True, False, False, False]
    assert e_bonferroni([100.0, 90.0, 3.0, 31.0, 0.2]) == [True, False, False, False, False]
    assert e_bh([]) == []


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="got 5 of 4"):
        beta_e_value(5, 4)
    with pytest.raises(InputError, match="0 or more"):
        e_bh([-1.0])
