"""Shares and win rates: Wilson's interval."""

from functools import partial

import numpy as np

from coverage_study.design import Outcome, Point, outcome
from palaver.analysis.proportions import rare_share, wilson_interval
from palaver.analysis.win_rates import WinTally
from palaver.core.words import percent

# One interval takes microseconds.
CHEAP = 10


def _share(dice: np.random.Generator, *, n: int, truth: float | None) -> Outcome | None:
    p = float(dice.uniform()) if truth is None else truth
    successes = int(dice.binomial(n, p))
    return outcome(wilson_interval(successes, n), p, warned=bool(rare_share(successes, n)))


def _win_rate(dice: np.random.Generator, *, n: int, win: float, tie: float) -> Outcome | None:
    wins, ties, losses = (int(each) for each in dice.multinomial(n, [win, tie, 1 - win - tie]))
    return outcome(WinTally(wins, ties, losses).interval, win + tie / 2)


def _clustered_rate(
    dice: np.random.Generator, *, raters: int, each: int, spread: float
) -> Outcome | None:
    """Raters differ: each has a chance of their own, Beta-distributed around one half."""
    chances = dice.beta(spread, spread, raters)
    wins = int(dice.binomial(each, chances).sum())
    return outcome(WinTally(wins, 0, raters * each - wins).interval, 0.5)


POINTS = [
    *(
        Point(
            procedure="Wilson, share",
            setting=f"n = {n}, averaged over all true shares",
            promise="exact",
            simulate=partial(_share, n=n, truth=None),
            times=CHEAP,
        )
        for n in (10, 30, 100)
    ),
    *(
        Point(
            procedure="Wilson, share",
            setting=f"n = {n}, true share {truth}",
            promise="exact",
            simulate=partial(_share, n=n, truth=truth),
            times=CHEAP,
        )
        for n, truth in ((100, 0.5), (100, 0.1), (400, 0.02))
    ),
    Point(
        procedure="Wilson, share",
        setting="n = 20, true share 0.0085 (rare label, at the worst place)",
        promise="short",
        simulate=partial(_share, n=20, truth=0.0085),
        times=CHEAP,
    ),
    *(
        Point(
            procedure="Wilson, win rate with ties",
            setting=f"n = {n}, wins {percent(win, 0)}, ties {percent(tie, 0)}",
            promise="conservative",
            simulate=partial(_win_rate, n=n, win=win, tie=tie),
            times=CHEAP,
        )
        for n, win, tie in ((50, 0.5, 0.2), (200, 0.3, 0.4))
    ),
    Point(
        procedure="Wilson, win rate",
        setting="20 raters × 10 votes, raters differ, taken for independent",
        promise="short",
        simulate=partial(_clustered_rate, raters=20, each=10, spread=3.0),
        times=CHEAP,
    ),
]
