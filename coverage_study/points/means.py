"""Means and differences of means: Student's t, BCa over values and clusters, cluster-robust."""

from functools import partial

import numpy as np

from coverage_study.design import CONFIDENCE, RESAMPLES, Outcome, Point, outcome, seed_of
from palaver.analysis.means import difference, mean, paired_difference, t_interval
from palaver.core.estimates import Estimate

SKEWED_MEAN = 1.0


def _drawn(dice: np.random.Generator, shape: str, n: int) -> np.ndarray:
    """Values with mean 1: normal, exponential, or five points of a scale moved to that mean."""
    if shape == "normal":
        return dice.normal(SKEWED_MEAN, 1, n)
    if shape == "skewed":
        return dice.exponential(SKEWED_MEAN, n)
    chances = [0.05, 0.1, 0.2, 0.35, 0.3]
    return dice.choice(np.arange(1, 6), n, p=chances) - 3.75 + SKEWED_MEAN


def _judged(found: Estimate, truth: float) -> Outcome | None:
    return outcome(found.interval, truth, warned=bool(found.warnings))


def _student(dice: np.random.Generator, *, shape: str, n: int) -> Outcome | None:
    return outcome(t_interval(_drawn(dice, shape, n), confidence=CONFIDENCE), SKEWED_MEAN)


def _plain(dice: np.random.Generator, *, shape: str, n: int) -> Outcome | None:
    values = _drawn(dice, shape, n)
    return _judged(mean(values, resamples=RESAMPLES, seed=seed_of(dice)), SKEWED_MEAN)


def _clustered(
    dice: np.random.Generator, *, clusters: int, each: int, correlation: float, respected: bool
) -> Outcome | None:
    own = np.repeat(dice.normal(0, correlation**0.5, clusters), each)
    values = own + dice.normal(0, (1 - correlation) ** 0.5, clusters * each)
    names = [np.repeat(np.arange(clusters), each).tolist()] if respected else []
    return _judged(mean(values, names, resamples=RESAMPLES, seed=seed_of(dice)), 0.0)


def _crossed(dice: np.random.Generator, *, raters: int, items: int) -> Outcome | None:
    rater, item = (each.ravel() for each in np.meshgrid(np.arange(raters), np.arange(items)))
    values = dice.normal(0, 0.5, raters)[rater] + dice.normal(0, 0.5, items)[item]
    values = values + dice.normal(0, 1, len(values))
    names = [rater.tolist(), item.tolist()]
    return _judged(mean(values, names, resamples=RESAMPLES, seed=seed_of(dice)), 0.0)


def _apart(dice: np.random.Generator, *, shape: str, n: int, m: int) -> Outcome | None:
    one, other = _drawn(dice, shape, n), _drawn(dice, shape, m)
    return _judged(difference(one, other, resamples=RESAMPLES, seed=seed_of(dice)), 0.0)


def _apart_by_raters(dice: np.random.Generator, *, raters: int, each: int) -> Outcome | None:
    """Every rater judges both systems, likes one more than the other to a degree of their own."""
    names = np.repeat(np.arange(raters), each)
    taste, lenience = dice.normal(0.3, 0.5, raters), dice.normal(0, 1, raters)
    one = (lenience + taste)[names] + dice.normal(0, 1, raters * each)
    other = lenience[names] + dice.normal(0, 1, raters * each)
    shared = [names.tolist()]
    found = difference(one, other, shared, shared, resamples=RESAMPLES, seed=seed_of(dice))
    return _judged(found, 0.3)


def _pairs(dice: np.random.Generator, *, n: int) -> Outcome | None:
    item = dice.normal(0, 1, n)
    one, other = item + dice.normal(0.2, 1, n), item + dice.normal(0, 1, n)
    found = paired_difference(one, other, resamples=RESAMPLES, seed=seed_of(dice))
    return _judged(found, 0.2)


POINTS = [
    Point(
        procedure="mean, Student's t",
        setting="n = 8, normal",
        promise="exact",
        simulate=partial(_student, shape="normal", n=8),
    ),
    *(
        Point(
            procedure="mean, BCa",
            setting=f"n = {n}, {shape}",
            promise=promise,
            simulate=partial(_plain, shape=shape, n=n),
        )
        for n, shape, promise in (
            (8, "normal", "short"),
            (30, "normal", "exact"),
            (50, "points", "exact"),
            (100, "skewed", "exact"),
            (15, "skewed", "short"),
        )
    ),
    *(
        Point(
            procedure="mean, BCa by cluster",
            setting=f"{clusters} clusters × {each}, correlation 0.3",
            promise=promise,
            simulate=partial(
                _clustered, clusters=clusters, each=each, correlation=0.3, respected=True
            ),
        )
        for clusters, each, promise in ((40, 5, "exact"), (100, 3, "exact"), (8, 20, "short"))
    ),
    Point(
        procedure="mean, BCa",
        setting="40 clusters × 5, correlation 0.3, taken for independent",
        promise="short",
        simulate=partial(_clustered, clusters=40, each=5, correlation=0.3, respected=False),
    ),
    Point(
        procedure="mean, two-way cluster-robust",
        setting="25 raters × 25 items, crossed",
        promise="conservative",
        simulate=partial(_crossed, raters=25, items=25),
    ),
    Point(
        procedure="mean, two-way cluster-robust",
        setting="5 raters × 60 items, crossed",
        promise="exact",
        simulate=partial(_crossed, raters=5, items=60),
    ),
    Point(
        procedure="difference of means, BCa",
        setting="40 and 60, points",
        promise="exact",
        simulate=partial(_apart, shape="points", n=40, m=60),
    ),
    Point(
        procedure="difference of means, cluster-robust by rater",
        setting="30 raters × 5 for each system",
        promise="exact",
        simulate=partial(_apart_by_raters, raters=30, each=5),
    ),
    Point(
        procedure="paired difference, BCa",
        setting="50 pairs, normal",
        promise="exact",
        simulate=partial(_pairs, n=50),
    ),
]
