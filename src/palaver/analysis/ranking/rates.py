"""Win rates with intervals that hold when raters differ.

A system's rate is (wins + ties / 2) / n. With S_g the sum of the scores (1, ½, 0) of the n_g votes of
cluster g, its variance is estimated by

    V = Σ_g (S_g − n_g p̂)² / (1 − n_g / n) / n²,

where the divisor makes up for a cluster's own part in p̂ (CR2 of Bell and McCaffrey 2002). The interval
is Wilson's with n divided by the design effect V / (p̃(1 − p̃) / n), never below 1, and with a quantile
of Student's t. Its degrees of freedom are the effective number of clusters less one,

    (Σ v_g)² / Σ v_g² − 1,

with v_g what a cluster is expected to add: its share of the votes for what single votes vary, the
square of that share for what raters differ. With clusters of equal size they are G − 1; one rater who
gave half of the votes makes them few. Without clusters the interval is Wilson's.

Votes that share a rater or a dialogue have the sum of both variances less that of the votes that
share both, never below the larger one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.proportions import binary_variance, score_ends
from palaver.analysis.ranking.sandwich import crossed
from palaver.analysis.ranking.votes import TIE, Votes
from palaver.analysis.student import MOST_DEGREES, quantile
from palaver.core.estimates import Estimate
from palaver.core.numeric import Numbers, np

NEVER = "the two were never compared with each other"
# Up to so many sums are counted without sorting.
DENSE = 4_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of many groups of votes at once: the mean score, how many votes, the variance and its
    degrees of freedom; NaN where all votes of a group share one cluster."""

    value: Numbers
    n: Numbers
    variance: Numbers
    degrees: Numbers

    def estimate(self, group: int, *, confidence: float, lone: str) -> Estimate:
        """The rate of a group with its interval; without one, and with `lone` for a reason, where
        all votes share one cluster."""
        n, value = int(self.n[group]), float(self.value[group])
        if not n:
            return Estimate.undefined(NEVER)
        if np.isnan(self.variance[group]):
            return Estimate(value=value, n=n, reason=lone)
        binary = binary_variance(value, n, confidence=confidence)
        size = binary / max(float(self.variance[group]), binary / n)
        errors = quantile(confidence, float(self.degrees[group]))
        return Estimate(value=value, interval=score_ends(value, size, errors), n=n)


def rates_by_system(votes: Votes, factors: Sequence[Numbers]) -> Rates:
    """The rate of each system over all its votes; `factors` hold the cluster of every vote."""
    score = first_scores(votes)
    return _rates(
        np.concatenate([votes.first, votes.second]),
        np.concatenate([score, 1 - score]),
        [np.concatenate([codes, codes]) for codes in factors],
        len(votes.systems),
    )


def rates_by_pair(votes: Votes, factors: Sequence[Numbers]) -> Rates:
    """The rate of each pair's first system in their direct comparisons; pair (i, j) with i < j is
    group i · systems + j."""
    size = len(votes.systems)
    score = first_scores(votes)
    turned = votes.first > votes.second
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    return _rates(low * size + high, np.where(turned, 1 - score, score), factors, size * size)


def first_scores(votes: Votes) -> Numbers:
    """1 where the first system of a vote won, ½ for a tie, 0 where it lost."""
    found: Numbers = np.where(votes.outcome == TIE, 0.5, 1.0 - votes.outcome)
    return found


def _rates(group: Numbers, score: Numbers, factors: Sequence[Numbers], groups: int) -> Rates:
    n = np.bincount(group, minlength=groups).astype(float)
    with np.errstate(invalid="ignore"):
        value = np.bincount(group, score, minlength=groups) / n
    if not factors:
        return Rates(value, n, np.zeros(groups), np.full(groups, MOST_DEGREES))
    total, largest, degrees = np.zeros(groups), np.zeros(groups), np.full(groups, np.inf)
    for size in range(1, len(factors) + 1):
        for chosen in combinations(factors, size):
            own = _by_clusters(group, score - value[group], crossed(chosen), n, value)
            total += (-1) ** (size + 1) * own[0]
            if size == 1:
                largest = np.maximum(largest, own[0])
                degrees = np.minimum(degrees, own[1])
    return Rates(value, n, np.maximum(total, largest), degrees)


def _by_clusters(
    group: Numbers, residual: Numbers, codes: Numbers, n: Numbers, value: Numbers
) -> tuple[Numbers, Numbers]:
    """The variance and its degrees of freedom, by group."""
    groups, clusters = len(n), int(codes.max(initial=0)) + 1
    keys, sums, sizes = _summed(group * clusters + codes, residual, groups * clusters)
    owner = keys // clusters
    share = sizes / n[owner]
    with np.errstate(divide="ignore", invalid="ignore"):
        # All of a group's votes in one cluster: 0 / 0, which is NaN, says that nothing is known.
        corrected = np.where(share < 1, sums**2 / (1 - share), np.nan)
        variance = np.bincount(owner, corrected, minlength=groups) / n**2
        single = value * (1 - value) / n
        squares = np.bincount(owner, share**2, minlength=groups)
        taste = np.maximum(variance - single, 0.0) / squares
        part = single[owner] * share + taste[owner] * share**2
        # Where nothing varies, clusters count by their votes.
        part = np.where(part > 0, part, share)
        first = np.bincount(owner, part, minlength=groups)
        second = np.bincount(owner, part**2, minlength=groups)
        degrees = np.maximum(first**2 / second - 1, 1.0)
    return variance, degrees


def _summed(keys: Numbers, values: Numbers, most: int) -> tuple[Numbers, Numbers, Numbers]:
    """The distinct keys below `most`, the sum of the values of each, and how many there are."""
    if most <= DENSE:
        sizes = np.bincount(keys, minlength=most)
        known = np.flatnonzero(sizes)
        return known, np.bincount(keys, values, minlength=most)[known], sizes[known]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(keys)))
    return ordered[starts], np.add.reduceat(values[order], starts), sizes
