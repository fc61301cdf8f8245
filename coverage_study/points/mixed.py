"""Mixed models with random slopes: raters with tastes, items that suit one system, few raters."""

from functools import partial
from itertools import product

import numpy as np

from coverage_study.design import CONFIDENCE, Outcome, Point, outcome
from palaver.analysis.mixed import linear_mixed, ordinal_mixed

SYSTEMS = ("a", "b")
RATER_SD, ITEM_SD, RESIDUAL_SD = 0.5, 0.5, 0.8
# Where the ordinal scale cuts the hidden numbers.
CUTS = (-1.2, -0.4, 0.4, 1.2)


def _crossed(
    dice: np.random.Generator, raters: int, items: int, taste: float, suits: float
) -> tuple[np.ndarray, list[str], dict[str, list[int]]]:
    """Every rater judges every item of two equal systems once.

    `taste` is the deviation of how much a rater favours one system, `suits` that of what an item adds
    to one system.
    """
    cells = np.array(list(product(range(raters), range(items), range(2))))
    rater, item, system = cells.T
    values = RATER_SD * dice.normal(size=raters)[rater] + ITEM_SD * dice.normal(size=items)[item]
    values += taste / 2**0.5 * dice.normal(size=(raters, 2))[rater, system]
    values += suits * dice.normal(size=(items, 2))[item, system]
    values += RESIDUAL_SD * dice.normal(size=len(values))
    factors = {"rater": rater.tolist(), "item": item.tolist()}
    return values, [SYSTEMS[each] for each in system], factors


def _apart(
    dice: np.random.Generator, *, raters: int, items: int, taste: float, suits: float, ordinal: bool
) -> Outcome | None:
    values, systems, factors = _crossed(dice, raters, items, taste, suits)
    if ordinal:
        steps = np.digitize(values, CUTS)
        found = ordinal_mixed(steps, systems, factors, confidence=CONFIDENCE)
    else:
        found = linear_mixed(values, systems, factors, confidence=CONFIDENCE)
    return outcome(found.contrasts[0].difference.interval, 0.0, warned=bool(found.warnings))


def _point(
    raters: int, items: int, taste: float, suits: float, promise: str, *, ordinal: bool = False
) -> Point:
    setting = f"{raters} raters × {items} items, taste {taste}"
    if suits:
        setting += ", items suit systems" + (" as much as they vary" if suits == ITEM_SD else "")
    return Point(
        procedure="ordinal mixed model" if ordinal else "linear mixed model",
        setting=setting,
        promise=promise,
        times=0.5 if ordinal else 1,
        simulate=partial(
            _apart, raters=raters, items=items, taste=taste, suits=suits, ordinal=ordinal
        ),
    )


POINTS = [
    _point(20, 30, 0.2, 0.0, "exact"),
    _point(20, 30, 0.3, 0.0, "exact"),
    _point(20, 30, 0.2, ITEM_SD, "exact"),
    _point(20, 30, 0.0, 0.0, "conservative"),
    _point(5, 30, 0.3, 0.0, "conservative"),
    _point(5, 30, 0.3, ITEM_SD, "conservative"),
    _point(10, 20, 0.3, 0.2, "conservative", ordinal=True),
    _point(5, 20, 0.3, 0.2, "conservative", ordinal=True),
]
