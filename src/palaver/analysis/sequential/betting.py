"""A confidence sequence for the mean of values between 0 and 1, by betting against every mean.

Against each mean m two gamblers bet, one that the values are above it and one that they are below:

    K⁺(m) = Π (1 + λ⁺ᵢ (Xᵢ − m)),  λ⁺ᵢ = min(λᵢ, ½ / m),
    K⁻(m) = Π (1 − λ⁻ᵢ (Xᵢ − m)),  λ⁻ᵢ = min(λᵢ, ½ / (1 − m)),

with the λ of `bernstein` (without its limit). If m is the true mean neither gets rich: the chance that
½K⁺ or ½K⁻ ever reaches 1/α is at most α. What stays below is the sequence. K⁺ falls and K⁻ grows with
m, so each end is where one of them crosses, and is found by halving. Intersected over time, an end is
where the largest capital so far crosses.

Where the values are drawn without replacement from N that have the mean m, those still to come have
the mean (Nm − ΣX) / (N − i + 1), which takes the place of m in bet i.

(½K⁺ + ½K⁻)(m) is an e-process against the mean m: its expectation is at most 1 whenever one stops.

I. Waudby-Smith and A. Ramdas (2024), Estimating means of bounded random variables by betting, Journal
of the Royal Statistical Society B 86, 1–27.
"""

from dataclasses import dataclass
from math import inf, log

from palaver.analysis.sequential.bernstein import Bets, bets
from palaver.analysis.sequential.checks import check_confidence, unit_values
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np

# The share of one's capital that is at stake at most.
STAKE = 0.5
# Ends are halved this often: to 1e-9.
HALVINGS = 30
# Of many at once ends are halved so often, then aimed at; up to so many turns, or until so near.
COARSE_TURNS, MOST_TURNS, FINE = 4, 24, 1e-6
# How fine the grid of means is that is kept for one value after the other.
GRID = 1000


def hedged_interval(
    values: Numbers,
    *,
    confidence: float = 0.95,
    population: int | None = None,
    intersected: bool = True,
) -> Interval:
    """What is left of the sequence after all values, intersected over time unless told otherwise.

    With a `population` the values are drawn without replacement from so many. Where nothing is left,
    which happens at most as often as the sequence may err, it is the gap between the two ends.

    >>> found = hedged_interval(np.tile([1, 1, 0, 1, 0, 1, 1, 1, 0, 1], 10))
    >>> round(found.low, 3), round(found.high, 3)
    (0.554, 0.834)
    """
    check_confidence(confidence)
    given = unit_values(values)
    if population is not None and len(given) > population:
        raise InputError(f"{len(given)} values cannot be drawn from {population} without return.")
    if not len(given):
        return Interval(0.0, 1.0)
    laid = bets(given, confidence=confidence)
    reach = log(2 / (1 - confidence))

    def lower(side: Numbers) -> float:
        bottom, top = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (bottom + top) / 2
            wealth = _log_wealth(side, laid, middle, population)
            most = wealth.max() if intersected else wealth[-1]
            bottom, top = (middle, top) if most >= reach else (bottom, middle)
        return bottom

    # The upper end is the lower end of 1 − X.
    return Interval(*_within(lower(given), 1 - lower(1 - given), given, population))


