"""The spread of means and of differences of means when values come in clusters.

Answers of one rater, or about one dialogue, are not independent. The variance of a mean is then made
of the clusters' sums of residuals, S_g = Σ_{i∈g} (y_i − ȳ): with n values and n_g of them in cluster g,

    V = Σ_g S_g² / (1 − n_g / n) / n²

which is the CR2 form: unbiased for independent values, and s²/n where every value is its own cluster.
For a difference of two means a cluster brings u_g = S_ga / n_a √(1 − n_ga / n_a) − the same of b, and
V = Σ u_g²; clusters that hold values of both sides are counted with what the sides have in common.

V is a sum of few squares and so uncertain itself. Its degrees of freedom are Satterthwaite's,
(tr C)² / tr C² with C the covariance of the u_g under a working model: sums of clusters vary in
proportion to n_g^1.25, between independent values (n_g) and one effect per cluster (n_g²), as much on
each side as it shows. Where every value is its own cluster this is Welch's test.

With several crossed clusterings (raters and dialogues) V is the sum over them less what is counted
twice, and never below that of a single clustering. A clustering that lies within another one adds
nothing and drops out.

R. M. Bell and D. F. McCaffrey (2002), Bias reduction in standard errors for linear regression with
multi-stage samples, Survey Methodology 28, 169–181. G. W. Imbens and M. Kolesár (2016), Robust standard
errors in small samples, Review of Economics and Statistics 98, 701–712. A. C. Cameron, J. B. Gelbach
and D. L. Miller (2011), Robust inference with multiway clustering, Journal of Business & Economic
Statistics 29, 238–249.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis import student
from palaver.analysis.resampling import encode
from palaver.core.estimates import MISSING, Interval
from palaver.core.numeric import Numbers, np

# One code per value: which cluster it is in.
Codes = Numbers
# How the variance of a cluster's sum grows with its size, for degrees of freedom: chosen by simulation,
# with sizes that differ much and a rater who does a third of the work. 1 covered 91 % in places, 1.5
# and 2 were far too wide where one cluster is large.
GROWTH = 1.25
# A standard error below this share of the largest value is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of an estimate, and how many degrees of freedom that variance rests on."""

    variance: float
    degrees: float

    @property
    def error(self) -> float:
        """The standard error."""
        return float(self.variance**0.5)

    def interval(self, value: float, *, confidence: float = 0.95) -> Interval:
        """Student's interval around the estimate."""
        half = student.quantile(confidence, self.degrees) * self.error
        return Interval(value - half, value + half)

    def p(self, value: float) -> float:
        """The chance of an estimate as far from 0, were the truth 0; NaN without any spread.

        It is below 1 − confidence exactly where the interval of that confidence leaves 0 out.
        """
        return student.two_sided(value / self.error, self.degrees) if self.variance > 0 else MISSING


def mean_spread(values: Numbers, factors: Sequence[Codes] = ()) -> Spread | None:
    """The spread of the mean of values; `factors` holds the cluster of each value, per clustering.

    None where there is a single cluster. Without factors each value is its own cluster.

    >>> found = mean_spread(np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(found.variance, 4), round(found.degrees, 4)
    (0.4167, 3.0)
    """
    return _spread([values], [[codes] for codes in factors])


def difference_spread(
    a: Numbers, b: Numbers, factors_a: Sequence[Codes] = (), factors_b: Sequence[Codes] = ()
) -> Spread | None:
    """The spread of mean(a) − mean(b); a cluster has the same code on both sides.

    None where a side has a single cluster. Without factors it is Welch's.

    >>> found = difference_spread(np.array([3.0, 4.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(found.variance, 4), round(found.degrees, 4)
    (0.8333, 6.0)
    """
    return _spread([a, b], [list(each) for each in zip(factors_a, factors_b, strict=True)])


def _spread(sides: list[Numbers], factors: list[list[Codes]]) -> Spread | None:
    ends = np.cumsum([len(side) for side in sides])
    alone = np.arange(int(ends[-1]))
    joined = [encode(np.concatenate(codes)).codes for codes in factors]
    crossed = without_nested(joined or [alone])
    singles = [_one_way(sides, np.split(codes, ends[:-1])) for codes in crossed]
    found = [each for each in singles if each is not None]
    if len(found) < len(singles):
        return None
    total = sum(each.variance for each in found)
    for size in range(2, len(crossed) + 1):
        for some in combinations(crossed, size):
            both = _one_way(sides, np.split(crossing(some), ends[:-1]))
            total += (-1) ** (size - 1) * (both.variance if both else 0.0)
    largest = max(each.variance for each in found)
    if not largest > 0:
        # Clusters that are exactly alike: their values are taken for independent, but not for many.
        least = min(each.degrees for each in found)
        apart = _one_way(sides, np.split(alone, ends[:-1]))
        return None if apart is None else Spread(apart.variance, least)
    variance = max(total, largest)
    uncertain = sum(each.variance**2 / each.degrees for each in found)
    return Spread(variance, max(1.0, min(variance**2 / uncertain, student.MOST_DEGREES)))


