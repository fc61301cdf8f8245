"""Effect sizes: how much two systems differ, in units that can be compared between studies.

Of means: Cohen's d, Hedges' g, and d_z for pairs. Of ranks: Cliff's δ, the common-language size A, and
the rank-biserial correlation for pairs. Effect sizes of shares stand in `shares`.

Where values come in clusters (`clusters_a` and `clusters_b` of two sides, `clusters` of pairs; per
clustering the cluster of each value), intervals leave out one cluster at a time (`jackknife`).
"""

from collections.abc import Callable

from palaver.analysis.comparisons.deletions import (
    above,
    above_without,
    d_without,
    d_z_without,
    rank_biserials,
    rank_biserials_without,
)
from palaver.analysis.comparisons.jackknife import Grouping, groupings, how, jackknife
from palaver.analysis.means import Clusters, Values, finite
from palaver.analysis.resampling import (
    RESAMPLES,
    check_settings,
    count_draws,
    percentile_interval,
)
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval
from palaver.core.numeric import Numbers, np, optimize, special, stats

NO_SPREAD = "the values do not vary, so there is nothing to standardise with"
TOO_FEW = "a side has too few values"
NO_DIFFERENCES = "every pair is tied"
# Ranks are counted anew without each cluster: of more than this many, several are left out at once.
MOST_LEFT_OUT = 200
NORMAL = "noncentral t; assumes independent normal values with equal variance"


def cohens_d(
    a: Values,
    b: Values,
    *,
    confidence: float = 0.95,
    clusters_a: Clusters = (),
    clusters_b: Clusters = (),
) -> Estimate:
    """(mean a − mean b) / s with the pooled s; the interval inverts the noncentral t distribution.

    s² = (Σ(a − mean a)² + Σ(b − mean b)²) / (n_a + n_b − 2). With t = d √(n_a n_b / (n_a + n_b)),
    the ends are the noncentralities at which t has the tail probabilities (1 ± confidence) / 2,
    scaled back. J. Cohen (1988), Statistical power analysis for the behavioral sciences.

    >>> round(cohens_d([3, 4, 5, 6], [1, 2, 3, 4]).value, 4)
    1.5492
    """
    one, other = finite(a), finite(b)
    groups = groupings(len(one), clusters_a, len(other), clusters_b)
    return _standardised(one, other, confidence, groups, correct=False)


def hedges_g(
    a: Values,
    b: Values,
    *,
    confidence: float | None = 0.95,
    clusters_a: Clusters = (),
    clusters_b: Clusters = (),
) -> Estimate:
    """Cohen's d times J = Γ(f/2) / (√(f/2) Γ((f − 1)/2)), f = n_a + n_b − 2: unbiased in small samples.

    Without a confidence there is no interval.

    L. V. Hedges (1981), Distribution theory for Glass's estimator of effect size, Journal of
    Educational Statistics 6, 107–128.

    >>> round(hedges_g([3, 4, 5, 6], [1, 2, 3, 4]).value, 4)
    1.3457
    """
    one, other = finite(a), finite(b)
    groups = groupings(len(one), clusters_a, len(other), clusters_b)
    return _standardised(one, other, confidence, groups, correct=True)


def d_z(a: Values, b: Values, *, confidence: float = 0.95, clusters: Clusters = ()) -> Estimate:
    """The mean of the differences of pairs over their standard deviation; interval by noncentral t.

    >>> round(d_z([3, 4, 5, 7], [1, 3, 4, 4]).value, 4)
    1.8278
    """
    apart = differences(a, b)
    n = len(apart)
    if n < 2:
        return Estimate.undefined(TOO_FEW, n=n)
    spread = float(apart.std(ddof=1))
    if not spread > 0:
        return Estimate.undefined(NO_SPREAD, n=n)
    value = float(apart.mean()) / spread
    groups = groupings(n, clusters)
    if groups:
        ends = jackknife(
            value, lambda group: d_z_without(apart, group), groups, confidence=confidence
        )
        return Estimate(value=value, interval=ends, n=n, method=how(groups))
    return Estimate(
        value=value,
        interval=_noncentral(value, n**0.5, n - 1, confidence),
        n=n,
        method="noncentral t; assumes independent normal differences",
    )


