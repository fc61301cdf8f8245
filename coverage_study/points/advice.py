"""Advice of models against people: rates of situations that a few raters with tastes judged.

The chance that a rater prefers the model is logistic in a situation's own value and the rater's
taste, both normal. The true rate is that over all situations and raters, by quadrature.
"""

from functools import lru_cache, partial

import numpy as np
from scipy import optimize, special

from coverage_study.design import CONFIDENCE, DEAR, Outcome, Point, Promise, outcome
from palaver.analysis.advice.differences import against_best, against_people, compare
from palaver.analysis.advice.intervals import score_interval, score_tastes
from palaver.analysis.advice.looks import AT_ANY_TIME
from palaver.analysis.advice.votes import ModelVotes
from palaver.core.estimates import Interval

RATERS_EACH = 3
SITUATION_SD = 1.0
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@lru_cache
def intercept(rate: float, taste: float) -> float:
    """What makes a model preferred by two of three in this share of all situations."""

    def apart(value: float) -> float:
        chances = (
            special.expit(value + SITUATION_SD * _POINTS[:, None] + taste * _POINTS) @ _WEIGHTS
        )
        return float(_WEIGHTS @ (3 * chances**2 - 2 * chances**3)) - rate

    return float(optimize.brentq(apart, -15, 15))


def hand_out(
    dice: np.random.Generator, situations: int, raters: int, *, one_does_a_third: bool = False
) -> np.ndarray:
    """Three raters for each situation; the first of them may be the same one everywhere."""
    drawn = np.argsort(dice.random((situations, raters)), axis=1)[:, :RATERS_EACH]
    if one_does_a_third:
        drawn = np.argsort(dice.random((situations, raters - 1)), axis=1)[:, :RATERS_EACH] + 1
        drawn[:, 0] = 0
    return drawn


def judged(
    dice: np.random.Generator, raters: np.ndarray, logits: np.ndarray, tastes: np.ndarray
) -> ModelVotes:
    """What these raters say of a model, by the logit of each situation."""
    situations = len(raters)
    situation = np.repeat(np.arange(situations), RATERS_EACH)
    rater = raters.ravel()
    chances = special.expit(logits[situation] + tastes[rater])
    chosen = (dice.random(len(chances)) < chances).astype(float)
    names = [str(n) for n in range(situations)]
    who = [f"r{n}" for n in range(int(rater.max()) + 1)]
    return ModelVotes(names, who, {}, chosen, np.ones(len(chosen)), rater, situation)


def _rate(
    dice: np.random.Generator,
    *,
    situations: int,
    raters: int,
    taste: float,
    rate: float,
    uneven: bool = False,
    known: bool = True,
) -> Outcome | None:
    handed = hand_out(dice, situations, raters, one_does_a_third=uneven)
    logits = intercept(rate, taste) + dice.normal(0, SITUATION_SD, situations)
    votes = judged(dice, handed, logits, dice.normal(0, taste, raters))
    if not known:
        rows = np.arange(len(votes.chosen))
        votes = ModelVotes(
            votes.names, rows.tolist(), {}, votes.chosen, votes.weight, rows, votes.situation
        )
    found = score_interval(votes, score_tastes(votes), level=CONFIDENCE)
    return outcome(found.interval, rate)


def _equal_models(
    dice: np.random.Generator,
    models: int,
    *,
    situations: int,
    raters: int,
    taste: float,
    rate: float,
    alike: float,
) -> list[ModelVotes]:
    """Models that are equally good; `alike` is the correlation of raters' tastes for two of them."""
    value = intercept(rate, taste)
    common = dice.normal(0, taste, raters)
    shared = dice.normal(0, SITUATION_SD, situations)
    made = []
    for _ in range(models):
        own = dice.normal(0, taste, raters)
        mixed = np.sqrt(alike) * common + np.sqrt(1 - alike) * own
        about = np.sqrt(0.5) * shared + np.sqrt(0.5) * dice.normal(0, SITUATION_SD, situations)
        made.append(judged(dice, hand_out(dice, situations, raters), value + about, mixed))
    return made


def _difference(dice: np.random.Generator, **setting: float) -> Outcome | None:
    one, other = _equal_models(dice, 2, **setting)  # type: ignore[arg-type]
    test = compare(one, other, name="other", level=CONFIDENCE)
    return outcome(Interval(test.low, test.high), 0.0)