def crossing(factors: Sequence[Codes]) -> Codes:
    """The clusters of values that several clusterings put together."""
    found = factors[0]
    for codes in factors[1:]:
        found = encode(found * (int(codes.max()) + 1) + codes).codes
    return found


def without_nested(factors: Sequence[Codes]) -> list[Codes]:
    """The clusterings of which none lies within another one (dialogues within raters, say).

    >>> dialogues, raters = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1])
    >>> [codes.tolist() for codes in without_nested([dialogues, raters])]
    [[0, 0, 0, 0, 1, 1]]
    """
    kept: list[Codes] = []
    for place, codes in enumerate(factors):
        others = [*kept, *factors[place + 1 :]]
        if not any(_lies_within(codes, other) for other in others):
            kept.append(codes)
    return kept


def _lies_within(codes: Codes, other: Codes) -> bool:
    """Whether all values of a cluster are in one cluster of the other clustering."""
    of = np.empty(int(codes.max()) + 1, dtype=np.intp)
    of[codes] = other
    return bool((of[codes] == other).all())


@dataclass(frozen=True, slots=True)
class _Side:
    """Per cluster: how many values, the scale of their sum of residuals, and that sum."""

    counts: Numbers
    scales: Numbers
    sums: Numbers

    @property
    def brought(self) -> Numbers:
        """What each cluster adds to the estimate's error."""
        return self.scales * self.sums

    @property
    def modelled(self) -> Numbers:
        """The variances of the clusters' sums under the working model, up to a factor."""
        found: Numbers = self.counts**GROWTH
        return found


def _one_way(sides: list[Numbers], codes: list[Codes]) -> Spread | None:
    """The spread under one clustering; the second side counts against the first."""
    size = max(int(each.max()) for each in codes) + 1
    found = [_side(values, each, size) for values, each in zip(sides, codes, strict=True)]
    if any(np.count_nonzero(side.counts) < 2 for side in found):
        return None
    brought = found[0].brought
    for side in found[1:]:
        brought = brought - side.brought
    variance = float(brought @ brought)
    largest = max(float(np.abs(values).max()) for values in sides)
    return Spread(variance if variance > (ROUNDING * largest) ** 2 else 0.0, _degrees(found))


def _side(values: Numbers, codes: Codes, size: int) -> _Side:
    n = len(values)
    counts = np.bincount(codes, minlength=size).astype(float)
    sums = np.bincount(codes, weights=values - values.mean(), minlength=size)
    # A side with a single cluster has no spread and is turned away before this counts.
    return _Side(counts, 1 / (n * np.sqrt(np.maximum(1 - counts / n, 1 / n))), sums)


def _degrees(sides: list[_Side]) -> float:
    """Satterthwaite's degrees, each side's working variances scaled to the spread that it shows.

    What a small side shows is itself a matter of luck. With real clusters the degrees are therefore
    never above those of sides that vary alike.
    """
    shown = []
    for side in sides:
        trace = _moments([side], [side.modelled])[0]
        shown.append(side.modelled * (float(side.brought @ side.brought) / trace))
    if not any(variances.any() for variances in shown):
        shown = [side.modelled for side in sides]
    found = _ratio(sides, shown)
    if len(sides) > 1 and any(side.counts.max() > 1 for side in sides):
        found = min(found, _ratio(sides, [side.modelled for side in sides]))
    return float(min(max(1.0, found), student.MOST_DEGREES))


def _ratio(sides: list[_Side], variances: list[Numbers]) -> float:
    trace, squared = _moments(sides, variances)
    return trace**2 / squared


def _moments(sides: list[_Side], variances: list[Numbers]) -> tuple[float, float]:
    """tr C and tr C² of what the clusters bring, for independent sums with these variances.

    Centring turns a side's diag(v) into diag(v) − w v' − v w' + (Σ v) w w', w being the clusters'
    shares of the side: C is diagonal but for two vectors a side, and no matrix of clusters is made.
    """
    diagonal = np.zeros(len(sides[0].counts))
    vectors: list[Numbers] = []
    core = np.zeros((2 * len(sides), 2 * len(sides)))
    for place, (side, spread) in enumerate(zip(sides, variances, strict=True)):
        diagonal += side.scales**2 * spread
        vectors += [side.scales * side.counts / side.counts.sum(), side.scales * spread]
        core[2 * place, 2 * place] = spread.sum()
        core[2 * place, 2 * place + 1] = core[2 * place + 1, 2 * place] = -1.0
    around = np.column_stack(vectors)
    turned = core @ (around.T @ around)
    trace = diagonal.sum() + np.trace(turned)
    weighted = core @ (around.T @ (diagonal[:, None] * around))
    squared = diagonal @ diagonal + 2 * np.trace(weighted) + np.trace(turned @ turned)
    return float(trace), float(squared)
