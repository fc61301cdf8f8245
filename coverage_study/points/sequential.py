"""Looking while votes come in: whether anything false is ever said, over the whole course of a study.

`covered` means that the truth was left out at none of the looks. The fixed interval is there to show
what peeking does to it. Votes are drawn after Davidson's model; raters differ in taste, a few of them
are at work at any time, and their votes mix.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from coverage_study.design import CONFIDENCE, DEAR, Outcome, Point
from palaver.analysis.ranking.result import tallied
from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.asymptotic import asymptotic_path
from palaver.analysis.sequential.bernstein import bernstein_path
from palaver.analysis.sequential.betting import hedged_interval
from palaver.analysis.sequential.live import live_verdict
from palaver.analysis.sequential.stopping import should_stop
from palaver.analysis.sequential.strengths import LEAST_RATERS, LiveStrengths, fit_strengths
from palaver.analysis.sequential.verdicts import Moment, NoReadings, verdict
from palaver.analysis.student import quantile
from palaver.core.studies.stops import StoppingRule

TIE = 0.6
TASTE = 0.8
AT_WORK = 5
NAMES = ("a", "b", "c", "d")
RULE = StoppingRule(until="order", within=0.05)


def _peeked(dice: np.random.Generator, *, votes: int, kind: str) -> Outcome:
    """Independent votes of two equal systems, looked at after each."""
    won = dice.integers(2, size=votes).astype(float)
    if kind == "fixed":
        low, high = _wilson(np.cumsum(won), np.arange(1, votes + 1))
        covered = bool(((low <= 0.5) & (high >= 0.5)).all())
        return Outcome(covered, float(high[-1] - low[-1]))
    if kind == "betting":
        ends = hedged_interval(won)
        return Outcome(0.5 in ends, ends.high - ends.low)
    path = bernstein_path(won) if kind == "Bernstein" else asymptotic_path(won, best_at=100)
    low, high = float(path.low[-1]), float(path.high[-1])
    return Outcome(low <= 0.5 <= high, high - low)


def _wilson(wins: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's interval after each vote, as `proportions.wilson_interval` has it for one."""
    z = quantile(CONFIDENCE)
    centre = (wins + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(wins * (n - wins) / n + z**2 / 4)
    return centre - half, centre + half


def _order(dice: np.random.Generator, raters: int, each: int) -> np.ndarray:
    """The rater of each vote as time goes by."""
    rater = np.repeat(np.arange(raters), each)
    rater = rater[np.argsort(rater + AT_WORK * dice.random(len(rater)), kind="stable")]
    # Numbered as they come.
    first = np.unique(rater, return_index=True)[1]
    return np.argsort(np.argsort(first))[rater]


def _said(dice: np.random.Generator, lean: np.ndarray) -> np.ndarray:
    odds = np.column_stack([np.exp(lean / 2), np.exp(-lean / 2), np.full(len(lean), TIE)])
    edges = np.cumsum(odds, axis=1) / odds.sum(axis=1, keepdims=True)
    return (dice.random(len(lean))[:, None] > edges[:, :2]).sum(axis=1).astype(np.int8)


def _cast(dice: np.random.Generator, strengths: tuple[float, ...], raters: int, each: int) -> Votes:
    rater = _order(dice, raters, each)
    size, n = len(strengths), len(rater)
    own = np.array(strengths) + TASTE * dice.normal(size=(raters, size))
    first = dice.integers(size, size=n)
    second = (first + dice.integers(1, size, size=n)) % size
    return Votes(
        systems=NAMES[:size],
        first=first,
        second=second,
        outcome=_said(dice, own[rater, first] - own[rater, second]),
        both_bad=np.zeros(n, dtype=bool),
        clusters={"rater": rater},
    )


def _until(votes: Votes, n: int) -> Votes:
    """The first n votes."""
    return replace(
        votes,
        first=votes.first[:n],
        second=votes.second[:n],
        outcome=votes.outcome[:n],
        both_bad=votes.both_bad[:n],
        clusters={"rater": votes.clusters["rater"][:n]},
    )


def _two_equal(dice: np.random.Generator, *, raters: int, each: int, finished: bool) -> Outcome:
    """Two equal systems: whether any look, after each vote, tells them apart.

    With `finished` the votes of raters at work wait; without, they count as they come, and each look
    is at another sequence.
    """
    votes = _cast(dice, (0.0, 0.0), raters, each)
    if finished:
        # The sequence only grows, so that its last state knows of all looks.
        found = live_verdict(votes)
        ends = found.pairs[0].rate.interval
        return Outcome(not found.pairs[0].decided, ends.high - ends.low)
    width = 1.0
    for n in range(2 * each, len(votes) + 1):
        (pair,) = live_verdict(_until(votes, n)).pairs
        if pair.decided:
            return Outcome(False, width)
        width = pair.rate.interval.high - pair.rate.interval.low
    return Outcome(True, width)


def _several(
    dice: np.random.Generator,
    *,
    strengths: tuple[float, ...],
    raters: int,
    each: int,
    rule: StoppingRule | None = None,
) -> Outcome:
    """Three systems or more, looked at once per rater from 50 raters on."""
    votes = _cast(dice, strengths, raters, each)
    rater = votes.clusters["rater"]
    near = None
    width = float("nan")
    for n in range(LEAST_RATERS * each, len(votes) + 1, each):
        here = _until(votes, n)
        found = fit_strengths(here, rater[:n], near=near)
        near = found.centre
        said = verdict(_moment(here, found))
        false, width = _false(said, strengths)
        if false:
            return Outcome(False, width)
        if rule is not None and should_stop(rule, said):
            break
    return Outcome(True, width)


def _moment(votes: Votes, strengths: LiveStrengths) -> Moment:
    return Moment(
        names=votes.systems,
        votes=votes,
        tallies=tallied(votes),
        raters=int(votes.clusters["rater"].max()) + 1,
        strengths=strengths,
        readings=NoReadings(),
        waiting=0,
        within=RULE.within,
        confidence=CONFIDENCE,
    )


def _false(said: VoteVerdict, strengths: tuple[float, ...]) -> tuple[bool, float]:
    """Whether anything false is said of any pair, and how wide differences are.

    Strengths that raters of different taste shift are still equal where they were; those that differ
    do so by more than the margin.
    """
    truth = dict(zip(NAMES, strengths, strict=False))
    false, widths = False, []
    for pair in said.pairs:
        differ = truth[pair.higher] - truth[pair.lower]
        false |= (pair.decided and differ <= 0) or (pair.equal and differ != 0)
        if pair.difference.interval:
            widths.append(pair.difference.interval.high - pair.difference.interval.low)
    return false, float(np.mean(widths)) if widths else float("nan")


def _chosen(dice: np.random.Generator, *, raters: int, each: int, nearest: bool) -> Outcome:
    """Four equal systems; four votes of five go to the pair that looks nearest, or furthest apart."""
    rater = _order(dice, raters, each)
    size, n = 4, len(rater)
    own = TASTE * dice.normal(size=(raters, size))
    places = [(one, other) for one in range(size) for other in range(one + 1, size)]
    net, met = np.zeros(len(places)), np.zeros(len(places))
    first, second = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
    outcome = np.zeros(n, dtype=np.int8)
    sign = np.array([1.0, -1.0, 0.0])
    for vote in range(n):
        chosen = int(dice.integers(len(places)))
        if vote > 30 and dice.random() < 0.8:
            apart = np.abs(net) / np.sqrt(met + 1) + 1e-6 * dice.random(len(places))
            chosen = int(apart.argmin() if nearest else apart.argmax())
        first[vote], second[vote] = places[chosen]
        lean = own[rater[vote], first[vote]] - own[rater[vote], second[vote]]
        outcome[vote] = _said(dice, np.array([lean]))[0]
        net[chosen] += sign[outcome[vote]]
        met[chosen] += 1
    votes = Votes(NAMES, first, second, outcome, np.zeros(n, dtype=bool), {"rater": rater})
    near = None
    width = float("nan")
    for upto in range(LEAST_RATERS * each, n + 1, each):
        here = _until(votes, upto)
        found = fit_strengths(here, rater[:upto], near=near)
        near = found.centre
        false, width = _false(verdict(_moment(here, found)), (0.0,) * size)
        if false:
            return Outcome(False, width)
    return Outcome(True, width)


def _point(procedure: str, setting: str, promise: str, simulate: partial) -> Point:
    times = 1 if setting.endswith("has finished") else DEAR
    return Point(
        procedure=procedure, setting=setting, promise=promise, times=times, simulate=simulate
    )


ONE_BETTER = (0.9, 0.0, 0.0)

POINTS = [
    *(
        Point(
            procedure=f"win rate after every vote, {kind}",
            setting=f"{votes:,} independent votes, looked at after each",
            promise="short" if kind == "fixed" else "conservative",
            simulate=partial(_peeked, votes=votes, kind=kind),
        )
        for kind in ("fixed", "betting", "Bernstein", "asymptotic")
        for votes in (100, 300, 1000)
    ),
    *(
        _point(
            "two equal systems, betting by rater",
            f"{raters} raters × {each}, looked at whenever a rater has finished",
            "conservative",
            partial(_two_equal, raters=raters, each=each, finished=True),
        )
        for raters, each in ((15, 20), (60, 5), (300, 1))
    ),
    _point(
        "two equal systems, betting by rater",
        "15 raters × 20, looked at after each vote, raters at work included",
        "conservative",
        partial(_two_equal, raters=15, each=20, finished=False),
    ),
    *(
        _point(
            "strengths at any time",
            f"{what}, {raters} raters × {each}",
            "conservative",
            partial(_several, strengths=strengths, raters=raters, each=each),
        )
        for what, strengths, raters, each in (
            ("four equal systems", (0.0,) * 4, 200, 3),
            ("one better, two equal systems", ONE_BETTER, 200, 3),
            ("one better, two equal systems", ONE_BETTER, 60, 20),
            ("three equal systems", (0.0,) * 3, 400, 1),
        )
    ),
    *(
        _point(
            "strengths at any time",
            f"four equal systems, 100 raters × 5, the pair {how} is asked for most",
            "conservative",
            partial(_chosen, raters=100, each=5, nearest=how == "nearest"),
        )
        for how in ("nearest", "furthest apart")
    ),
    *(
        _point(
            "stopped by the rule (order, ±5 points)",
            f"{what}, at most 200 raters × 3",
            "conservative",
            partial(_several, strengths=strengths, raters=200, each=3, rule=RULE),
        )
        for what, strengths in (
            ("one better, two equal systems", ONE_BETTER),
            ("three equal systems", (0.0,) * 3),
        )
    ),
]