def common_language(
    a: Values,
    b: Values,
    *,
    confidence: float = 0.95,
    clusters_a: Clusters = (),
    clusters_b: Clusters = (),
) -> Estimate:
    """A: the chance that a value of a is above one of b, ties counting half.

    A = (#{a > b} + #{a = b} / 2) / n_a n_b. The ends of the interval are the θ that solve
    |A − θ| = z √V(θ), where V(θ) = θ(1 − θ)[1 + N((1 − θ)/(2 − θ) + θ/(1 + θ))] / n_a n_b and
    N = (n_a + n_b)/2 − 1: R. G. Newcombe (2006), Confidence intervals for an effect size measure
    based on the Mann–Whitney statistic, part 2, Statistics in Medicine 25, 559–573, method 5. It
    stays within 0 and 1, and with many ties it is wider than it need be.

    >>> round(common_language([2, 3, 4], [1, 2, 3]).value, 4)
    0.7778
    """
    one, other = finite(a), finite(b)
    if not len(one) or not len(other):
        return Estimate.undefined(TOO_FEW, n=len(one) + len(other))
    value = above(one, other)
    groups = groupings(len(one), clusters_a, len(other), clusters_b)
    if groups:
        ends = jackknife(
            2 * value - 1,
            lambda group: 2 * above_without(one, other, group) - 1,
            groups,
            confidence=confidence,
            is_correlation=True,
        )
        moved = Interval((ends.low + 1) / 2, (ends.high + 1) / 2) if ends else None
        return Estimate(value=value, interval=moved, n=len(one) + len(other), method=how(groups))
    return Estimate(
        value=value,
        interval=_newcombe_area(value, len(one), len(other), confidence),
        n=len(one) + len(other),
        method="Newcombe's method 5; assumes independent values",
    )


def cliffs_delta(
    a: Values,
    b: Values,
    *,
    confidence: float = 0.95,
    clusters_a: Clusters = (),
    clusters_b: Clusters = (),
) -> Estimate:
    """δ = P(a > b) − P(a < b) = 2A − 1, with the interval of A.

    N. Cliff (1993), Dominance statistics, Psychological Bulletin 114, 494–509.

    >>> round(cliffs_delta([2, 3, 4], [1, 2, 3]).value, 4)
    0.5556
    """
    area = common_language(
        a, b, confidence=confidence, clusters_a=clusters_a, clusters_b=clusters_b
    )
    if not area.is_defined:
        return area
    ends = area.interval
    moved = Interval(2 * ends.low - 1, 2 * ends.high - 1) if ends else None
    return Estimate(value=2 * area.value - 1, interval=moved, n=area.n, method=area.method)


def rank_biserial(
    a: Values,
    b: Values,
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
    clusters: Clusters = (),
) -> Estimate:
    """(W₊ − W₋) / (W₊ + W₋): the share of rank sums of |a − b| that speaks for a, minus that for b.

    Pairs that are tied are left out, ties of |a − b| share their mean rank. The interval is a
    percentile bootstrap over pairs, or where they come in clusters the jackknife. D. S. Kerby (2014),
    The simple difference formula, Comprehensive Psychology 3, 11.IT.3.1.

    >>> round(rank_biserial([5, 6, 7, 3], [1, 4, 4, 4]).value, 4)
    0.8
    """
    check_settings(resamples, confidence)
    apart = differences(a, b)
    distinct, times = np.unique(apart, return_counts=True)
    value = float(rank_biserials(distinct, times[None, :])[0]) if len(apart) else np.nan
    if value != value:
        return Estimate.undefined(NO_DIFFERENCES if len(apart) else TOO_FEW, n=len(apart))
    groups = [each.merged(MOST_LEFT_OUT) for each in groupings(len(apart), clusters)]
    if groups:
        ends = jackknife(
            value,
            lambda group: rank_biserials_without(apart, group),
            groups,
            confidence=confidence,
            is_correlation=True,
        )
        return Estimate(value=value, interval=ends, n=len(apart), method=how(groups))
    draws = [
        rank_biserials(distinct, weights)
        for weights in count_draws(times, resamples=resamples, seed=seed)
    ]
    ends = percentile_interval(np.concatenate(draws), confidence=confidence) if draws else None
    return Estimate(
        value=value,
        interval=ends,
        n=len(apart),
        method=f"percentile bootstrap, {resamples:,} draws of pairs; assumes independent pairs",
    )


