"""Verified error rates: writers with a skill of their own, who write as much as they like.

Each writer's chance of fooling the model is Beta-distributed around the true rate; how many tries they
make is drawn apart from it, and a few make most of them.
"""

from functools import partial

import numpy as np

from coverage_study.design import Outcome, Point, Promise, outcome
from palaver.analysis.clustered_shares import clustered_share

# How many tries one writer makes at the least, and on average more than that.
LEAST, MORE = 5, 15


def _rate(
    dice: np.random.Generator, *, writers: int, truth: float, correlation: float
) -> Outcome | None:
    weight = 1 / correlation - 1
    skills = dice.beta(truth * weight, (1 - truth) * weight, writers)
    tries = LEAST + dice.geometric(1 / (MORE + 1), writers) - 1
    writer = np.repeat(np.arange(writers), tries)
    fooled = (dice.random(len(writer)) < skills[writer]).astype(float)
    found = clustered_share(fooled, writer.tolist(), what="writers")
    return outcome(found.interval, truth)


def _point(writers: int, truth: float, correlation: float, promise: Promise) -> Point:
    return Point(
        procedure="verified error rate, by writer",
        setting=f"{writers} writers, true rate {truth}, correlation {correlation}",
        promise=promise,
        simulate=partial(_rate, writers=writers, truth=truth, correlation=correlation),
    )


POINTS = [
    _point(writers, truth, correlation, "conservative" if writers < 30 else "exact")
    for writers in (5, 12, 30, 100)
    for truth, correlation in ((0.3, 0.1), (0.1, 0.1), (0.3, 0.02), (0.3, 0.3))
]
