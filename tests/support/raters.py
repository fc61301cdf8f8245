"""Judgements for tests of agreement: published tables, and raters who see through noise."""

import numpy as np
from hypothesis import strategies

from palaver.analysis.agreement import Judgement

# K. Krippendorff (2011), Computing Krippendorff's alpha-reliability, sections C and D. K. L. Gwet
# takes the same table in his Handbook (2014) and in his package irrCAC (cac.raw4raters).
FOUR_OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def read(rows):
    """One string per rater, one character per unit; a dot is missing."""
    return [
        Judgement(unit, f"rater {rater}", int(value) if value.isdigit() else value)
        for rater, row in enumerate(rows)
        for unit, value in enumerate(row)
        if value != "."
    ]


def noisy(rng, *, units, raters, values, missing=0.0, keep=0.6):
    """Units × raters of numbers, NaN where missing: the unit's own value, or another at random."""
    own = rng.choice(values, (units, 1))
    given = np.where(rng.random((units, raters)) < keep, own, rng.choice(values, (units, raters)))
    given = given.astype(float)
    given[rng.random(given.shape) < missing] = np.nan
    return given


def judged(matrix):
    """A matrix of units × raters as judgements."""
    return [
        Judgement(unit, rater, float(value))
        for unit, row in enumerate(np.asarray(matrix, dtype=float))
        for rater, value in enumerate(row)
        if not np.isnan(value)
    ]


@strategies.composite
def matrices(draw, *, least=0, most=4, missing=True):
    """Small matrices of units × raters with whole numbers."""
    units = draw(strategies.integers(2, 12))
    raters = draw(strategies.integers(2, 4))
    value = strategies.integers(least, most).map(float)
    cell = value | strategies.just(float("nan")) if missing else value
    rows = strategies.lists(cell, min_size=raters, max_size=raters)
    return np.array(draw(strategies.lists(rows, min_size=units, max_size=units)))
