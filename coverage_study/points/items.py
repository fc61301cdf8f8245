"""Means over items of one data set and of several, and over dialogues of self-play."""

from functools import partial

import numpy as np

from coverage_study.design import Outcome, Point, outcome
from palaver.analysis.item_means import item_mean
from palaver.analysis.weighted_means import combined_ends
from palaver.core.estimates import Estimate, Interval
from palaver.core.words import listed
from palaver.studies.play.results import mean_of


def _judged(found: Estimate, truth: float) -> Outcome | None:
    return outcome(found.interval, truth, warned=bool(found.warnings))


def _half_right(dice: np.random.Generator, *, n: int) -> Outcome | None:
    """A third of the items right, a third wrong, the others anything between."""
    kinds = dice.integers(0, 3, n)
    values = np.choose(kinds, [np.zeros(n), np.ones(n), dice.random(n)])
    return _judged(item_mean(values, (0.0, 1.0)), 0.5)


def _nearly_perfect(dice: np.random.Generator, *, n: int, missed: float) -> Outcome | None:
    """Scores of 100 but for a few: often all that were drawn are 100."""
    values = np.where(dice.random(n) < missed, 0.0, 100.0)
    return _judged(item_mean(values, (0.0, 100.0)), 100 * (1 - missed))


def _played(dice: np.random.Generator, *, scenarios: int, each: int) -> Outcome | None:
    """Rewards of which half of the variance lies between scenarios."""
    own = np.repeat(dice.normal(0, 0.5**0.5, scenarios), each)
    values = own + dice.normal(0, 0.5**0.5, scenarios * each)
    names = np.repeat(np.arange(scenarios), each).tolist()
    return _judged(mean_of(values.tolist(), names), 0.0)


def _succeeded(dice: np.random.Generator, *, scenarios: int, each: int) -> Outcome | None:
    """Success of which some scenarios allow more than others, 0.7 on average."""
    chance = np.repeat(dice.beta(2.1, 0.9, scenarios), each)
    values = (dice.random(scenarios * each) < chance).astype(float)
    names = np.repeat(np.arange(scenarios), each).tolist()
    return _judged(mean_of(values.tolist(), names, within=(0.0, 1.0)), 0.7)


def _averaged(
    dice: np.random.Generator, *, items: tuple[int, ...], right: tuple[float, ...]
) -> Outcome | None:
    """The plain mean of a model's shares on several data sets."""
    found = [
        item_mean((dice.random(n) < share).astype(float), (0.0, 1.0))
        for n, share in zip(items, right, strict=True)
    ]
    ends = [[each.interval.low, each.interval.high] for each in found if each.interval]
    weights = np.full(len(items), 1 / len(items))
    values = np.array([[each.value] for each in found])
    lows, highs = (np.array(each)[:, None] for each in zip(*ends, strict=True))
    low, high = combined_ends(values, lows, highs, weights)
    return outcome(Interval(float(low[0]), float(high[0])), float(np.mean(right)))


POINTS = [
    *(
        Point(
            procedure="average over data sets",
            setting=f"{listed([str(each) for each in items])} items, "
            f"{listed([f'{100 * each:g} %' for each in right])} right",
            promise=promise,
            simulate=partial(_averaged, items=items, right=right),
        )
        for items, right, promise in (
            ((300, 150), (0.85, 0.7), "exact"),
            ((40, 200, 60), (0.95, 0.6, 0.8), "exact"),
            ((20, 500), (0.99, 0.8), "exact"),
        )
    ),
    Point(
        procedure="mean over items",
        setting="300 items, a third of them half right",
        promise="exact",
        simulate=partial(_half_right, n=300),
    ),
    Point(
        procedure="mean over items at the end of its range",
        setting="60 items, 1 of 100 missed",
        promise="conservative",
        simulate=partial(_nearly_perfect, n=60, missed=0.01),
    ),
    Point(
        procedure="self-play, reward by scenario",
        setting="30 scenarios × 4 dialogues",
        promise="exact",
        simulate=partial(_played, scenarios=30, each=4),
    ),
    # Few counts are possible with few dialogues, so that an interval may hold more than it says.
    *(
        Point(
            procedure="self-play, success by scenario",
            setting=f"{scenarios} scenarios × {each} dialogues",
            promise=promise,
            simulate=partial(_succeeded, scenarios=scenarios, each=each),
        )
        for scenarios, each, promise in ((60, 4, "exact"), (40, 3, "conservative"))
    ),
]
