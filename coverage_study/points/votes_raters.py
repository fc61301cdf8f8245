"""Votes of raters who differ: false leaders, ranks of many systems, unequal work, win rates."""

from functools import cache, partial

import numpy as np

from coverage_study.design import Outcome, Point, outcome, seed_of
from coverage_study.points.votes import DRAWS, STRENGTHS, TASTE, TIE, cast_votes, true_strength
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.fixed import fixed_verdict

# How often a weak opponent is met by one of two equal systems, by the other, and they each other.
MET = np.array([0.65, 0.1, 0.25])
WEAK = np.array([0.5, 0.5, -1.0])


def _equal(
    dice: np.random.Generator, *, systems: int, sizes: tuple[int, ...], taste: float
) -> Outcome:
    """Whether none of equal systems is told apart from another; raters gave so many votes."""
    rater = np.repeat(np.arange(len(sizes)), sizes)
    votes = cast_votes(dice, np.zeros(systems), rater, rater, taste=(taste, 0.0))
    found = fixed_verdict(votes, resamples=DRAWS, seed=seed_of(dice))
    told = sum(pair.decided for pair in found.pairs)
    return Outcome(told == 0, float(told), bool(found.warnings))


def _opponents(dice: np.random.Generator, *, raters: int, each: int, taste: float) -> Outcome:
    """Whether two equal systems are not told apart though one met the weak one more often."""
    rater = np.repeat(np.arange(raters), each)
    pairs = np.array([[0, 2], [1, 2], [0, 1]])[dice.choice(3, size=len(rater), p=MET)]
    votes = cast_votes(dice, WEAK, rater, rater, taste=(taste, 0.0), pairs=pairs)
    found = fixed_verdict(votes, resamples=DRAWS, seed=seed_of(dice))
    told = any(p.decided for p in found.pairs if {p.higher, p.lower} == {"a", "b"})
    return Outcome(not told, float(told), bool(found.warnings))


def _unequal(dice: np.random.Generator, *, sizes: tuple[int, ...], interval: str) -> Outcome | None:
    """The interval of a strength where some raters gave many more votes than others."""
    rater = np.repeat(np.arange(len(sizes)), sizes)
    taste = (TASTE, 0.0)
    votes = cast_votes(dice, STRENGTHS, rater, rater, taste=taste)
    found = bradley_terry(
        votes, interval=interval, clusters=("rater",), resamples=DRAWS, seed=seed_of(dice)
    )
    return outcome(found.of("a").interval, true_strength(taste), warned=bool(found.warnings))


@cache
def _true_rate(apart: float, taste: float) -> float:
    """The win rate of a system so much stronger, over all raters."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    # Two systems, each with a taste of its own.
    half = (apart + np.sqrt(2) * taste * points) / 2
    rate = 0.5 + (np.exp(half) - np.exp(-half)) / (2 * (np.exp(half) + np.exp(-half) + TIE))
    return float((weights * rate).sum() / weights.sum())


def _rate(
    dice: np.random.Generator, *, sizes: tuple[int, ...], apart: float, taste: float
) -> Outcome | None:
    """The interval of a win rate of two systems."""
    rater = np.repeat(np.arange(len(sizes)), sizes)
    strengths = np.array([apart / 2, -apart / 2])
    votes = cast_votes(dice, strengths, rater, rater, taste=(taste, 0.0))
    found = fixed_verdict(votes, resamples=DRAWS, seed=seed_of(dice))
    rate = next(each.rate for each in found.systems if each.system == "a")
    return outcome(rate.interval, _true_rate(apart, taste), warned=bool(found.warnings))


# 30 raters of whom a few do most: from 60 votes down to 4.
SKEWED = tuple(max(4, round(60 / (1 + place / 3))) for place in range(30))
# One rater gave a third of all votes.
ONE_MOST = (120, *(12,) * 20)

POINTS = [
    *(
        Point(
            procedure="fixed verdict, nobody told apart",
            setting=f"{systems} equal systems, {raters} raters × {each} votes, taste {taste:g}",
            promise="conservative",
            simulate=partial(_equal, systems=systems, sizes=(each,) * raters, taste=taste),
        )
        for systems, raters, each, taste in (
            (2, 15, 20, 0.7),
            (4, 6, 20, 1.0),
            (3, 40, 12, 0.7),
            (10, 15, 30, 0.7),
            (20, 20, 38, 0.3),
            (20, 20, 38, 0.7),
            (20, 20, 38, 1.0),
        )
    ),
    *(
        Point(
            procedure="fixed verdict, nobody told apart",
            setting=f"4 equal systems, 15 raters, one gave 60 votes, the others 8, taste {taste:g}",
            promise="conservative",
            simulate=partial(_equal, systems=4, sizes=(60, *(8,) * 14), taste=taste),
        )
        for taste in (0.3, 1.0)
    ),
    Point(
        procedure="fixed verdict, nobody told apart",
        setting="two equal systems, one met a weak one more often, 20 raters × 30 votes, taste 0.5",
        promise="conservative",
        simulate=partial(_opponents, raters=20, each=30, taste=0.5),
    ),
    *(
        Point(
            procedure=f"Bradley–Terry, {interval} by rater",
            setting=setting,
            promise="conservative",
            simulate=partial(_unequal, sizes=sizes, interval=interval),
        )
        for interval in ("sandwich", "bootstrap")
        for sizes, setting in (
            (SKEWED, "30 raters with 60 to 6 votes, raters differ"),
            (ONE_MOST, "21 raters, one with a third of all votes, raters differ"),
        )
    ),
    *(
        Point(
            procedure="win rate by rater",
            setting=setting,
            promise=promise,
            simulate=partial(_rate, sizes=sizes, apart=apart, taste=taste),
        )
        for sizes, apart, taste, promise, setting in (
            ((20,) * 15, 0.0, 0.7, "exact", "15 raters × 20 votes, taste 0.7, equal systems"),
            ((20,) * 15, 1.5, 0.7, "exact", "15 raters × 20 votes, taste 0.7, 1.5 apart"),
            (
                SKEWED,
                0.5,
                0.7,
                "conservative",
                "30 raters with 60 to 6 votes, taste 0.7, 0.5 apart",
            ),
            ((20,) * 15, 0.5, 0.0, "conservative", "15 raters × 20 votes, no tastes, ties"),
        )
    ),
]
