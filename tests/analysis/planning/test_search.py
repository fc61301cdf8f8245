"""The search for the smallest size, on power curves that are known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from palaver.analysis.planning.search import PowerPoint, smallest_size
from palaver.analysis.proportions import wilson_interval
from palaver.core.serial import plain

SIMULATIONS = 10_000


def curve(n_at_80: float):
    """Counts of a test whose power is 0.8 at a size."""
    z = stats.norm.ppf(0.975)
    slope = (z + stats.norm.ppf(0.8)) / n_at_80**0.5
    return lambda n: int(SIMULATIONS * stats.norm.cdf(slope * n**0.5 - z))


@given(st.floats(15, 4000), st.floats(0.05, 0.98), st.integers(2, 5000))
@settings(max_examples=50, deadline=None)
def test_the_smallest_size_is_found(n_at_80: float, power: float, start: int) -> None:
    count = curve(n_at_80)
    found = smallest_size(
        count, power=power, simulations=SIMULATIONS, start=start, least=2, most=100_000
    )

    true = next(n for n in range(2, 100_000) if count(n) / SIMULATIONS >= power)
    assert found.found is not None
    assert true <= found.found.blocks <= true * 1.04 + 1
    assert found.found.power >= power
    assert len(found.tried) < 40
    sizes = [point.blocks for point in found.tried]
    assert sizes == sorted(set(sizes))


def test_a_power_that_is_out_of_reach() -> None:
    found = smallest_size(lambda n: 500, power=0.8, simulations=1000, start=10, least=2, most=900)

    assert found.found is None
    assert found.tried[-1].blocks == 900


def test_the_least_size_may_be_enough() -> None:
    found = smallest_size(lambda n: 1000, power=0.8, simulations=1000, start=70, least=5, most=900)

    assert found.found is not None
    assert found.found.blocks == 5


def test_a_point_has_wilsons_interval() -> None:
    point = PowerPoint(40, 85, 100, block=3)
    assert point.power_interval == wilson_interval(85, 100)
    assert plain(point)["dialogues"] == 120
    assert plain(point)["power"] == pytest.approx(0.85)
