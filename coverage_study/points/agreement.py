"""Agreement: α by units and by dialogues, percentile and BCa; κ; the F intervals of ICCs."""

from functools import cache, partial

import numpy as np

from coverage_study.design import CONFIDENCE, RESAMPLES, Outcome, Point, outcome, seed_of
from palaver.analysis.agreement import Agreement, Judgement, alpha_from_matrix
from palaver.analysis.agreement.cautions import FEW_DRAWN, cautions
from palaver.analysis.agreement.icc import Intraclass, intraclass
from palaver.analysis.agreement.kappas import cohen_kappas, pair_patterns
from palaver.analysis.agreement.ratings import read_judgements
from palaver.analysis.agreement.sampling import SamplingSettings, bootstrap, sampling_of

HUGE = 400_000


def names_given(
    dice: np.random.Generator, *, units: int, raters: int, chances: tuple[float, ...], skill: float
) -> np.ndarray:
    """Units × raters: each rater sees the unit's label with this skill, else says any by chance."""
    truth = dice.choice(len(chances), units, p=chances)
    guess = dice.choice(len(chances), (units, raters), p=chances)
    return np.where(dice.random((units, raters)) < skill, truth[:, None], guess)


def _warned(given: np.ndarray, found: Agreement, clusters: tuple[int, ...] = ()) -> bool:
    """Whether the command would warn of this table, not counting what it says of ICCs."""
    said = [
        Judgement(unit, rater, value)
        for unit, row in enumerate(given.tolist())
        for rater, value in enumerate(row)
    ]
    ratings = read_judgements(said, level=found.level)
    return bool(cautions(ratings, found, Intraclass({}, 0, 0, 0), clusters))


def _nominal(
    dice: np.random.Generator,
    *,
    units: int,
    raters: int,
    chances: tuple[float, ...],
    skill: float,
    method: str,
) -> Outcome | None:
    """Two raters agree beyond chance when both see the label: α is skill²."""
    given = names_given(dice, units=units, raters=raters, chances=chances, skill=skill)
    found = alpha_from_matrix(
        given, level="nominal", method=method, resamples=RESAMPLES, seed=seed_of(dice)
    )
    return outcome(found.interval, skill**2, warned=_warned(given, found))


def _kappa(
    dice: np.random.Generator, *, units: int, chances: tuple[float, ...], method: str
) -> Outcome | None:
    """Two raters with the same marginals: κ is skill²."""
    given = names_given(dice, units=units, raters=2, chances=chances, skill=0.8)
    pairs = pair_patterns(given[:, 0], given[:, 1], values=len(chances), kept=np.arange(units))
    same = np.eye(len(chances))
    (value,) = cohen_kappas(pairs, pairs.times[None, :], same)
    found = bootstrap(
        lambda weights: cohen_kappas(pairs, weights, same),
        float(value),
        sampling_of(pairs.of_unit, pairs.times),
        SamplingSettings(method=method, resamples=RESAMPLES, seed=seed_of(dice)),
    )
    return outcome(found.interval, 0.8**2, warned=units < FEW_DRAWN)


def _points(dice: np.random.Generator, units: int, raters: int) -> np.ndarray:
    """Five-point ratings of units that lie somewhere on a line."""
    line = dice.normal(0, 1, units)[:, None] + dice.normal(0, 0.7, (units, raters))
    return np.digitize(line, [-1.5, -0.5, 0.5, 1.5]) + 1


@cache
def _true_alpha(level: str) -> float:
    huge = _points(np.random.default_rng(0), HUGE, 5)
    return float(alpha_from_matrix(huge, level=level, resamples=0).alpha)


def _scale(
    dice: np.random.Generator, *, units: int, raters: int, level: str, method: str
) -> Outcome | None:
    given = _points(dice, units, raters)
    found = alpha_from_matrix(
        given,
        level=level,
        method=method,
        resamples=RESAMPLES,
        seed=seed_of(dice),
    )
    return outcome(found.interval, _true_alpha(level), warned=_warned(given, found))


def turns_of_dialogues(dice: np.random.Generator, dialogues: int, turns: int) -> np.ndarray:
    """Three raters of turns; dialogues differ in how often they go wrong and in how clear they are."""
    wrong = np.repeat(dice.beta(1, 2, dialogues), turns)
    clear = np.repeat(dice.beta(3, 1.5, dialogues), turns)
    truth = dice.random(dialogues * turns) < wrong
    guess = dice.random((dialogues * turns, 3)) < 0.4
    return np.where(dice.random((dialogues * turns, 3)) < clear[:, None], truth[:, None], guess)


