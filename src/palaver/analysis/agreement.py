"""Krippendorff's α: how far raters agree beyond what chance would give.

Values of units that two or more raters judged are pairable; a unit with one value says nothing of
agreement and is only counted. Units with the same counts of the same values contribute the same, so
they are collapsed into patterns; a bootstrap sample of the units is then a multinomial draw over
the patterns, and a thousand of them are a few matrix products.

K. Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania,
https://repository.upenn.edu/asc_papers/43. K. Krippendorff (2019), Content analysis, 4th edition,
chapter 12.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from palaver.core.errors import InputError
from palaver.core.estimates import Interval

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, np.dtype[Any]]

Measured = Literal["nominal", "ordinal", "interval"]

RESAMPLES = 1000
# An interval is given only while at least this share of the resamples has an α.
LEAST_DEFINED = 0.95
# How many numbers are worked on at once.
BLOCK = 2_000_000
# Sums of squares that differ by less than this share of themselves differ by rounding only.
ROUNDING = 1e-12
NO_PAIRS = "no unit has been judged by two raters"
NO_VARIATION = "every answer is the same, so agreement cannot be told from chance"


class Judgement(NamedTuple):
    """What one rater said of one unit; a missing value is a judgement that is not there."""

    unit: Hashable
    rater: Hashable
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """α with its interval, and what it was computed from.

    `alpha` is None where it is undefined; `reason` then says why. `percent` is the share of the
    `pairs` of values on one unit that are equal. `units` were judged by two or more raters, `lone`
    ones by one. `undefined` of the `resamples` had no α.
    """

    level: Measured
    alpha: float | None = None
    interval: Interval | None = None
    reason: str = ""
    percent: float | None = None
    units: int = 0
    lone: int = 0
    raters: int = 0
    pairs: int = 0
    resamples: int = 0
    undefined: int = 0


def agreement(
    judgements: Iterable[Judgement],
    *,
    level: Measured,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
) -> Agreement:
    """Krippendorff's α over the units that two or more raters judged.

    With m_u values on unit u, of which m_uc are c, n = Σ m_u pairable values in all, and
    n_c = Σ_u m_uc of them c,

        α = 1 − D_o / D_e
        D_o = 1/n · Σ_u 1/(m_u − 1) · Σ_c Σ_k m_uc m_uk δ²(c, k)
        D_e = 1/(n (n − 1)) · Σ_c Σ_k n_c n_k δ²(c, k)

    where δ² is by level: nominal, 1 if c ≠ k; interval, (c − k)²; ordinal, (r_c − r_k)² with the
    mid-ranks r_c = Σ_{g<c} n_g + n_c / 2, which is Krippendorff's (Σ_{g=c}^{k} n_g − (n_c + n_k) / 2)².
    Ordinal and interval values are numbers; of ordinal ones only the order counts.

    Undefined (None, with a reason) when no unit has two values, and when all pairable values are
    the same: then D_e is 0.

    The interval is a percentile bootstrap: units are drawn with replacement, everything (D_e and
    the ranks too) is computed anew for each of `resamples` draws, and the middle `confidence` of
    the results is given. The raters are taken as they are: it says nothing of other raters. There
    is none for fewer than two units, nor when more than 5 % of the draws have no α.

    The example is that of Krippendorff (2011), sections C and D: four observers, twelve units.

    >>> rows = {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."}
    >>> said = [Judgement(unit, rater, int(value)) for rater, row in rows.items()
    ...         for unit, value in enumerate(row) if value != "."]
    >>> [round(agreement(said, level=level).alpha, 3) for level in ("nominal", "ordinal", "interval")]
    [0.743, 0.815, 0.849]
    >>> found = agreement(said, level="nominal")
    >>> found.units, found.lone, found.raters, found.pairs
    (11, 1, 4, 55)
    >>> agreement(said[:9], level="nominal").reason
    'no unit has been judged by two raters'
    """
    if resamples < 0 or not 0 < confidence < 1:
        raise InputError(
            f"A bootstrap takes 0 or more draws and a confidence between 0 and 1; "
            f"got {resamples} and {confidence}."
        )
    by_unit = _by_unit(judgements)
    shared = [values for values in by_unit.values() if len(values) > 1]
    lone = len(by_unit) - len(shared)
    if not shared:
        return Agreement(level=level, lone=lone, reason=NO_PAIRS)
    table = _tabulate([Counter(values.values()) for values in shared], level)
    found = Agreement(
        level=level,
        reason=NO_VARIATION,
        percent=table.alike / table.pairs,
        units=len(shared),
        lone=lone,
        raters=len({rater for values in shared for rater in values}),
        pairs=table.pairs,
    )
    (alpha,) = _alphas(table, table.times[None, :])
    if alpha != alpha:
        return found
    drawn = _bootstrap(table, resamples, seed) if len(shared) > 1 else []
    defined = [each for each in drawn if each == each]
    enough = bool(drawn) and len(defined) >= LEAST_DEFINED * len(drawn)
    return replace(
        found,
        alpha=alpha,
        reason="",
        interval=_middle(defined, confidence) if enough else None,
        resamples=len(drawn),
        undefined=len(drawn) - len(defined),
    )


def agreement_per_label(
    judgements: Iterable[Judgement], names: Sequence[str], *, resamples: int = RESAMPLES
) -> dict[str, Agreement]:
    """α for each label of answers that are sets of labels: whether it was given or not.

    Sets have no single fitting δ; whether a label is in the set is a nominal answer of its own.

    >>> said = [Judgement(1, "A", {"rude"}), Judgement(1, "B", {"rude", "dull"}),
    ...         Judgement(2, "A", set()), Judgement(2, "B", set())]
    >>> found = agreement_per_label(said, ["rude", "dull"])
    >>> found["rude"].alpha, found["dull"].alpha
    (1.0, 0.0)
    """
    given: list[Judgement] = list(judgements)
    return {
        name: agreement(
            [Judgement(j.unit, j.rater, _holds(j.value, name)) for j in given],
            level="nominal",
            resamples=resamples,
        )
        for name in names
    }


def _holds(labels: Collection[str], name: str) -> bool:
    return name in labels


def _by_unit(judgements: Iterable[Judgement]) -> dict[Hashable, dict[Hashable, Any]]:
    by_unit: dict[Hashable, dict[Hashable, Any]] = {}
    for unit, rater, value in judgements:
        values = by_unit.setdefault(unit, {})
        if rater in values:
            raise InputError(f"Rater {rater!r} judged unit {unit!r} twice; one answer must stand.")
        values[rater] = value
    return by_unit


@dataclass(frozen=True, slots=True)
class _Table:
    """The distinct patterns: how often each occurs, and what each holds.

    `size` is m_u. For nominal and ordinal values `counts` is patterns × values, in their order; for
    interval values, of which there may be as many as answers, `sums` and `squares` are enough.
    """

    level: Measured
    times: "Numbers"
    size: "Numbers"
    counts: "Numbers"
    sums: "Numbers"
    squares: "Numbers"
    pairs: int
    alike: int


def _tabulate(units: Sequence[Counter[Any]], level: Measured) -> _Table:
    import numpy as np

    values = {value for unit in units for value in unit}
    order: list[Any] = sorted(values, key=repr) if level == "nominal" else sorted(values)
    place = {value: n for n, value in enumerate(order)}
    patterns = Counter(
        tuple(sorted((place[value], count) for value, count in unit.items())) for unit in units
    )
    distinct = sorted(patterns)  # so that the same answers in another order draw the same samples
    size = np.array([sum(count for _, count in pattern) for pattern in distinct], dtype=float)
    width = 0 if level == "interval" else len(order)
    counts = np.zeros((len(distinct), width))
    sums, squares = np.zeros(len(distinct)), np.zeros(len(distinct))
    if level == "interval":
        numbers = np.array(order, dtype=float)
        seen = sum(count * numbers[n] for pattern in units for n, count in _placed(pattern, place))
        numbers -= seen / sum(sum(unit.values()) for unit in units)
        for row, pattern in enumerate(distinct):
            sums[row] = sum(count * numbers[n] for n, count in pattern)
            squares[row] = sum(count * numbers[n] ** 2 for n, count in pattern)
    else:
        for row, pattern in enumerate(distinct):
            for n, count in pattern:
                counts[row, n] = count
    return _Table(
        level=level,
        times=np.array([patterns[pattern] for pattern in distinct]),
        size=size,
        counts=counts,
        sums=sums,
        squares=squares,
        pairs=sum(_pairs(sum(unit.values())) for unit in units),
        alike=sum(_pairs(count) for unit in units for count in unit.values()),
    )


def _placed(unit: Counter[Any], place: dict[Any, int]) -> list[tuple[int, int]]:
    return [(place[value], count) for value, count in unit.items()]


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def _bootstrap(table: _Table, resamples: int, seed: int) -> list[float]:
    import numpy as np

    dice = np.random.default_rng(seed)
    units = int(table.times.sum())
    chances = table.times / units
    step = max(1, BLOCK // len(table.times))
    drawn: list[float] = []
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn += _alphas(table, dice.multinomial(units, chances, size=size))
    return drawn


def _alphas(table: _Table, weights: "Numbers") -> list[float]:
    """α for each row of `weights`, which says how often each pattern occurs; NaN if undefined."""
    import numpy as np

    spread = _observed_and_expected(table, weights)
    n = weights @ table.size
    with np.errstate(divide="ignore", invalid="ignore"):
        alphas = 1 - (n - 1) * spread[0] / spread[1]
    return [float(each) for each in np.where(spread[1] > 0, alphas, np.nan)]


def _observed_and_expected(table: _Table, weights: "Numbers") -> tuple["Numbers", "Numbers"]:
    """n · D_o and n (n − 1) · D_e for each row of `weights`."""
    import numpy as np

    others = table.size - 1
    if table.level == "interval":
        within = (table.size * table.squares - table.sums**2) / others
        n, sums, squares = (weights @ each for each in (table.size, table.sums, table.squares))
        across = n * squares - sums**2
        return 2 * (weights @ within), 2 * np.where(across > ROUNDING * n * squares, across, 0)
    marginals = weights @ table.counts
    n = marginals.sum(axis=1)
    if table.level == "nominal":
        within = (table.size**2 - (table.counts**2).sum(axis=1)) / others
        return weights @ within, n**2 - (marginals**2).sum(axis=1)
    # The mean of the mid-ranks is n / 2; around it the expected disagreement is a sum of squares.
    ranks = np.cumsum(marginals, axis=1) - marginals / 2 - n[:, None] / 2
    sums, squares = ranks @ table.counts.T, ranks**2 @ table.counts.T
    within = (table.size * squares - sums**2) / others
    return 2 * (weights * within).sum(axis=1), 2 * n * (marginals * ranks**2).sum(axis=1)


def _middle(values: Sequence[float], confidence: float) -> Interval:
    import numpy as np

    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))
