"""Agreement for raters like these, who are drawn anew in each study; percent agreement of few units."""

from functools import cache, partial

import numpy as np

from coverage_study.design import CONFIDENCE, RESAMPLES, Outcome, Point, outcome, seed_of
from coverage_study.points.agreement import EVEN, HUGE, names_given, turns_of_dialogues
from palaver.analysis.agreement import alpha_from_matrix
from palaver.analysis.agreement.patterns import collapse
from palaver.analysis.agreement.percent import percent_interval, percents
from palaver.analysis.agreement.rater_draws import Said, rater_intervals


def _drawn_names(
    dice: np.random.Generator, units: int, raters: int, *, anew: bool = False
) -> np.ndarray:
    """Three labels; raters differ in how often they see the label and in what they guess else.

    With `anew` each cell has a rater of its own.
    """
    people = (units, raters) if anew else (1, raters)
    skill, habit = dice.beta(6, 2, people), dice.dirichlet((5, 3, 2), people).cumsum(axis=2)
    truth = dice.choice(3, units, p=(0.5, 0.3, 0.2))
    guess = (dice.random((units, raters, 1)) > habit[:, :, :2]).sum(axis=2)
    return np.where(dice.random((units, raters)) < skill, truth[:, None], guess)


def _drawn_points(
    dice: np.random.Generator, units: int, raters: int, *, anew: bool = False
) -> np.ndarray:
    """Five points; raters differ in how lenient and in how careful they are."""
    people = (units, raters) if anew else (1, raters)
    lenience, care = dice.normal(0, 0.5, people), np.exp(dice.normal(0, 0.3, people))
    line = (
        dice.normal(0, 1, (units, 1)) + lenience + 0.7 * care * dice.normal(0, 1, (units, raters))
    )
    return np.digitize(line, [-1.5, -0.5, 0.5, 1.5])


DRAWN = {"nominal": _drawn_names, "ordinal": _drawn_points}


@cache
def _drawn_truth(level: str, coefficient: str) -> float:
    """The coefficient of so many raters that nobody judges twice."""
    huge = DRAWN[level](np.random.default_rng(0), HUGE, 3, anew=True)
    if coefficient == "alpha":
        return float(alpha_from_matrix(huge, level=level, resamples=0).alpha)
    return float((huge[:, 0] == huge[:, 1]).mean())


def _drawn_raters(
    dice: np.random.Generator,
    *,
    level: str,
    units: int,
    raters: int,
    per_unit: int | None = None,
    draw: str = "raters",
    coefficient: str = "alpha",
) -> Outcome | None:
    """Raters are drawn anew in each study; each unit has all of them, or so many."""
    given = DRAWN[level](dice, units, raters).astype(float)
    if per_unit is not None:
        given[dice.random(given.shape).argsort(axis=1).argsort(axis=1) >= per_unit] = np.nan
    truth = _drawn_truth(level, coefficient)
    if coefficient == "alpha":
        found = alpha_from_matrix(
            given, level=level, method="bca", draw=draw, resamples=RESAMPLES, seed=seed_of(dice)
        )
        # The command says with every such interval that it is for these raters.
        return outcome(found.interval, truth, warned=draw == "units")
    rows = np.where(np.isnan(given), -1, given).astype(int)
    patterns = collapse(rows, values=int(rows.max()) + 1, least=2)
    unit, rater = np.nonzero(rows >= 0)
    (drawn,) = rater_intervals(
        [(percents, float(percents(patterns, patterns.times[None, :])[0]))],
        patterns,
        Said(unit, rater, rows[unit, rater]),
        [],
        confidence=CONFIDENCE,
        least=2,
        shares=[True],
    )
    return outcome(drawn.interval, truth)


def _percent(
    dice: np.random.Generator, *, units: int, raters: int, skill: float, turns: int = 1
) -> Outcome | None:
    """Percent agreement of few units; with several turns a dialogue, whole dialogues are drawn."""
    if turns > 1:
        given = turns_of_dialogues(dice, units, turns).astype(float)
        truth = _true_percent_of_turns()
    else:
        given = names_given(dice, units=units, raters=raters, chances=EVEN, skill=skill).astype(
            float
        )
        truth = skill**2 + (1 - skill**2) * sum(chance**2 for chance in EVEN)
    rows = given.astype(int)
    patterns = collapse(rows, values=int(rows.max()) + 1, least=2)
    clusters = [np.repeat(np.arange(units), turns)] if turns > 1 else []
    return outcome(percent_interval(patterns, clusters, confidence=CONFIDENCE), truth)


@cache
def _true_percent_of_turns() -> float:
    huge = turns_of_dialogues(np.random.default_rng(0), HUGE // 8, 8)
    return float((huge[:, 0] == huge[:, 1]).mean())


POINTS = [
    *(
        Point(
            procedure=f"{name} {level}, raters drawn",
            setting=f"{units} units × {wording}, drawn anew",
            promise="conservative",
            simulate=partial(
                _drawn_raters,
                level=level,
                units=units,
                raters=raters,
                per_unit=per_unit,
                coefficient=coefficient,
            ),
        )
        for level in ("nominal", "ordinal")
        for coefficient, name in (("alpha", "α"), ("percent", "percent agreement"))
        for raters, per_unit, wording in (
            (3, None, "3 raters"),
            (5, None, "5 raters"),
            (10, None, "10 raters"),
            (12, 3, "3 of 12 raters"),
        )
        for units in (50, 200)
    ),
    *(
        Point(
            procedure=f"α {level}, BCa for these raters",
            setting=f"200 units × {raters} raters, drawn anew",
            promise="short",
            simulate=partial(_drawn_raters, level=level, units=200, raters=raters, draw="units"),
        )
        for level in ("nominal", "ordinal")
        for raters in (3, 10)
    ),
    *(
        Point(
            procedure="percent agreement, Wilson",
            setting=f"{units} units × {raters} raters, three labels, {wording}",
            promise=promise,
            simulate=partial(_percent, units=units, raters=raters, skill=skill),
        )
        for units, raters, skill, wording, promise in (
            (3, 2, 0.8, "76 % agree", "conservative"),
            (10, 3, 0.8, "76 % agree", "conservative"),
            (10, 3, 0.98, "97 % agree", "conservative"),
            (50, 3, 0.8, "76 % agree", "exact"),
            (50, 3, 0.98, "97 % agree", "conservative"),
            (200, 5, 0.8, "76 % agree", "exact"),
        )
    ),
    *(
        Point(
            procedure="percent agreement, Wilson by dialogue",
            setting=f"{dialogues} dialogues × 8 turns × 3 raters",
            promise="exact",
            simulate=partial(_percent, units=dialogues, raters=3, skill=0.8, turns=8),
        )
        for dialogues in (8, 50)
    ),
]
