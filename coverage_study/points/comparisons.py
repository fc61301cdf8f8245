"""Differences of systems whose answers share raters, items and dialogues, and of unequal sides.

Raters have a taste: how much more one of them likes a system than raters do on the whole. Where
systems are equal, "covered" says that no two of them were told apart.
"""

from functools import partial

import numpy as np

from coverage_study.design import RESAMPLES, Outcome, Point, outcome, seed_of
from palaver.analysis.comparisons import ComparisonSettings, compare_systems
from palaver.analysis.means import difference

APART = 0.3
LEVEL = 0.05
# The cluster-robust test draws nothing, and the means of systems are not looked at.
QUICK = ComparisonSettings(resamples=0)


def _rated(
    dice: np.random.Generator,
    *,
    raters: int,
    items: int,
    taste: float,
    own: float = 0.0,
    systems: int = 2,
    apart: float = 0.0,
) -> dict[str, list]:
    """Every rater judges every system on every item; `own` is how much items favour a system."""
    rater, item = (each.ravel() for each in np.meshgrid(np.arange(raters), np.arange(items)))
    base = dice.normal(0, 0.5, raters)[rater] + dice.normal(0, 0.5, items)[item]
    found: dict[str, list] = {"values": [], "systems": [], "raters": [], "items": []}
    for system in range(systems):
        liked = dice.normal(0, taste, raters)[rater] + dice.normal(0, own, items)[item]
        values = base + liked + dice.normal(0, 1, len(rater)) + (apart if system == 0 else 0)
        found["values"] += values.tolist()
        found["systems"] += [f"s{system}"] * len(rater)
        found["raters"] += rater.tolist()
        found["items"] += item.tolist()
    return found


def _compared(dice: np.random.Generator, **design: float) -> Outcome | None:
    found = compare_systems(**_rated(dice, apart=APART, **design), settings=QUICK)
    return outcome(found.pairs[0].difference.interval, APART, warned=bool(found.warnings))


def _silent(dice: np.random.Generator, **design: float) -> Outcome | None:
    """Whether equal systems are left together, all pairs being corrected for their number."""
    found = compare_systems(**_rated(dice, **design), settings=QUICK)
    ends = found.pairs[0].difference.interval
    said = any(pair.adjusted < LEVEL for pair in found.pairs)
    return None if ends is None else Outcome(not said, ends.high - ends.low)


