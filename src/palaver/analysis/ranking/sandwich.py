"""How far fitted strengths vary, from one fit: the sandwich, with or without clusters.

With A the curvature of the log likelihood at its maximum and u_g the sum of the first derivatives
over the votes of cluster g, the covariance of the estimates is

    A⁻¹ (Σ_g u_g u_gᵀ) A⁻¹,

with u_g corrected for the cluster's own part in the fit (`cluster_scores`), or, of more clusters than
fit into memory and of single votes, times G / (G − 1). It holds when votes of one cluster depend on
each other in any way, as long as the G clusters are independent; without clusters every vote is its
own. Votes that share a rater or a dialogue are clustered both ways: the covariances of each way are
added and that of the votes that share both is subtracted. What comes of that is raised where it lies
below the covariance of any one way: no direction varies less for two reasons than for one.

A variance from few clusters is itself uncertain, and more so where few of them gave most votes. Its
degrees of freedom are the effective number of clusters less one,

    (Σ v_g)² / Σ v_g² − 1,   v_g = V₀ γ_g + (V − V₀)₊ γ_g² / Σ γ²,

by system: γ_g is the cluster's share of what the votes say of it, V₀ its variance if votes were
independent, V the one found. So single votes count by their number, what raters differ by its square.

K.-Y. Liang and S. L. Zeger (1986), Longitudinal data analysis using generalized linear models,
Biometrika 73, 13–22. A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust inference with
multiway clustering, Journal of Business & Economic Statistics 29, 238–249. A. V. Carter,
K. T. Schnepel and D. G. Steigerwald (2017), Asymptotic behavior of a t-test robust to cluster
heterogeneity, Review of Economics and Statistics 99, 698–709.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.ranking.cells import VoteCells
from palaver.analysis.ranking.cluster_scores import ClusterScores, Residuals, cluster_scores
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.analysis.student import MOST_DEGREES
from palaver.core.numeric import Numbers, np

# How many numbers of cluster sums are held at once.
BLOCK = 8_000_000


@dataclass(frozen=True, slots=True)
class Sandwich:
    """The covariance of the strengths (mean 0) and the number of clusters of the smallest factor.

    `degrees` are the degrees of freedom of each strength's variance; `scores` are those of the factor
    that has fewest, None without clusters and where they are too many to hold.
    """

    covariance: Numbers
    clusters: int
    degrees: Numbers
    scores: ClusterScores | None = None


def sandwich(
    model: Davidson, cells: VoteCells, centre: Centre, factors: Sequence[Numbers]
) -> Sandwich:
    """The covariance of the fitted strengths; `factors` hold the cluster of every vote."""
    residuals = Residuals.of(model, cells, centre)
    if not factors:
        votes = len(cells.of_vote)
        covariance = _plain(residuals, cells, centre, np.arange(votes))
        return Sandwich(covariance, votes, np.full(model.pairs.systems, MOST_DEGREES))
    ways = [_one_way(residuals, cells, centre, codes) for codes in factors]
    fewest = min(ways, key=lambda way: float(np.mean(way.degrees)))
    total: Numbers = np.sum([way.covariance for way in ways], axis=0)
    for size in range(2, len(factors) + 1):
        for chosen in combinations(factors, size):
            shared = _plain(residuals, cells, centre, crossed(chosen))
            total = total + (-1) ** (size + 1) * shared
    return Sandwich(
        covariance=_raised(total, ways),
        clusters=min(way.clusters for way in ways),
        degrees=np.min([way.degrees for way in ways], axis=0),
        scores=fewest.scores,
    )


def crossed(factors: Sequence[Numbers]) -> Numbers:
    """One number for each combination of clusters that occurs."""
    keys = factors[0]
    for codes in factors[1:]:
        keys = keys * (int(codes.max()) + 1) + codes
    if len(factors) == 1:
        return keys
    found: Numbers = np.unique(keys, return_inverse=True)[1]
    return found


def effective_degrees(shares: Numbers, single: Numbers, variance: Numbers) -> Numbers:
    """The effective number of clusters less one, by column of `shares` (clusters × columns).

    Four equal clusters, and one that has as much as three others:

    >>> even, odd = np.full(4, 1 / 4), np.array([1 / 2, 1 / 6, 1 / 6, 1 / 6])
    >>> one = np.ones(2)
    >>> effective_degrees(np.column_stack([even, odd]), one, one).round(3).tolist()
    [3.0, 2.0]
    """
    squares = (shares**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        taste = np.where(squares > 0, np.maximum(variance - single, 0.0) / squares, 0.0)
        parts = single * shares + taste * shares**2
        found = parts.sum(axis=0) ** 2 / (parts**2).sum(axis=0) - 1
    degrees: Numbers = np.where(np.isfinite(found), np.maximum(found, 1.0), 1.0)
    return degrees


def _one_way(residuals: Residuals, cells: VoteCells, centre: Centre, codes: Numbers) -> Sandwich:
    sizes = np.bincount(codes)
    clusters, systems = len(sizes), residuals.width - 1
    if clusters < 2:
        nothing = np.full((systems, systems), np.nan)
        return Sandwich(nothing, clusters, np.ones(systems))
    single = np.diag(centre.inverse)[:-1] - centre.inverse[:-1, :-1].mean()
    if clusters * residuals.width > BLOCK:
        covariance = _plain(residuals, cells, centre, codes)
        shares = np.repeat((sizes / sizes.sum())[:, None], 1, axis=1)
        variance = np.diag(covariance).max(keepdims=True)
        few = effective_degrees(shares, single.max(keepdims=True), variance)
        return Sandwich(covariance, clusters, np.repeat(few, systems))
    scores = cluster_scores(residuals, cells, centre, codes)
    covariance = scores.covariance
    degrees = effective_degrees(scores.shares, single, np.diag(covariance))
    return Sandwich(covariance, clusters, degrees, scores)


def _raised(total: Numbers, ways: Sequence[Sandwich]) -> Numbers:
    """The sum raised until it is nowhere below the covariance of one way."""
    if not np.isfinite(total).all() or len(ways) == 1:
        return total
    for way in ways:
        values, vectors = np.linalg.eigh(total - way.covariance)
        total = way.covariance + (vectors * np.maximum(values, 0.0)) @ vectors.T
    return (total + total.T) / 2


def _plain(residuals: Residuals, cells: VoteCells, centre: Centre, codes: Numbers) -> Numbers:
    """A⁻¹ (G / (G − 1) · Σ_g u_g u_gᵀ) A⁻¹, without the correction of clusters."""
    found: Numbers = (centre.inverse @ _middle(residuals, cells, codes) @ centre.inverse)[:-1, :-1]
    return found


def _middle(residuals: Residuals, cells: VoteCells, codes: Numbers) -> Numbers:
    """G / (G − 1) · Σ_g u_g u_gᵀ; NaN for a single cluster."""
    sizes = np.bincount(codes)
    clusters, width = len(sizes), residuals.width
    if clusters < 2:
        return np.full((width, width), np.nan)
    if clusters * width <= BLOCK:
        sums = residuals.sums(cells.of_vote, codes, clusters)
        return (sums.T @ sums) * (clusters / (clusters - 1))
    alone = sizes[codes] == 1
    found = _of_single_votes(
        residuals, np.bincount(cells.of_vote[alone], minlength=len(cells.counts))
    )
    together = np.flatnonzero(~alone)
    if len(together):
        found += _of_clusters(residuals, cells.of_vote[together], codes[together])
    return found * (clusters / (clusters - 1))


def _of_single_votes(residuals: Residuals, counts: Numbers) -> Numbers:
    """Σ u uᵀ over votes that stand alone, cell by cell."""
    pairs = residuals.model.pairs
    size = pairs.systems

    def by_pair(values: Numbers) -> Numbers:
        found: Numbers = (counts * values).reshape(3, -1).sum(axis=0)
        return found

    own = by_pair(residuals.system**2)
    found = np.zeros((size + 1, size + 1))
    found[pairs.low, pairs.high] = found[pairs.high, pairs.low] = -own
    found[np.arange(size), np.arange(size)] = pairs.total(own[None, :])[0]
    cross = pairs.net(by_pair(residuals.system * residuals.tie)[None, :])[0]
    found[:size, size] = found[size, :size] = cross
    found[size, size] = by_pair(residuals.tie**2).sum()
    return found


def _of_clusters(residuals: Residuals, cell: Numbers, codes: Numbers) -> Numbers:
    """Σ_g u_g u_gᵀ over clusters of several votes, a block of clusters at a time."""
    width = residuals.width
    order = np.argsort(codes, kind="stable")
    cell, codes = cell[order], codes[order]
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    number = np.cumsum(np.r_[False, codes[1:] != codes[:-1]])
    found = np.zeros((width, width))
    step = max(1, BLOCK // width)
    for first in range(0, len(starts), step):
        last = min(first + step, len(starts))
        stop = starts[last] if last < len(starts) else len(cell)
        part = slice(starts[first], stop)
        sums = residuals.sums(cell[part], number[part] - first, last - first)
        found += sums.T @ sums
    return found
