"""Whether models differ in how often they are preferred, and whether they differ from people.

Two models are compared on the situations that both have: d is the difference of their scores there.
With one half added to each kind of disagreement (Agresti and Min), d̄ = Σd/(n + 2) has the variance
((Σd² + 1)/(n + 2) − d̄²)/(n + 2) plus what raters add: their tastes for each of the two, less twice
what both have in common where the same people judged both. The reference is Student's t with
Satterthwaite's degrees of freedom.

All pairs of models are adjusted together (Holm), because the best one is known only from the same
judgements: a model is worse than the best one beyond chance if it is so among all pairs.

A. Agresti and Y. Min (2005), Simple improved confidence intervals for comparing matched proportions,
Statistics in Medicine 24, 729–740.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from math import isnan, sqrt

from palaver.analysis.advice.intervals import (
    RaterPart,
    ScoreTastes,
    ShareInterval,
    score_tastes,
)
from palaver.analysis.advice.looks import ONCE, Looks
from palaver.analysis.advice.result import HUMAN_RATE, PreferenceTest
from palaver.analysis.advice.tastes import shared_tastes
from palaver.analysis.advice.votes import ModelVotes
from palaver.analysis.corrections import holm
from palaver.analysis.resampling import encode
from palaver.core.estimates import MISSING
from palaver.core.numeric import np
from palaver.core.situations import PEOPLE

NO_COMMON = "fewer than two situations were judged for both"


def against_people(
    rates: Mapping[str, ShareInterval], sizes: Mapping[str, int]
) -> dict[str, PreferenceTest]:
    """Whether each rate differs from one half, adjusted over all of them."""
    adjusted = holm([rate.p for rate in rates.values()])
    return {
        model: PreferenceTest(
            other=PEOPLE,
            difference=rate.value - HUMAN_RATE,
            low=rate.low - HUMAN_RATE,
            high=rate.high - HUMAN_RATE,
            p=rate.p,
            adjusted=p,
            situations=sizes[model],
        )
        for (model, rate), p in zip(rates.items(), adjusted, strict=True)
    }


def against_best(
    votes: Mapping[str, ModelVotes], best: str, *, level: float, looks: Looks = ONCE
) -> dict[str, PreferenceTest]:
    """Each model but the best one against it, adjusted over all pairs of models."""
    found = {
        (one, other): compare(votes[one], votes[other], name=other, level=level, looks=looks)
        for one, other in combinations(sorted(votes, key=lambda name: name == best), 2)
    }
    adjusted = holm([test.p for test in found.values()])
    return {
        one: replace(test, adjusted=p)
        for ((one, other), test), p in zip(found.items(), adjusted, strict=True)
        if other == best
    }


def compare(
    one: ModelVotes, other: ModelVotes, *, name: str, level: float, looks: Looks = ONCE
) -> PreferenceTest:
    """How much more often one model is preferred than another of that name, where both were judged."""
    mine, theirs = _on_common(one, other)
    n = mine.situations
    if n < 2:
        return PreferenceTest(
            other=name,
            difference=MISSING,
            low=MISSING,
            high=MISSING,
            p=MISSING,
            adjusted=MISSING,
            situations=n,
            reason=NO_COMMON,
        )
    apart = mine.scores - theirs.scores
    moved = float(apart.sum()) / (n + 2)
    base = ((float((apart**2).sum()) + 1) / (n + 2) - moved**2) / (n + 2)
    part = _rater_part(mine, theirs)
    error = sqrt(base + part.variance)
    degrees = part.degrees(base, n - 1)
    half = looks.reach(level, degrees, n) * error
    p = looks.p(moved / error, degrees, n, level=level)
    return PreferenceTest(
        other=name,
        difference=float(apart.mean()),
        low=MISSING if isnan(half) else max(-1.0, moved - half),
        high=MISSING if isnan(half) else min(1.0, moved + half),
        p=p,
        adjusted=p,
        situations=n,
    )


def _on_common(one: ModelVotes, other: ModelVotes) -> tuple[ModelVotes, ModelVotes]:
    """Both on the situations that both have, in the same order."""
    place = {name: n for n, name in enumerate(other.names)}
    kept = [n for n, name in enumerate(one.names) if name in place]
    others = [place[one.names[n]] for n in kept]
    return (
        one.of_situations(np.array(kept, dtype=np.intp)),
        other.of_situations(np.array(others, dtype=np.intp)),
    )


def _rater_part(one: ModelVotes, other: ModelVotes) -> RaterPart:
    """What raters add to the variance of the difference."""
    n = one.situations
    mine, theirs = score_tastes(one), score_tastes(other)
    part = mine.part(one, n) + theirs.part(other, n)
    together = _in_common(one, other, mine, theirs)
    return RaterPart(max(part.variance - 2 * together, 0.0), part.uncertainty)


def _in_common(one: ModelVotes, other: ModelVotes, mine: ScoreTastes, theirs: ScoreTastes) -> float:
    """The covariance of the two rates that comes from people who judged both models."""
    place = encode(_own_names(one, 0) + _own_names(other, 1)).codes
    raters = place[one.rater]
    others = place[len(one.rater_names) + other.rater]
    most = sqrt(mine.tastes.rater * theirs.tastes.rater)
    if most == 0:
        return 0.0
    shared = shared_tastes(one.chosen, other.chosen, raters, others)
    size = int(place.max()) + 1
    met = np.bincount(raters, minlength=size) @ np.bincount(others, minlength=size)
    scale = mine.decides * theirs.decides / one.situations**2
    return min(max(shared, -most), most) * float(met) * scale


def _own_names(votes: ModelVotes, side: int) -> list[object]:
    """Who judged; an anonymous judgement is nobody else's, in the other model least of all."""
    return [name if isinstance(name, str) else (side, name) for name in votes.rater_names]
