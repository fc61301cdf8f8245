"""Krippendorff's α with its interval: from judgements, per label, and from a matrix.

A unit with one value says nothing of agreement and is only counted.

K. Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania,
https://repository.upenn.edu/asc_papers/43. K. Krippendorff (2019), Content analysis, 4th edition,
chapter 12.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.agreement.patterns import Patterns, collapse
from palaver.analysis.agreement.rater_draws import Said, rater_intervals
from palaver.analysis.agreement.ratings import (
    NO_PAIRS,
    NO_VARIATION,
    Judgement,
    Measured,
    Ratings,
    count_distinct,
    read_judgements,
    read_matrix,
)
from palaver.analysis.agreement.sampling import (
    Draw,
    Method,
    SamplingSettings,
    bootstrap,
    sampling_of,
)
from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.estimates import Interval, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import if_any, internal, plain

RESAMPLES = 1000
# Sums of squares that differ by less than this share of themselves differ by rounding only.
ROUNDING = 1e-12
# How many distances between values are held at once.
BLOCK = 4_000_000

# One mapping per factor: the cluster of each unit.
Clusters = Sequence[Mapping[Hashable, Hashable]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """α with its interval, and what it was computed from.

    `alpha` is None where it is undefined; `reason` then says why. Where it has a value and no interval
    could be made, `no_interval` says why. `percent` is the share of the `pairs` of values on one unit
    that are equal. `units` were judged by two or more raters, `lone` ones by one. `undefined` of the
    `resamples` had no α.
    """

    level: Measured
    alpha: float | None = None
    interval: Interval | None = None
    reason: str = if_any("")
    no_interval: str = if_any("")
    percent: float | None = None
    units: int = 0
    lone: int = internal(0)
    raters: int = 0
    pairs: int = 0
    resamples: int = internal(0)
    undefined: int = internal(0)

    def _repr_html_(self) -> str:
        return html_table([plain(self)])


def agreement(
    judgements: Iterable[Judgement],
    *,
    level: Measured,
    order: Sequence[Any] = (),
    clusters: Clusters = (),
    method: Method = "percentile",
    draw: Draw = "units",
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
) -> Agreement:
    """Krippendorff's α over the units that two or more raters judged (see `alphas`).

    Values at level ordinal, interval and ratio are numbers, or names whose `order` is given; of
    ordinal ones only the order counts. Undefined (None, with a reason) when no unit has two values,
    and when all pairable values are the same: then D_e is 0.

    The interval is a bootstrap: units (or whole `clusters` of units) are drawn with replacement,
    everything (D_e and the ranks too) is computed anew for each of `resamples` draws, and the middle
    `confidence` of the results is given, or the bias-corrected and accelerated interval. The raters
    are taken as they are: it holds for these raters. With `draw="raters"` it holds for raters like
    these, of whom there must be three (see `rater_draws`; nothing is drawn at random then). There is
    none for fewer than two units, when no draw differs from the others (all raters agree on all
    units), nor when more than 5 % of the draws have no α.

    The example is that of Krippendorff (2011), sections C and D: four observers, twelve units.

    >>> rows = {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."}
    >>> said = [Judgement(unit, rater, int(value)) for rater, row in rows.items()
    ...         for unit, value in enumerate(row) if value != "."]
    >>> levels = ("nominal", "ordinal", "interval", "ratio")
    >>> [round(agreement(said, level=level).alpha, 3) for level in levels]
    [0.743, 0.815, 0.849, 0.797]
    >>> found = agreement(said, level="nominal")
    >>> found.units, found.lone, found.raters, found.pairs
    (11, 1, 4, 55)
    >>> agreement(said[:9], level="nominal").reason
    'nothing has been judged by two raters'
    """
    settings = SamplingSettings(
        method=method, draw=draw, resamples=resamples, confidence=confidence, seed=seed
    )
    ratings = read_judgements(judgements, level=level, order=order)
    return alpha_of(ratings, clusters=clusters_of(ratings, clusters), settings=settings)


def alpha_of(
    ratings: Ratings, *, clusters: Sequence[Numbers] = (), settings: SamplingSettings
) -> Agreement:
    """α of ratings that have been read; `clusters` holds a code per unit, once per factor."""
    patterns = collapse(ratings.rows(), values=len(ratings.values), least=2)
    shared = np.zeros(len(ratings.units), dtype=bool)
    shared[patterns.kept] = True
    raters = count_distinct(ratings.rater[shared[ratings.unit]])
    lone = int(count_distinct(ratings.unit) - shared.sum())
    return _measured(
        patterns,
        ratings.level,
        ratings.scores,
        Said(ratings.unit, ratings.rater, ratings.code),
        clusters,
        settings,
        raters=raters,
        lone=lone,
    )


def alpha_from_matrix(
    matrix: Any,
    *,
    level: Measured,
    clusters: Sequence[Any] = (),
    method: Method = "percentile",
    draw: Draw = "units",
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
) -> Agreement:
    """α of numbers in a matrix of units × raters, NaN where a value is missing.

    `clusters` holds, once per factor, the cluster of each unit. The same as `agreement`, for those
    who have arrays: nothing is looped over in Python.

    >>> alpha_from_matrix([[1, 1], [2, 2], [3, 2]], level="interval", resamples=0).alpha
    0.7058823529411764
    """
    settings = SamplingSettings(
        method=method, draw=draw, resamples=resamples, confidence=confidence, seed=seed
    )
    rows, values = read_matrix(matrix, level=level)
    patterns = collapse(rows, values=len(values), least=2)
    factors = [np.unique(np.asarray(cluster), return_inverse=True)[1] for cluster in clusters]
    for factor in factors:
        if factor.shape != (len(rows),):
            raise InputError(f"Clusters name one per unit: {len(rows)}; got {factor.shape}.")
    lone = int(((rows >= 0).sum(axis=1) == 1).sum())
    raters = int((rows[patterns.kept] >= 0).any(axis=0).sum())
    unit, rater = np.nonzero(rows >= 0)
    said = Said(unit, rater, rows[unit, rater])
    return _measured(patterns, level, values, said, factors, settings, raters=raters, lone=lone)


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


def clusters_of(ratings: Ratings, clusters: Clusters) -> list[Numbers]:
    """Each factor as one code per unit; InputError for a unit without a cluster."""
    codes = []
    for factor in clusters:
        for unit in ratings.units:
            if unit not in factor:
                raise InputError(f"The unit {unit!r} has no cluster; every unit needs one.")
        codes.append(encode(factor[unit] for unit in ratings.units).codes)
    return codes


def alphas(
    patterns: Patterns, weights: Numbers, *, level: Measured, scores: Numbers | None
) -> Numbers:
    """α for each row of `weights`, which says how often each pattern occurs; NaN where undefined.

    With m_u values on unit u, of which m_uc are c, n = Σ m_u pairable values in all, and
    n_c = Σ_u m_uc of them c,

        α = 1 − D_o / D_e
        D_o = 1/n · Σ_u 1/(m_u − 1) · Σ_c Σ_k m_uc m_uk δ²(c, k)
        D_e = 1/(n (n − 1)) · Σ_c Σ_k n_c n_k δ²(c, k)

    where δ² is by level: nominal, 1 if c ≠ k; interval, (c − k)²; ratio, ((c − k) / (c + k))², and 0
    where both are 0; ordinal, (r_c − r_k)² with the mid-ranks r_c = Σ_{g<c} n_g + n_c / 2, which is
    Krippendorff's (Σ_{g=c}^{k} n_g − (n_c + n_k) / 2)². Every pattern has two values or more.
    """
    weights = weights.astype(float)
    if level == "nominal":
        observed, expected = _nominal(patterns, weights)
    elif level == "ordinal":
        observed, expected = _ordinal(patterns, weights)
    elif level == "interval":
        observed, expected = _interval(patterns, weights, _known(scores))
    else:
        observed, expected = _ratio(patterns, weights, _known(scores))
    n = weights @ patterns.size
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = np.where(expected > 0, 1 - (n - 1) * observed / expected, np.nan)
    return found


def _holds(labels: Collection[str], name: str) -> bool:
    return name in labels


def _measured(
    patterns: Patterns,
    level: Measured,
    scores: Numbers | None,
    said: Said,
    clusters: Sequence[Numbers],
    settings: SamplingSettings,
    *,
    raters: int,
    lone: int,
) -> Agreement:
    if not len(patterns.times):
        return Agreement(level=level, lone=lone, reason=NO_PAIRS)

    def statistic(some: Patterns, weights: Numbers) -> Numbers:
        return alphas(some, weights, level=level, scores=scores)

    value = float(statistic(patterns, patterns.times[None, :])[0])
    known = bool(np.isfinite(value))
    if settings.draw == "raters" and settings.resamples:
        (drawn,) = rater_intervals(
            [(statistic, value)],
            patterns,
            said,
            clusters,
            confidence=settings.confidence,
            least=2,
        )
    else:
        sampling = sampling_of(
            patterns.of_unit, patterns.times, [codes[patterns.kept] for codes in clusters]
        )
        drawn = bootstrap(lambda weights: statistic(patterns, weights), value, sampling, settings)
    pairs = patterns.times @ (patterns.size * (patterns.size - 1))
    return Agreement(
        level=level,
        alpha=value if known else None,
        interval=drawn.interval,
        reason="" if known else NO_VARIATION,
        no_interval=drawn.reason,
        percent=float(patterns.times @ patterns.alike() / pairs),
        units=len(patterns.kept),
        lone=lone,
        raters=raters,
        pairs=int(pairs) // 2,
        resamples=drawn.resamples,
        undefined=drawn.undefined,
    )


# Each of these returns n · D_o and n (n − 1) · D_e for each row of weights.


def _nominal(patterns: Patterns, weights: Numbers) -> tuple[Numbers, Numbers]:
    size = patterns.size
    within = (size * (size - 1) - patterns.alike()) / (size - 1)
    marginals = patterns.marginals(weights)
    return weights @ within, marginals.sum(axis=1) ** 2 - (marginals**2).sum(axis=1)


def _ordinal(patterns: Patterns, weights: Numbers) -> tuple[Numbers, Numbers]:
    marginals = patterns.marginals(weights)
    n = marginals.sum(axis=1)
    # The mean of the mid-ranks is n / 2; around it the expected disagreement is a sum of squares.
    ranks = np.cumsum(marginals, axis=1) - marginals / 2 - n[:, None] / 2
    within = patterns.size * patterns.summed(ranks**2) - patterns.summed(ranks) ** 2
    within /= patterns.size - 1
    return 2 * (weights * within).sum(axis=1), 2 * n * (marginals * ranks**2).sum(axis=1)


def _interval(patterns: Patterns, weights: Numbers, scores: Numbers) -> tuple[Numbers, Numbers]:
    counts = patterns.marginals(patterns.times[None, :].astype(float))[0]
    centred = scores - counts @ scores / counts.sum()
    sums, squares = patterns.summed(centred), patterns.summed(centred**2)
    within = (patterns.size * squares - sums**2) / (patterns.size - 1)
    # Where all values of a unit are the same, what is left is rounding.
    within[patterns.alike() == patterns.size * (patterns.size - 1)] = 0
    n, total, total_squares = (weights @ each for each in (patterns.size, sums, squares))
    across = n * total_squares - total**2
    expected = np.where(across > ROUNDING * n * total_squares, across, 0)
    return 2 * (weights @ within), 2 * expected


def _ratio(patterns: Patterns, weights: Numbers, scores: Numbers) -> tuple[Numbers, Numbers]:
    within = patterns.paired(lambda one, other: _apart(scores[one], scores[other]))
    within /= patterns.size - 1
    marginals = patterns.marginals(weights)
    expected = np.zeros(len(weights))
    step = max(1, BLOCK // max(1, len(scores)))
    for start in range(0, len(scores), step):
        some = slice(start, start + step)
        distances = _apart(scores[:, None], scores[None, some])
        expected += ((marginals @ distances) * marginals[:, some]).sum(axis=1)
    return weights @ within, expected


def _apart(one: Numbers, other: Numbers) -> Numbers:
    both = one + other
    share: Numbers = (one - other) / np.where(both > 0, both, 1)
    return share**2


def _known(scores: Numbers | None) -> Numbers:
    assert scores is not None, "values at level interval and ratio are numbers"
    return scores
