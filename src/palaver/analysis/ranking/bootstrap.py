"""Strengths of resampled votes: the bootstrap of votes that are independent of each other.

A sample is a row of counts by cell: one multinomial draw over the cells, so that its cost does not
grow with the number of votes. Votes that share something are drawn otherwise (`wild`).

Samples come in blocks of their own seeds, worked on side by side; the result does not depend on how
many are worked on at once.
"""

import os
from collections.abc import Callable
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
    model: Davidson, cells: VoteCells, centre: Centre, *, resamples: int, seed: int
) -> StrengthDraws:
    """Fits of `resamples` samples of the votes."""
    backbone = find_backbone(cells.pairs, cells.counts)
    width, sampler = _cell_sampler(cells)
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


def _sizes(samples: int, step: int) -> list[int]:
    return [min(step, samples - start) for start in range(0, samples, step)]