@cache
def _true_turns() -> float:
    huge = turns_of_dialogues(np.random.default_rng(0), HUGE // 8, 8)
    return float(alpha_from_matrix(huge.astype(float), level="nominal", resamples=0).alpha)


def _by_dialogue(
    dice: np.random.Generator, *, dialogues: int, turns: int, method: str, respected: bool
) -> Outcome | None:
    given = turns_of_dialogues(dice, dialogues, turns).astype(float)
    clusters = [np.repeat(np.arange(dialogues), turns)] if respected else []
    found = alpha_from_matrix(
        given,
        level="nominal",
        clusters=clusters,
        method=method,
        resamples=RESAMPLES,
        seed=seed_of(dice),
    )
    sizes = (dialogues,) if respected else ()
    return outcome(found.interval, _true_turns(), warned=_warned(given, found, sizes))


def _icc(
    dice: np.random.Generator, *, units: int, raters: int, form: str, rater_sd: float
) -> Outcome | None:
    """Normal units with sd 1, raters with their own lenience, errors with sd 0.8."""
    own = dice.normal(0, 1, (units, 1))
    given = own + dice.normal(0, rater_sd, (1, raters)) + dice.normal(0, 0.8, (units, raters))
    found = intraclass(given, confidence=CONFIDENCE).forms[form]
    noise = 0.8**2 + (rater_sd**2 if form != "ICC(C,1)" else 0.0)
    return outcome(found.interval, 1 / (1 + noise), warned=bool(found.warnings))


EVEN, RARE = (0.5, 0.3, 0.2), (0.97, 0.03)

POINTS = [
    *(
        Point(
            procedure=f"α nominal, {method}",
            setting=f"{units} units × {raters} raters, {wording}",
            promise=promise,
            simulate=partial(
                _nominal, units=units, raters=raters, chances=chances, skill=0.8, method=method
            ),
        )
        for method in ("percentile", "bca")
        for units, raters, chances, wording, promise in (
            (50, 3, EVEN, "three labels", "exact"),
            (200, 5, EVEN, "three labels", "exact"),
            (10, 3, EVEN, "three labels", "short"),
            (100, 3, RARE, "a label of 3 %", "short"),
        )
    ),
    *(
        Point(
            procedure=f"α {level}, {method}",
            setting="60 units × 3 raters, five points",
            promise="exact",
            simulate=partial(_scale, units=60, raters=3, level=level, method=method),
        )
        for level in ("ordinal", "interval")
        for method in ("percentile", "bca")
    ),
    *(
        Point(
            procedure=f"α nominal, {method} by dialogue",
            setting=f"{dialogues} dialogues × 8 turns × 3 raters",
            promise=promise,
            simulate=partial(
                _by_dialogue, dialogues=dialogues, turns=8, method=method, respected=True
            ),
        )
        for method in ("percentile", "bca")
        for dialogues, promise in ((50, "exact"), (8, "short"))
    ),
    Point(
        procedure="α nominal, percentile",
        setting="50 dialogues × 8 turns × 3 raters, turns taken for independent",
        promise="short",
        simulate=partial(_by_dialogue, dialogues=50, turns=8, method="percentile", respected=False),
    ),
    *(
        Point(
            procedure=f"Cohen's κ, {method}",
            setting=f"{units} units, three labels",
            promise=promise,
            simulate=partial(_kappa, units=units, chances=EVEN, method=method),
        )
        for method in ("percentile", "bca")
        for units, promise in ((60, "exact"), (200, "exact"), (12, "short"))
    ),
    *(
        Point(
            procedure=f"{form}, F",
            setting=f"{units} units × {raters} raters, normal",
            promise="exact",
            simulate=partial(_icc, units=units, raters=raters, form=form, rater_sd=rater_sd),
        )
        for form, units, raters, rater_sd in (
            ("ICC(1)", 12, 4, 0.0),
            ("ICC(C,1)", 12, 4, 0.5),
            ("ICC(C,1)", 60, 3, 0.5),
            ("ICC(A,1)", 40, 8, 0.4),
        )
    ),
]
