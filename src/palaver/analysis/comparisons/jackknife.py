"""Intervals of effect sizes when values come in clusters: leave out one cluster at a time.

With θ₍g₎ the estimate without cluster g of G, the variance is (G − 1)/G Σ (θ₍g₎ − θ)². Clusters that
hold values of one side only are strata of their own, each with its own G. The interval is Student's t,
with degrees of freedom by Satterthwaite from those of the strata, Kish's number of clusters minus one,
(Σ n_g)² / Σ n_g² − 1. With several crossed clusterings their variances are added, which counts twice
what a value has of its own and so errs on the wide side. A correlation is taken on Fisher's scale,
artanh θ, where its ends cannot leave −1 and 1.

B. Efron and C. Stein (1981), The jackknife estimate of variance, Annals of Statistics 9, 586–596.
J. G. MacKinnon, M. Ø. Nielsen and M. D. Webb (2023), Cluster-robust inference: a guide to empirical
practice, Journal of Econometrics 232, 272–299, for leaving out clusters.
"""

from collections.abc import Callable
from dataclasses import dataclass

from palaver.analysis.clustered import without_nested
from palaver.analysis.means import Clusters, joined
from palaver.analysis.resampling import encode
from palaver.analysis.student import quantile
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np

METHOD = "cluster jackknife, Student's t; assumes independent clusters"
TWO_WAY = (
    "cluster jackknife, Student's t; the variances of crossed clusterings are added, which errs on "
    "the wide side"
)
# How close to −1 or 1 a correlation is taken to be where it reaches them.
NEAREST = 1e-6


@dataclass(frozen=True, slots=True)
class Grouping:
    """The cluster of each value, first those of a, then those of b; `split` is how many are of a."""

    codes: Numbers
    split: int

    @property
    def size(self) -> int:
        """How many clusters there are."""
        return int(self.codes.max()) + 1

    @property
    def a(self) -> Numbers:
        return self.codes[: self.split]

    @property
    def b(self) -> Numbers:
        return self.codes[self.split :]

    def merged(self, most: int) -> "Grouping":
        """At most so many clusters: more are put together by their numbers."""
        return self if self.size <= most else Grouping(self.codes % most, self.split)

    def sums(self, values: Numbers, side: Numbers) -> Numbers:
        """The sum of one side's values in each cluster."""
        return np.bincount(side, weights=values, minlength=self.size)

    @property
    def strata(self) -> Numbers:
        """0 for clusters with values of a alone, 1 of b alone, 2 of both; 2 for all where a stratum
        has a single cluster."""
        in_a, in_b = (np.bincount(side, minlength=self.size) > 0 for side in (self.a, self.b))
        found = np.where(in_a & in_b, 2, np.where(in_a, 0, 1))
        if (np.unique(found, return_counts=True)[1] < 2).any():
            return np.full(self.size, 2)
        return found


# The estimate without each cluster of a grouping, in the order of their codes.
Deleted = Callable[[Grouping], Numbers]


def groupings(
    n_a: int, clusters_a: Clusters, n_b: int = 0, clusters_b: Clusters = ()
) -> list[Grouping]:
    """The clusterings of values of two sides, or of pairs; those that lie within another drop out."""
    if n_b and len(clusters_a) != len(clusters_b):
        raise InputError("Both sides need the same clusterings.")
    codes = []
    for place, one in enumerate(clusters_a):
        other = clusters_b[place] if n_b else []
        if len(one) != n_a or len(other) != n_b:
            raise InputError(
                f"Each of the {n_a + n_b} values needs a cluster; got {len(one) + len(other)}."
            )
        codes.append(encode(joined(one, other) if n_b else one).codes)
    return [Grouping(each, n_a) for each in without_nested(codes)]


def jackknife(
    value: float,
    deleted: Deleted,
    groups: list[Grouping],
    *,
    confidence: float,
    is_correlation: bool = False,
) -> Interval | None:
    """The interval of an estimate; None where a side has a single cluster or nothing varies."""
    to_scale, back = (_fisher, np.tanh) if is_correlation else (np.asarray, np.asarray)
    centre = float(to_scale(np.array([value]))[0])
    variances, doubts = [], []
    for group in groups:
        without = to_scale(deleted(group))
        if group.size < 2 or not np.isfinite(without).all():
            return None
        sizes, strata = np.bincount(group.codes).astype(float), group.strata
        for stratum in np.unique(strata):
            here = strata == stratum
            held, share = sizes[here], (here.sum() - 1) / here.sum()
            variances.append(share * float(((without[here] - centre) ** 2).sum()))
            degrees = max(1.0, float(held.sum() ** 2 / (held**2).sum()) - 1)
            doubts.append(variances[-1] ** 2 / degrees)
    total = sum(variances)
    if not total > 0:
        return None
    half = quantile(confidence, total**2 / sum(doubts)) * total**0.5
    low, high = back(np.array([centre - half, centre + half]))
    return Interval(float(low), float(high))


def how(groups: list[Grouping]) -> str:
    """The method, in words."""
    return METHOD if len(groups) < 2 else TWO_WAY


def _fisher(values: Numbers) -> Numbers:
    found: Numbers = np.arctanh(np.clip(values, NEAREST - 1, 1 - NEAREST))
    return found