@dataclass(frozen=True, slots=True)
class SequenceBatch:
    """Many whole sequences, one after the other in `values`; sequence k has `sizes[k]` of them."""

    values: Numbers
    sizes: Numbers
    laid: Numbers

    @classmethod
    def of(cls, values: Numbers, sizes: Numbers, *, confidence: float = 0.95) -> "SequenceBatch":
        """Sequences with their bets; each has one value or more."""
        check_confidence(confidence)
        given = unit_values(values)
        turn = np.arange(len(given)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
        off = given - (0.5 + _sums(given, sizes)) / (turn + 1)
        squares = 0.25 + _sums(off**2, sizes) - off**2
        laid = np.sqrt(2 * log(2 / (1 - confidence)) / (squares * np.log(1 + turn)))
        return cls(given, np.asarray(sizes), laid)

    def intervals(self, *, confidence: float) -> tuple[Numbers, Numbers]:
        """Both ends of every sequence, intersected over time, to 1e-7."""
        if not len(self.sizes):
            return np.zeros(0), np.ones(0)
        reach = log(2 / (1 - confidence))
        low, high = self._lower(self.values, reach), 1 - self._lower(1 - self.values, reach)
        return np.minimum(low, high), np.maximum(low, high)

    def e_values(self) -> Numbers:
        """The evidence of every sequence against a mean of one half."""
        half = np.full(len(self.sizes), 0.5)
        last = np.cumsum(self.sizes) - 1
        up = self._log_wealth(self.values, half)[last]
        down = self._log_wealth(1 - self.values, half)[last]
        found: Numbers = np.exp(np.logaddexp(up, down) - log(2))
        return found

    def _lower(self, values: Numbers, reach: float) -> Numbers:
        """The largest mean that was surely left out, by sequence: halving, then false position."""
        starts = np.cumsum(self.sizes) - self.sizes

        def beyond(means: Numbers) -> Numbers:
            most: Numbers = np.maximum.reduceat(self._log_wealth(values, means), starts) - reach
            return most

        bottom, top = np.zeros(len(starts)), np.ones(len(starts))
        over, under = np.full(len(starts), np.inf), np.full(len(starts), -np.inf)
        before = np.ones(len(starts), dtype=bool)
        for turn in range(MOST_TURNS):
            middle = (bottom + top) / 2
            if turn >= COARSE_TURNS:
                with np.errstate(invalid="ignore"):
                    aimed = bottom + (top - bottom) * over / (over - under)
                middle = np.where((aimed > bottom) & (aimed < top), aimed, middle)
            value = beyond(middle)
            rich = value >= 0
            # An end that stays twice counts half, so that both ends move (Illinois).
            again = rich == before
            under = np.where(rich, np.where(again, under / 2, under), value)
            over = np.where(rich, value, np.where(again, over / 2, over))
            bottom, top, before = np.where(rich, middle, bottom), np.where(rich, top, middle), rich
            if np.minimum(top - bottom, np.abs(value)).max() < FINE:
                break
        return np.where(np.abs(value) < FINE, middle, bottom)

    def _log_wealth(self, values: Numbers, means: Numbers) -> Numbers:
        """log K⁺ against one mean of each sequence."""
        with np.errstate(divide="ignore"):
            bet = np.minimum(self.laid, np.repeat(STAKE / means, self.sizes))
        bet *= values - np.repeat(means, self.sizes)
        return _sums(np.log1p(bet, out=bet), self.sizes)


def _sums(values: Numbers, sizes: Numbers) -> Numbers:
    """Running sums within each sequence."""
    whole = np.cumsum(values)
    starts = np.cumsum(sizes) - sizes
    found: Numbers = whole - np.repeat(whole[starts] - values[starts], sizes)
    return found


def log_wealth(
    values: Numbers, mean: float, *, confidence: float = 0.95, population: int | None = None
) -> tuple[Numbers, Numbers]:
    """log K⁺(mean) and log K⁻(mean) after each value."""
    given = unit_values(values)
    laid = bets(given, confidence=confidence)
    return (
        _log_wealth(given, laid, mean, population),
        _log_wealth(1 - given, laid, 1 - mean, population),
    )


def e_process(values: Numbers, mean: float = 0.5, *, confidence: float = 0.95) -> Numbers:
    """(½K⁺ + ½K⁻)(mean) after each value: the evidence against this mean, valid at any moment."""
    up, down = log_wealth(values, mean, confidence=confidence)
    found: Numbers = np.exp(np.logaddexp(up, down) - log(2))
    return found


def _log_wealth(values: Numbers, laid: Numbers, mean: float, population: int | None) -> Numbers:
    """log K⁺ after each value; ∞ from where the values that are left cannot have the mean."""
    if population is None:
        here: Numbers = np.full(len(values), mean)
    else:
        before = np.cumsum(values) - values
        here = (population * mean - before) / (population - np.arange(len(values)))
    with np.errstate(divide="ignore", invalid="ignore"):
        bet = np.where(here > 0, np.minimum(laid, STAKE / here), laid)
        gains = np.log1p(bet * (values - np.minimum(here, 1.0)))
    gains[here < -1e-12] = np.inf
    gains[here > 1 + 1e-12] = -np.inf
    with np.errstate(invalid="ignore"):
        found: Numbers = np.nan_to_num(np.cumsum(gains), nan=-np.inf, posinf=inf, neginf=-inf)
    return found


def _within(
    low: float, high: float, values: Numbers, population: int | None
) -> tuple[float, float]:
    """The ends, no further than values still to come can lead; never crossed."""
    if population is not None:
        whole, left = float(values.sum()), population - len(values)
        low, high = max(low, whole / population), min(high, (whole + left) / population)
    return min(low, high), max(low, high)


class BettingSequences:
    """Many sequences, one value after the other, with the capital against each mean of a grid.

    A value takes O(grid) steps. The largest capital so far is kept as well, so that ends at any
    confidence can be read at any time; they lie on the grid, outward.
    """

    def __init__(self, *, confidence: float = 0.95, grid: int = GRID) -> None:
        check_confidence(confidence)
        self._confidence = confidence
        self.means = np.arange(grid + 1) / grid
        with np.errstate(divide="ignore"):
            self._caps = np.stack([STAKE / self.means, STAKE / (1 - self.means)])
        self._bets: list[Bets] = []
        self._wealth: list[Numbers] = []
        self._most: list[Numbers] = []

    def __len__(self) -> int:
        return len(self._bets)

    def open(self) -> int:
        """The number of a new sequence."""
        self._bets.append(Bets(self._confidence))
        self._wealth.append(np.zeros((2, len(self.means))))
        self._most.append(np.zeros((2, len(self.means))))
        return len(self._bets) - 1

    def add(self, sequence: int, value: float) -> None:
        """Take in one value of a sequence."""
        own, wealth = self._bets[sequence], self._wealth[sequence]
        bet = np.minimum(own.next, self._caps)
        bet *= value - self.means
        bet[1] *= -1
        wealth += np.log1p(bet, out=bet)
        np.maximum(self._most[sequence], wealth, out=self._most[sequence])
        own.add(value)

    def interval(self, sequence: int, *, confidence: float | None = None) -> Interval:
        """What is left of a sequence, intersected over time."""
        reach = log(2 / (1 - (self._confidence if confidence is None else confidence)))
        above, below = self._most[sequence] >= reach
        step = len(self.means) - 1
        # K⁺ falls with m and K⁻ grows: what was left out lies at the two ends.
        low, high = (int(above.sum()) - 1) / step, 1 - (int(below.sum()) - 1) / step
        low, high = max(low, 0.0), min(high, 1.0)
        return Interval(min(low, high), max(low, high))

    def e_value(self, sequence: int) -> float:
        """The evidence of a sequence against a mean of one half."""
        up, down = self._wealth[sequence][:, (len(self.means) - 1) // 2]
        return float(np.exp(np.logaddexp(up, down) - log(2)))
