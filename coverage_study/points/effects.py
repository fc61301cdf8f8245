"""Effect sizes of answers that come in clusters, by leaving out one cluster at a time."""

from functools import partial
from itertools import product
from statistics import NormalDist

import numpy as np

from coverage_study.design import Outcome, Point, outcome
from palaver.analysis.comparisons.effects import cliffs_delta, d_z, hedges_g, rank_biserial

APART, TASTE, LENIENCE, NOISE = 0.4, 0.5, 0.7, 1.0
# The deviation of one value of each side, and of one difference of a pair.
OF_A = (TASTE**2 + LENIENCE**2 + NOISE**2) ** 0.5
OF_B = (LENIENCE**2 + NOISE**2) ** 0.5
OF_PAIR = (TASTE**2 + 2 * NOISE**2) ** 0.5
BETWEEN = 0.5


def _chance(z: float) -> float:
    """P − (1 − P) of a normal value below z."""
    return 2 * NormalDist().cdf(z) - 1


SIDES = {
    "Hedges' g": (hedges_g, APART / ((OF_A**2 + OF_B**2) / 2) ** 0.5),
    "Cliff's δ": (cliffs_delta, _chance(APART / (OF_A**2 + OF_B**2) ** 0.5)),
}
PAIRS = {
    "d_z": (d_z, APART / OF_PAIR),
    # W₊ counts the pairs of differences whose sum is above 0.
    "rank-biserial": (rank_biserial, _chance(2**0.5 * APART / OF_PAIR)),
}


def _of_raters(dice: np.random.Generator, *, name: str, raters: int, each: int) -> Outcome | None:
    """Every rater judges both systems, and favours one to a degree of their own."""
    rater = np.repeat(np.arange(raters), each)
    lenience, taste = dice.normal(0, LENIENCE, raters), dice.normal(APART, TASTE, raters)
    a = (lenience + taste)[rater] + dice.normal(0, NOISE, len(rater))
    b = lenience[rater] + dice.normal(0, NOISE, len(rater))
    if name in PAIRS:
        effect, truth = PAIRS[name]
        # Pairs of one rater, so that lenience is no part of a difference.
        return outcome(effect(a, b, clusters=[rater]).interval, truth)
    effect, truth = SIDES[name]
    return outcome(effect(a, b, clusters_a=[rater], clusters_b=[rater]).interval, truth)


def _crossed(dice: np.random.Generator, *, raters: int, items: int) -> Outcome | None:
    """Raters with tastes judge items that suit one system; both are clusters."""
    rater, item = np.array(list(product(range(raters), range(items)))).T
    sides = [
        dice.normal(0, BETWEEN, raters)[rater]
        + dice.normal(0, BETWEEN, items)[item]
        + dice.normal(0, NOISE, len(rater))
        for _ in range(2)
    ]
    total = (2 * BETWEEN**2 + NOISE**2) ** 0.5
    found = hedges_g(sides[0] + APART, sides[1], clusters_a=[rater, item], clusters_b=[rater, item])
    return outcome(found.interval, APART / total)


def _separate(dice: np.random.Generator, *, small: int, large: int, each: int) -> Outcome | None:
    """Few clusters of one system, many of the other, none of both."""
    codes = [np.repeat(np.arange(small), each), small + np.repeat(np.arange(large), each)]
    sides = [
        dice.normal(0, BETWEEN, small + large)[code] + dice.normal(0, NOISE, len(code))
        for code in codes
    ]
    found = hedges_g(sides[0] + APART, sides[1], clusters_a=[codes[0]], clusters_b=[codes[1]])
    return outcome(found.interval, APART / (BETWEEN**2 + NOISE**2) ** 0.5)


POINTS = [
    *(
        Point(
            procedure=f"{name}, cluster jackknife",
            setting=f"{raters} raters × {each} for each system, raters differ",
            promise=promise,
            simulate=partial(_of_raters, name=name, raters=raters, each=each),
        )
        for name in (*SIDES, *PAIRS)
        for raters, each, promise in ((30, 8, "exact"), (8, 20, "conservative"))
    ),
    Point(
        procedure="Hedges' g, cluster jackknife",
        setting="20 raters × 30 items, crossed",
        promise="conservative",
        simulate=partial(_crossed, raters=20, items=30),
    ),
    Point(
        procedure="Hedges' g, cluster jackknife",
        setting="6 and 40 dialogues × 5, one system each",
        promise="conservative",
        simulate=partial(_separate, small=6, large=40, each=5),
    ),
]