def differences(a: Values, b: Values) -> Numbers:
    """a − b pair by pair; InputError where the lists differ in length.

    Differences that are rounding only, such as 0.3 − 0.1 − 0.2, are made equal: tests on ranks and
    signs must see ties as ties.
    """
    one, other = finite(a), finite(b)
    if len(one) != len(other):
        raise InputError(
            f"Pairs need two lists of the same length; got {len(one)} and {len(other)}."
        )
    if not len(one):
        return one
    scale = float(max(np.abs(one).max(), np.abs(other).max()))
    if scale == 0:
        return one - other
    grain = 2.0 ** (np.floor(np.log2(scale)) - 40)
    rounded: Numbers = np.round((one - other) / grain) * grain
    return rounded


def _standardised(
    one: Numbers, other: Numbers, confidence: float | None, groups: list[Grouping], *, correct: bool
) -> Estimate:
    n_a, n_b = len(one), len(other)
    n, freedom = n_a + n_b, n_a + n_b - 2
    if min(n_a, n_b) < 1 or freedom < 2:
        return Estimate.undefined(TOO_FEW, n=n)
    squares = float(((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum())
    if not squares > 0:
        return Estimate.undefined(NO_SPREAD, n=n)
    value = float(one.mean() - other.mean()) / (squares / freedom) ** 0.5
    interval = None
    if confidence is not None and groups:
        interval = jackknife(
            value, lambda group: d_without(one, other, group), groups, confidence=confidence
        )
    elif confidence is not None:
        interval = _noncentral(value, (n_a * n_b / n) ** 0.5, freedom, confidence)
    if correct:
        factor = float(
            np.exp(special.gammaln(freedom / 2) - special.gammaln((freedom - 1) / 2))
            / (freedom / 2) ** 0.5
        )
        value *= factor
        if interval is not None:
            interval = Interval(interval.low * factor, interval.high * factor)
    return Estimate(value=value, interval=interval, n=n, method=how(groups) if groups else NORMAL)


def _noncentral(value: float, root: float, freedom: int, confidence: float) -> Interval | None:
    """The effects at which t = value · root is at the edge of what one would expect."""
    if value < 0:
        mirrored = _noncentral(-value, root, freedom, confidence)
        return Interval(-mirrored.high, -mirrored.low) if mirrored else None
    t = value * root
    width = 10 + 2 * t
    ends = []
    for tail in ((1 + confidence) / 2, (1 - confidence) / 2):

        def beyond(centre: float, tail: float = tail) -> float:
            share = float(stats.nct.cdf(t, freedom, centre))
            # Far out the distribution function fails; what it tends to there is known.
            return (share if share == share else float(centre < t)) - tail

        end = _root(beyond, t - width, t + width)
        if end is None:
            return None
        ends.append(end / root)
    return Interval(*ends)


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    at_low, at_high = function(low), function(high)
    if at_low * at_high > 0:
        return None
    return float(optimize.brentq(function, low, high, xtol=1e-10))


def _newcombe_area(value: float, n_a: int, n_b: int, confidence: float) -> Interval:
    z = float(stats.norm.ppf((1 + confidence) / 2))
    star = (n_a + n_b) / 2 - 1

    def excess(theta: float) -> float:
        rest = star * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (value - theta) ** 2 - z * z * theta * (1 - theta) * (1 + rest) / (n_a * n_b)

    # The value itself also solves the equation at 0 and 1: the search starts just beside it.
    low = 0.0 if value == 0 else _root(excess, 0.0, value * (1 - 1e-9))
    high = 1.0 if value == 1 else _root(excess, value + (1 - value) * 1e-9, 1.0)
    return Interval(low if low is not None else value, high if high is not None else value)
