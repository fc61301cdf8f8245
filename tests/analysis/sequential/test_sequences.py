"""Confidence sequences: published vectors, brute force, and one value after the other."""

from math import log, sqrt

import numpy as np
import pytest

from palaver.analysis.sequential.asymptotic import (
    AsymptoticSequence,
    asymptotic_path,
    boundary,
    mixture_scale,
)
from palaver.analysis.sequential.bernstein import BernsteinSequence, bernstein_path
from palaver.analysis.sequential.betting import (
    BettingSequences,
    SequenceBatch,
    e_process,
    hedged_interval,
    log_wealth,
)
from palaver.core.errors import InputError

# 70 of 100: computed from the formulas of Waudby-Smith and Ramdas by another implementation.
VECTOR = np.tile([1.0, 1, 0, 1, 0, 1, 1, 1, 0, 1], 10)


def _gambled(values: list[float], mean: float, alpha: float = 0.05) -> list[float]:
    """max(½K⁺, ½K⁻) after each value, by the book: one multiplication after the other."""
    total, squares, up, down, found = 0.5, 0.25, 1.0, 1.0, []
    for i, x in enumerate(values, start=1):
        bet = sqrt(2 * log(2 / alpha) / (squares / i * i * log(1 + i)))
        up *= 1 + min(bet, 0.5 / mean) * (x - mean)
        down *= 1 - min(bet, 0.5 / (1 - mean)) * (x - mean)
        total += x
        squares += (x - total / (i + 1)) ** 2
        found.append(max(up, down) / 2)
    return found


def test_empirical_bernstein_has_the_published_numbers() -> None:
    path = bernstein_path(VECTOR)
    assert path.centre[-1] == pytest.approx(0.699469745, abs=1e-9)
    assert path.reach[-1] == pytest.approx(0.159702450, abs=1e-9)


def test_the_asymptotic_sequence_has_the_published_numbers() -> None:
    assert mixture_scale(100) == pytest.approx(0.296341027, abs=1e-9)
    path = asymptotic_path(VECTOR, best_at=100)
    assert path.centre[-1] == pytest.approx(0.7)
    assert path.reach[-1] == pytest.approx(0.139101629, abs=1e-9)
    assert boundary(100, confidence=0.95, best_at=100) == pytest.approx(
        path.reach[-1] / sqrt(0.21 / 100)
    )


def test_hedged_betting_has_the_published_numbers_on_their_grid() -> None:
    grid = np.arange(1, 1000) / 1000
    found = hedged_interval(VECTOR, intersected=False)
    left = grid[(grid > found.low) & (grid < found.high)]
    assert (left.min(), left.max()) == (0.553, 0.834)


def test_hedged_betting_is_what_gamblers_by_the_book_leave() -> None:
    values = [0.3, 1.0, 0.5, 0.0, 0.75, 1.0, 0.9, 0.6, 0.8, 1.0, 0.7, 0.4] * 6
    wealth = {mean / 200: max(_gambled(values, mean / 200)) for mean in range(1, 200)}
    left = [mean for mean, most in wealth.items() if most < 20]
    found = hedged_interval(np.array(values))
    assert left == [mean for mean in wealth if found.low < mean < found.high]
    up, down = log_wealth(np.array(values), 0.4)
    assert np.maximum(np.exp(up), np.exp(down)) / 2 == pytest.approx(_gambled(values, 0.4))


@pytest.mark.parametrize("kind", ["bernstein", "asymptotic"])
def test_one_value_after_the_other_is_the_same(kind: str) -> None:
    values = np.random.default_rng(3).beta(2, 1, 120)
    path = bernstein_path(values) if kind == "bernstein" else asymptotic_path(values, best_at=60)
    one = BernsteinSequence() if kind == "bernstein" else AsymptoticSequence(best_at=60)
    for place, value in enumerate(values):
        one.add(float(value))
        assert (one.low, one.high) == pytest.approx((path.low[place], path.high[place]))
    assert (np.diff(path.low[60:]) >= 0).all()
    assert (np.diff(path.high[60:]) <= 0).all()


def test_betting_one_value_after_the_other_and_many_sequences_at_once_are_the_same() -> None:
    dice = np.random.default_rng(4)
    parts = [dice.choice([0.0, 0.5, 1.0], size=n, p=[0.2, 0.2, 0.6]) for n in (1, 7, 90, 300)]
    batch = SequenceBatch.of(np.concatenate(parts), np.array([len(each) for each in parts]))
    lows, highs = batch.intervals(confidence=0.99)
    board = BettingSequences()
    for number, values in enumerate(parts):
        own = board.open()
        for value in values:
            board.add(own, float(value))
        laid = board.interval(own, confidence=0.99)
        assert laid.low <= lows[number] + 1e-6
        assert highs[number] - 1e-6 <= laid.high
        assert (laid.low, laid.high) == pytest.approx((lows[number], highs[number]), abs=0.002)
        evidence = float(e_process(values)[-1])
        assert board.e_value(own) == pytest.approx(evidence)
        assert batch.e_values()[number] == pytest.approx(evidence)
    alone = hedged_interval(parts[3])
    lows, highs = batch.intervals(confidence=0.95)
    assert (lows[3], highs[3]) == pytest.approx((alone.low, alone.high), abs=1e-6)


def test_without_replacement_the_rest_narrows_and_the_last_value_decides() -> None:
    whole = hedged_interval(VECTOR, population=100)
    assert (whole.low, whole.high) == pytest.approx((0.7, 0.7))
    half = hedged_interval(VECTOR, population=200)
    endless = hedged_interval(VECTOR)
    assert endless.low < half.low < 0.7 < half.high < endless.high
    many = hedged_interval(VECTOR, population=10**8)
    assert (many.low, many.high) == pytest.approx((endless.low, endless.high), abs=1e-5)


def test_without_replacement_every_order_of_a_small_population_holds() -> None:
    """Exact: of all orders of 8 items, those whose sequence ever excludes the mean are at most α."""
    from itertools import combinations

    wrong = 0
    chosen = list(combinations(range(8), 3))
    for ones in chosen:
        values = np.array([float(place in ones) for place in range(8)])
        up, down = log_wealth(values, 3 / 8, confidence=0.8, population=8)
        wrong += bool(max(up.max(), down.max()) >= log(2 / 0.2))
    assert wrong / len(chosen) <= 0.2


def test_an_e_process_has_an_expectation_of_one() -> None:
    """Exact: over all sequences of six fair coins the mean is 1."""
    coins = [[float(number >> place & 1) for place in range(6)] for number in range(64)]
    assert np.mean([e_process(np.array(each))[-1] for each in coins]) == pytest.approx(1.0)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        hedged_interval(np.array([0.0, 1.5]))
    with pytest.raises(InputError, match="without return"):
        hedged_interval(np.array([0.0, 1.0]), population=1)
    with pytest.raises(InputError, match="above 0 and below 1"):
        bernstein_path(VECTOR, confidence=1.0)
    with pytest.raises(InputError, match="more than 0"):
        boundary(0, confidence=0.95, best_at=100)
