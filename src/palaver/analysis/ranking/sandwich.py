"""How far fitted strengths vary, from one fit: the sandwich, with or without clusters.

With A the curvature of the log likelihood at its maximum and u_g the sum of the first derivatives
over the votes of cluster g, the covariance of the estimates is

    A⁻¹ (G / (G − 1) · Σ_g u_g u_gᵀ) A⁻¹.

It holds when votes of one cluster depend on each other in any way, as long as the G clusters are
independent; without clusters every vote is its own. Votes that share a rater or a dialogue are
clustered both ways by adding the middle parts of each way and subtracting that of the votes that
share both, each with its own G / (G − 1). The result of that can be less than any variance can be
in some direction; it is then 0 there, and `mended` says so.

K.-Y. Liang and S. L. Zeger (1986), Longitudinal data analysis using generalized linear models,
Biometrika 73, 13–22. A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust inference with
multiway clustering, Journal of Business & Economic Statistics 29, 238–249.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.ranking.cells import VoteCells
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.core.numeric import Numbers, np

# How many numbers of cluster sums are held at once.
BLOCK = 8_000_000


@dataclass(frozen=True, slots=True)
class Sandwich:
    """The covariance of the strengths (mean 0), the number of clusters of the smallest factor, and
    whether a negative variance had to be set to 0."""

    covariance: Numbers
    clusters: int
    mended: bool


def sandwich(
    model: Davidson, cells: VoteCells, centre: Centre, factors: Sequence[Numbers]
) -> Sandwich:
    """The covariance of the fitted strengths; `factors` hold the cluster of every vote."""
    residuals = _Residuals.of(model, cells, centre)
    middle = np.zeros_like(centre.inverse)
    smallest = len(cells.of_vote)
    if not factors:
        middle += _middle(residuals, cells, np.arange(smallest))
    for size in range(1, len(factors) + 1):
        for chosen in combinations(factors, size):
            codes = _crossed(chosen)
            middle += (-1) ** (size + 1) * _middle(residuals, cells, codes)
            smallest = min(smallest, int(codes.max()) + 1)
    covariance = (centre.inverse @ middle @ centre.inverse)[:-1, :-1]
    return _mended(covariance, smallest)


@dataclass(frozen=True, slots=True)
class _Residuals:
    """First derivatives of a vote by cell: for the low system (the high one's is minus that), and
    for log ν."""

    system: Numbers
    tie: Numbers
    low: Numbers
    high: Numbers
    model: Davidson

    @classmethod
    def of(cls, model: Davidson, cells: VoteCells, centre: Centre) -> "_Residuals":
        (margin,), (tie,) = model.chances(
            centre.strengths[None, :], np.array([centre.log_tie], dtype=float)
        )
        said = np.repeat([0.5, -0.5, 0.0], len(margin))
        return cls(
            system=said - np.tile(margin / 2, 3),
            tie=np.repeat([0.0, 0.0, 1.0], len(margin)) - np.tile(tie, 3),
            low=np.tile(model.pairs.low, 3),
            high=np.tile(model.pairs.high, 3),
            model=model,
        )


def _crossed(factors: Sequence[Numbers]) -> Numbers:
    """One number for each combination of clusters that occurs."""
    keys = factors[0]
    for codes in factors[1:]:
        keys = keys * (int(codes.max()) + 1) + codes
    if len(factors) == 1:
        return keys
    found: Numbers = np.unique(keys, return_inverse=True)[1]
    return found


def _middle(residuals: _Residuals, cells: VoteCells, codes: Numbers) -> Numbers:
    """G / (G − 1) · Σ_g u_g u_gᵀ; NaN for a single cluster."""
    sizes = np.bincount(codes)
    clusters = len(sizes)
    if clusters < 2:
        width = residuals.model.pairs.systems + 1
        return np.full((width, width), np.nan)
    if clusters * (residuals.model.pairs.systems + 1) <= BLOCK:
        sums = _cluster_sums(residuals, cells.of_vote, codes, clusters)
        return (sums.T @ sums) * (clusters / (clusters - 1))
    alone = sizes[codes] == 1
    found = _of_single_votes(
        residuals, np.bincount(cells.of_vote[alone], minlength=len(cells.counts))
    )
    together = np.flatnonzero(~alone)
    if len(together):
        found += _of_clusters(residuals, cells.of_vote[together], codes[together])
    return found * (clusters / (clusters - 1))


def _of_single_votes(residuals: _Residuals, counts: Numbers) -> Numbers:
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


def _of_clusters(residuals: _Residuals, cell: Numbers, codes: Numbers) -> Numbers:
    """Σ_g u_g u_gᵀ over clusters of several votes, a block of clusters at a time."""
    width = residuals.model.pairs.systems + 1
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
        sums = _cluster_sums(residuals, cell[part], number[part] - first, last - first)
        found += sums.T @ sums
    return found


def _cluster_sums(residuals: _Residuals, cell: Numbers, number: Numbers, clusters: int) -> Numbers:
    """u_g by cluster: clusters × (systems and log ν)."""
    width = residuals.model.pairs.systems + 1
    value = residuals.system[cell]
    place = number * width
    size = clusters * width
    sums = np.bincount(place + residuals.low[cell], weights=value, minlength=size)
    sums -= np.bincount(place + residuals.high[cell], weights=value, minlength=size)
    sums += np.bincount(place + width - 1, weights=residuals.tie[cell], minlength=size)
    return sums.reshape(clusters, width)


def _mended(covariance: Numbers, clusters: int) -> Sandwich:
    if not np.isfinite(covariance).all():
        return Sandwich(np.full_like(covariance, np.nan), clusters, mended=False)
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    negative = values < -1e-10 * max(float(np.abs(values).max()), 1e-300)
    if not negative.any():
        return Sandwich(covariance, clusters, mended=False)
    return Sandwich((vectors * np.maximum(values, 0.0)) @ vectors.T, clusters, mended=True)
