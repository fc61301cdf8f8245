"""Rankings from votes: Bradley–Terry strengths by sandwich and bootstrap, and rank intervals."""

from functools import cache, partial

import numpy as np

from coverage_study.design import RESAMPLES, Outcome, Point, outcome, seed_of
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.votes import Votes

SYSTEMS = ("a", "b", "c", "d")
STRENGTHS = np.array([0.7, 0.2, -0.2, -0.7])
# Two of these are equal, so that a rank interval has to hold two ranks for each.
LEVEL_STRENGTHS = np.array([0.6, 0.0, 0.0, -0.6])
TIE = 0.6
# How far raters and dialogues differ in what they favour, as standard deviations of log strengths.
TASTE = 0.8
HUGE = 2_000_000
DRAWS = RESAMPLES // 2


def cast_votes(
    dice: np.random.Generator,
    strengths: np.ndarray,
    rater: np.ndarray,
    dialogue: np.ndarray,
    *,
    taste: tuple[float, float],
    pairs: np.ndarray | None = None,
) -> Votes:
    """Votes after Davidson's model, with strengths that raters and dialogues shift.

    Pairs are drawn evenly, or are those given, a row for each vote.
    """
    size, n = len(strengths), len(rater)
    if pairs is None:
        first = dice.integers(size, size=n)
        second = (first + dice.integers(1, size, size=n)) % size
    else:
        first, second = pairs.T
    own = strengths[None, :] + np.zeros((n, size))
    for codes, spread in zip((rater, dialogue), taste, strict=True):
        if spread:
            own = own + dice.normal(0, spread, (int(codes.max()) + 1, size))[codes]
    rows = np.arange(n)
    half = (own[rows, first] - own[rows, second]) / 2
    odds = np.column_stack([np.exp(half), np.exp(-half), np.full(n, TIE)])
    edges = np.cumsum(odds, axis=1) / odds.sum(axis=1, keepdims=True)
    return Votes(
        systems=tuple(f"{place:03}" for place in range(size)) if size > 4 else SYSTEMS[:size],
        first=first,
        second=second,
        outcome=(dice.random(n)[:, None] > edges[:, :2]).sum(axis=1).astype(np.int8),
        both_bad=np.zeros(n, dtype=bool),
        clusters={"rater": rater, "dialogue": dialogue},
    )


@cache
def true_strength(taste: tuple[float, float]) -> float:
    """What the model estimates of the first system when there are no end of raters and dialogues."""
    if not any(taste):
        return float(STRENGTHS[0])
    every = np.arange(HUGE)
    votes = cast_votes(np.random.default_rng(0), STRENGTHS, every, every, taste=taste)
    return bradley_terry(votes, interval=None).of("a").strength


def _strength(
    dice: np.random.Generator,
    *,
    raters: int,
    each: int,
    dialogues: int,
    taste: tuple[float, float],
    interval: str,
    clusters: tuple[str, ...],
) -> Outcome | None:
    rater = np.repeat(np.arange(raters), each)
    dialogue = _dense(dice.integers(dialogues, size=len(rater)))
    votes = cast_votes(dice, STRENGTHS, rater, dialogue, taste=taste)
    found = bradley_terry(
        votes, interval=interval, clusters=clusters, resamples=DRAWS, seed=seed_of(dice)
    )
    ends = found.of("a").interval
    return outcome(ends, true_strength(taste), warned=bool(found.warnings))


def _ranks(dice: np.random.Generator, *, votes: int, level: bool, interval: str) -> Outcome | None:
    """Whether every rank interval holds every rank that its system truly has."""
    strengths = LEVEL_STRENGTHS if level else STRENGTHS
    alone = np.arange(votes)
    cast = cast_votes(dice, strengths, alone, alone, taste=(0.0, 0.0))
    found = bradley_terry(cast, interval=interval, resamples=DRAWS, seed=seed_of(dice))
    widths, covered = [], True
    for name, strength in zip(SYSTEMS, strengths, strict=True):
        ends = found.of(name).rank_interval
        if ends is None:
            return None
        best = 1 + int((strengths > strength).sum())
        worst = len(strengths) - int((strengths < strength).sum())
        covered &= ends[0] <= best and worst <= ends[1]
        widths.append(ends[1] - ends[0])
    return Outcome(covered, float(np.mean(widths)), bool(found.warnings))


def _dense(codes: np.ndarray) -> np.ndarray:
    return np.unique(codes, return_inverse=True)[1]


def _point(
    interval: str,
    clusters: tuple[str, ...],
    raters: int,
    each: int,
    taste: tuple[float, float],
    promise: str,
    wording: str,
) -> Point:
    by = f" by {' and '.join(clusters)}" if clusters else ""
    return Point(
        procedure=f"Bradley–Terry, {interval}{by}",
        setting=wording,
        promise=promise,
        simulate=partial(
            _strength,
            raters=raters,
            each=each,
            dialogues=40,
            taste=taste,
            interval=interval,
            clusters=clusters,
        ),
    )


NONE, BY_RATER, BY_BOTH = (0.0, 0.0), (TASTE, 0.0), (TASTE, TASTE)
RATER, BOTH = ("rater",), ("rater", "dialogue")

POINTS = [
    *(
        _point(interval, clusters, raters, each, taste, promise, wording)
        for interval in ("sandwich", "bootstrap")
        for clusters, raters, each, taste, promise, wording in (
            ((), 300, 1, NONE, "exact", "300 independent votes, 4 systems"),
            ((), 1500, 1, NONE, "exact", "1,500 independent votes, 4 systems"),
            (RATER, 40, 15, BY_RATER, "exact", "40 raters × 15 votes, raters differ"),
            (RATER, 100, 6, BY_RATER, "exact", "100 raters × 6 votes, raters differ"),
            (BOTH, 40, 40, BY_BOTH, "conservative", "40 raters × 40 dialogues, both differ"),
            (RATER, 6, 60, BY_RATER, "short", "6 raters × 60 votes, raters differ"),
            ((), 40, 15, BY_RATER, "short", "40 raters × 15 votes, votes taken for independent"),
            ((), 24, 1, NONE, "short", "24 independent votes, 4 systems"),
        )
    ),
    *(
        Point(
            procedure=f"rank intervals, {interval}",
            setting=f"{votes} independent votes, {'two equal' if level else 'four unequal'} systems",
            promise="conservative",
            simulate=partial(_ranks, votes=votes, level=level, interval=interval),
        )
        for interval in ("sandwich", "bootstrap")
        for votes, level in ((300, True), (300, False))
    ),
]