def _sizes(dice: np.random.Generator, raters: int, each: int, third: bool) -> np.ndarray:
    """How many ratings each rater gives: very different numbers, or one rater a third of all."""
    if third:
        return np.array(
            [raters * each // 3] + [round(2 * raters * each / 3 / (raters - 1))] * (raters - 1)
        )
    weights = dice.lognormal(0, 1, raters)
    return np.maximum(1, np.round(weights / weights.sum() * raters * each)).astype(int)


def _unequal_raters(
    dice: np.random.Generator, *, raters: int, each: int, taste: float, third: bool = False
) -> Outcome | None:
    numbers = _sizes(dice, raters, each, third)
    lenience, liked = dice.normal(0, 1, raters), dice.normal(APART, taste, raters)
    sides = [np.repeat(np.arange(raters), numbers)] * 2
    if not third:
        sides[1] = np.repeat(np.arange(raters), _sizes(dice, raters, each, third))
    one = (lenience + liked)[sides[0]] + dice.normal(0, 1, len(sides[0]))
    other = lenience[sides[1]] + dice.normal(0, 1, len(sides[1]))
    found = compare_systems(
        [*one, *other],
        ["a"] * len(one) + ["b"] * len(other),
        raters=[*sides[0], *sides[1]],
        settings=QUICK,
    )
    return outcome(found.pairs[0].difference.interval, APART)


def _shares(dice: np.random.Generator, *, raters: int, each: int, share: float) -> Outcome | None:
    """Answers of 0 and 1 by raters who differ in how often they say 1, equally for both systems."""
    chances = dice.beta(share * 8, (1 - share) * 8, raters)
    rater = np.tile(np.repeat(np.arange(raters), each), 2)
    values = (dice.random(len(rater)) < chances[rater]).astype(float)
    half = len(rater) // 2
    systems = ["a"] * half + ["b"] * half
    found = compare_systems(values.tolist(), systems, raters=rater.tolist(), settings=QUICK)
    return outcome(found.pairs[0].difference.interval, 0.0)


def _report(
    dice: np.random.Generator, *, raters: int, dialogues: int, taste: float
) -> Outcome | None:
    """As a report compares: dialogues of one system each, three of the raters for every one."""
    lenience = dice.normal(0, 0.5, raters)
    values, systems, who, where = [], [], [], []
    for system in range(2):
        liked = dice.normal(0, taste, raters)
        for dialogue in range(dialogues):
            quality = dice.normal(0, 0.5)
            for rater in dice.choice(raters, 3, replace=False):
                values.append(lenience[rater] + liked[rater] + quality + dice.normal())
                systems.append(f"s{system}")
                who.append(int(rater))
                where.append(f"{system} {dialogue}")
    found = compare_systems(
        values, systems, raters=who, clusters={"dialogue": where}, settings=QUICK
    )
    ends = found.pairs[0].difference.interval
    return None if ends is None else Outcome(found.pairs[0].test.p >= LEVEL, ends.high - ends.low)


def _few_values(dice: np.random.Generator, *, n: int, m: int, wide: float = 1.0) -> Outcome | None:
    one, other = dice.normal(0, wide, n), dice.normal(0, 1, m)
    found = difference(one, other, resamples=RESAMPLES, seed=seed_of(dice))
    return outcome(found.interval, 0.0, warned=bool(found.warnings))


def _few_clusters(
    dice: np.random.Generator, *, n: int, m: int, each: int, correlation: float
) -> Outcome | None:
    sides, names = [], []
    for start, clusters in ((0, n), (n, m)):
        own = np.repeat(dice.normal(0, correlation**0.5, clusters), each)
        sides.append(own + dice.normal(0, (1 - correlation) ** 0.5, clusters * each))
        names.append([np.repeat(np.arange(start, start + clusters), each)])
    found = difference(*sides, *names)
    return outcome(found.interval, 0.0, warned=bool(found.warnings))


POINTS = [
    *(
        Point(
            procedure="compare by item and rater",
            setting=f"{raters} raters × {items} items, taste {taste}"
            + (f", item × system {own}" if own else ""),
            promise=promise,
            simulate=partial(_compared, raters=raters, items=items, taste=taste, own=own),
        )
        for raters, items, taste, own, promise in (
            (5, 30, 0.3, 0.0, "exact"),
            (20, 30, 0.3, 0.0, "exact"),
            (20, 30, 0.2, 0.0, "exact"),
            (20, 30, 0.0, 0.5, "exact"),
            (20, 30, 0.2, 0.5, "exact"),
            (25, 25, 0.3, 0.3, "exact"),
            (5, 60, 0.3, 0.3, "exact"),
            (5, 30, 0.0, 0.0, "conservative"),
        )
    ),
    *(
        Point(
            procedure="equal systems not told apart, by item and rater",
            setting=f"{systems} systems, {raters} raters × {items} items, taste {taste}"
            + (f", item × system {own}" if own else ""),
            promise="conservative",
            simulate=partial(
                _silent, raters=raters, items=items, taste=taste, own=own, systems=systems
            ),
        )
        for systems, raters, items, taste, own in (
            (2, 5, 30, 0.3, 0.0),
            (2, 20, 30, 0.3, 0.0),
            (2, 20, 30, 0.2, 0.5),
            (4, 10, 20, 0.3, 0.3),
        )
    ),
    *(
        Point(
            procedure="equal systems not told apart, as a report compares",
            setting=f"{raters} raters, {dialogues} dialogues of each system, taste {taste}",
            promise="conservative",
            simulate=partial(_report, raters=raters, dialogues=dialogues, taste=taste),
        )
        for raters, dialogues, taste in ((5, 20, 0.3), (20, 30, 0.3))
    ),
    *(
        Point(
            procedure="compare by rater",
            setting=f"{raters} raters, {words}, taste {taste}",
            promise="conservative",
            simulate=partial(_unequal_raters, raters=raters, each=10, taste=taste, third=third),
        )
        for raters, words, taste, third in (
            (10, "very unequal numbers of ratings", 0.3, False),
            (20, "very unequal numbers of ratings", 0.3, False),
            (20, "very unequal numbers of ratings", 1.0, False),
            (20, "one with a third of the ratings", 0.3, True),
            (20, "one with a third of the ratings", 1.0, True),
        )
    ),
    *(
        Point(
            procedure="compare shares by rater",
            setting=f"{raters} raters × {each}, share {share}",
            promise="conservative",
            simulate=partial(_shares, raters=raters, each=each, share=share),
        )
        for raters, each, share in ((10, 20, 0.8), (20, 10, 0.9))
    ),
    *(
        Point(
            procedure="difference of means, unequal sides",
            setting=f"{n} and {m} values" + (f", spread {wide:g} and 1" if wide != 1 else ""),
            promise="exact",
            simulate=partial(_few_values, n=n, m=m, wide=wide),
        )
        for n, m, wide in ((5, 50, 1.0), (5, 50, 3.0), (8, 80, 1.0), (12, 40, 2.0))
    ),
    *(
        Point(
            procedure="difference of means by cluster, unequal sides",
            setting=f"{n} and {m} clusters × 8, correlation {correlation}",
            promise="conservative",
            simulate=partial(_few_clusters, n=n, m=m, each=8, correlation=correlation),
        )
        for n, m, correlation in ((4, 40, 0.3), (10, 40, 0.3))
    ),
]
