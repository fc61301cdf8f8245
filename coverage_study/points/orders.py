"""Kendall's τ: the asymptotic and the bootstrap interval."""

from functools import partial
from math import asin, pi

import numpy as np

from coverage_study.design import RESAMPLES, Outcome, Point, outcome, seed_of
from palaver.analysis.kendall import kendall


def _tau(
    dice: np.random.Generator, *, n: int, correlation: float, bootstrap: bool
) -> Outcome | None:
    """Two normal measures with this correlation ρ: their τ is 2/π · arcsin ρ."""
    x = dice.normal(0, 1, n)
    y = correlation * x + (1 - correlation**2) ** 0.5 * dice.normal(0, 1, n)
    found = kendall(x, y, resamples=RESAMPLES if bootstrap else 0, seed=seed_of(dice))
    interval = found.bootstrap if bootstrap else found.tau.interval
    return outcome(interval, 2 / pi * asin(correlation), warned=bool(found.tau.warnings))


POINTS = [
    Point(
        procedure=f"Kendall's τ, {'bootstrap' if bootstrap else 'asymptotic'}",
        setting=f"n = {n}, true correlation {correlation}",
        promise=promise,
        simulate=partial(_tau, n=n, correlation=correlation, bootstrap=bootstrap),
    )
    for bootstrap, n, correlation, promise in (
        (False, 30, 0.5, "exact"),
        (False, 100, 0.8, "exact"),
        (False, 6, 0.5, "short"),
        (True, 30, 0.5, "exact"),
        (True, 100, 0.8, "exact"),
        (True, 6, 0.5, "short"),
    )
]