def _findings(dice: np.random.Generator, **setting: float) -> Outcome | None:
    """Whether any of five equal models is found to be worse than the one that looks best."""
    votes = {
        str(n): each
        for n, each in enumerate(_equal_models(dice, 5, **setting))  # type: ignore[arg-type]
    }
    best = max(votes, key=lambda name: float(votes[name].scores.mean()))
    found = against_best(votes, best, level=CONFIDENCE)
    widest = max(test.high - test.low for test in found.values())
    return Outcome(not any(test.is_significant() for test in found.values()), widest)


def _watched(
    dice: np.random.Generator,
    *,
    models: int,
    situations: int,
    raters: int,
    taste: float,
    alike: float,
) -> Outcome | None:
    """Whether any verdict was false at any look: after every ten situations, models equal to people."""
    votes = _equal_models(
        dice, models, situations=situations, raters=raters, taste=taste, rate=0.5, alike=alike
    )
    wrong, width = False, 0.0
    for judged_so_far in range(10, situations + 1, 10):
        kept = np.arange(judged_so_far)
        seen = {str(n): each.of_situations(kept) for n, each in enumerate(votes)}
        rates = {
            name: score_interval(each, score_tastes(each), level=CONFIDENCE, looks=AT_ANY_TIME)
            for name, each in seen.items()
        }
        people = against_people(rates, dict.fromkeys(rates, judged_so_far))
        best = max(seen, key=lambda name: rates[name].value)
        others = against_best(seen, best, level=CONFIDENCE, looks=AT_ANY_TIME)
        wrong |= any(test.is_significant() for test in (*people.values(), *others.values()))
        width = rates[best].high - rates[best].low
    return Outcome(not wrong, width)


def _point(promise: Promise = "conservative", **setting: float | bool) -> Point:
    words = (
        f"{setting['situations']} situations × 3 of {setting['raters']} raters, "
        f"taste {setting['taste']}, rate {setting['rate']}"
    )
    words += ", one did a third" if setting.get("uneven") else ""
    words += ", raters ignored" if not setting.get("known", True) else ""
    return Point(
        procedure="advice, preference rate",
        setting=words,
        promise=promise,
        simulate=partial(_rate, **setting),  # type: ignore[arg-type]
    )


POINTS = [
    *(
        _point(situations=200, raters=raters, taste=taste, rate=rate)
        for raters in (12, 30, 60, 300)
        for taste in (0, 0.5, 1)
        for rate in (0.04, 0.14, 0.4)
    ),
    *(
        _point(situations=40, raters=raters, taste=taste, rate=rate)
        for raters in (12, 60)
        for taste in (0, 1)
        for rate in (0.04, 0.14, 0.4)
    ),
    *(
        _point(situations=200, raters=30, taste=taste, rate=rate, uneven=True)
        for taste in (0, 0.5, 1)
        for rate in (0.04, 0.14, 0.4)
    ),
    _point(promise="short", situations=200, raters=12, taste=1, rate=0.4, known=False),
    *(
        Point(
            procedure="advice, difference of rates",
            setting=(
                f"{situations} situations × 3 of {raters} raters, equal models, taste {taste} "
                f"(correlation {alike}), rate {rate}"
            ),
            promise="conservative",
            simulate=partial(
                _difference,
                situations=situations,
                raters=raters,
                taste=taste,
                rate=rate,
                alike=alike,
            ),
        )
        for situations, raters, taste, alike, rate in (
            (200, 12, 0.5, 0.5, 0.14),
            (200, 12, 1, 0.5, 0.4),
            (200, 12, 1, 0, 0.14),
            (200, 12, 1, 1, 0.4),
            (200, 30, 1, 0.5, 0.04),
            (200, 60, 0.5, 0.5, 0.4),
            (40, 12, 1, 0.5, 0.14),
            (200, 300, 0, 0, 0.04),
        )
    ),
    *(
        Point(
            procedure="advice, no false verdict at any look",
            setting=(
                f"{models} models equal to people, looked at after every 10 of 200 situations × 3 of "
                f"{raters} raters, taste {taste} (correlation 0.5)"
            ),
            promise="conservative",
            times=DEAR,
            simulate=partial(
                _watched, models=models, situations=200, raters=raters, taste=taste, alike=0.5
            ),
        )
        for models, raters, taste in ((1, 30, 0.5), (3, 12, 1), (3, 60, 0))
    ),
    *(
        Point(
            procedure="advice, no finding against the best",
            setting=(
                f"5 equal models, 200 situations × 3 of {raters} raters, taste {taste} "
                f"(correlation 0.5), rate {rate}"
            ),
            promise="conservative",
            simulate=partial(
                _findings, situations=200, raters=raters, taste=taste, rate=rate, alike=0.5
            ),
        )
        for raters, taste, rate in ((12, 1, 0.14), (30, 0.5, 0.4), (60, 0, 0.04))
    ),
]
