"""Strengths of resampled votes: the bootstrap, clustered by whatever votes share.

A sample is a row of counts by cell. Without clusters it is one multinomial draw over the cells, so
that its cost does not grow with the number of votes. With one factor (raters, say) whole clusters
are drawn with replacement and bring their votes. With several (raters and dialogues) each factor is
drawn on its own and a vote occurs as often as the product says: Owen's pigeonhole bootstrap.

Samples come in blocks of their own seeds, worked on side by side; the result does not depend on how
many are worked on at once.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from palaver.analysis.ranking.cells import VoteCells
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.analysis.ranking.graph import find_backbone, have_maximum
from palaver.core.numeric import Numbers, np

# How many counts or weights one block holds, and how many samples at most.
BLOCK = 2_000_000
MOST_SAMPLES = 50
WORKERS = 4

Sampler = Callable[["np.random.Generator", int], Numbers]


@dataclass(frozen=True, slots=True)
class StrengthDraws:
    """Strengths by sample; the `separated` samples, whose likelihood has no finite maximum, are not
    among them, and neither are those `unsolved`, of which it was not found."""

    strengths: Numbers
    samples: int
    separated: int
    unsolved: int


def bootstrap(
    model: Davidson,
    cells: VoteCells,
    centre: Centre,
    factors: Sequence[Numbers],
    *,
    resamples: int,
    seed: int,
) -> StrengthDraws:
    """Fits of `resamples` samples of the votes; `factors` hold the cluster of every vote."""
    backbone = find_backbone(cells.pairs, cells.counts)
    width, sampler = _cluster_sampler(cells, factors) if factors else _cell_sampler(cells)
    sizes = _sizes(resamples, min(MOST_SAMPLES, max(1, BLOCK // max(1, width))))
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))

    def block(job: tuple[int, "np.random.SeedSequence"]) -> StrengthDraws:
        size, own = job
        counts = sampler(np.random.default_rng(own), size)
        known = have_maximum(cells.pairs, counts, backbone)
        if not known.any():
            return StrengthDraws(np.empty((0, model.pairs.systems)), size, size, 0)
        fits = model.fit_near(counts[known], centre)
        return StrengthDraws(
            strengths=fits.strengths[fits.converged],
            samples=size,
            separated=int((~known).sum()),
            unsolved=int((~fits.converged).sum()),
        )

    with ThreadPoolExecutor(min(WORKERS, os.cpu_count() or 1)) as workers:
        found = list(workers.map(block, zip(sizes, seeds, strict=True)))
    return StrengthDraws(
        strengths=np.concatenate(
            [np.empty((0, model.pairs.systems)), *(d.strengths for d in found)]
        ),
        samples=resamples,
        separated=sum(each.separated for each in found),
        unsolved=sum(each.unsolved for each in found),
    )


def _cell_sampler(cells: VoteCells) -> tuple[int, Sampler]:
    """Votes one by one: a multinomial draw over the cells."""
    filled = np.flatnonzero(cells.counts)
    votes = int(cells.counts.sum())
    chances = cells.counts[filled] / votes

    def sample(dice: "np.random.Generator", size: int) -> Numbers:
        counts = np.zeros((size, len(cells.counts)))
        counts[:, filled] = dice.multinomial(votes, chances, size=size)
        return counts

    return len(cells.counts), sample


def _cluster_sampler(cells: VoteCells, factors: Sequence[Numbers]) -> tuple[int, Sampler]:
    """Whole clusters: votes that share all clusters and the cell are one row with a count."""
    codes, cell, count = _rows(cells, factors)
    starts = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])
    filled = cell[starts]
    clusters = [int(code.max()) + 1 for code in codes]

    def sample(dice: "np.random.Generator", size: int) -> Numbers:
        weights = np.tile(count, (size, 1))
        for each, number in zip(codes, clusters, strict=True):
            weights *= np.take(_times_drawn(dice, number, size), each, axis=1)
        counts = np.zeros((size, len(cells.counts)))
        counts[:, filled] = np.add.reduceat(weights, starts, axis=1, dtype=np.float64)
        return counts

    return len(cell), sample


def _times_drawn(dice: "np.random.Generator", clusters: int, size: int) -> Numbers:
    """Samples × clusters: how often each was drawn, with replacement, in as many draws.

    In single precision, which holds these small numbers exactly and takes half the time to look up.
    """
    drawn = dice.integers(0, clusters, size=(size, clusters))
    drawn += np.arange(size)[:, None] * clusters
    times = np.bincount(drawn.ravel(), minlength=size * clusters)
    return times.reshape(size, clusters).astype(np.float32)


def _rows(cells: VoteCells, factors: Sequence[Numbers]) -> tuple[list[Numbers], Numbers, Numbers]:
    """The distinct combinations of clusters and cell in the order of the cells, and how many votes
    each has."""
    keys = cells.of_vote
    for codes in factors:
        keys = keys * (int(codes.max()) + 1) + codes
    _, where, count = np.unique(keys, return_index=True, return_counts=True)
    return [codes[where] for codes in factors], cells.of_vote[where], count.astype(np.float32)


def _sizes(samples: int, step: int) -> list[int]:
    return [min(step, samples - start) for start in range(0, samples, step)]
