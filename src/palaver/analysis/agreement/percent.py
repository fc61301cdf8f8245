"""Percent agreement with an interval that has a width, also where few units were judged.

A bootstrap of units that all agree draws nothing but agreement, and its interval is a point. Bounds
of a share do not need to have seen disagreement.

L. Kish (1965), Survey sampling (design effects). E. L. Korn and B. I. Graubard (1998), Confidence
intervals for proportions with small expected number of positive counts estimated from survey data,
Survey Methodology 24, 193–201.
"""

from collections.abc import Sequence
from math import sqrt

from palaver.analysis import student
from palaver.analysis.agreement.patterns import Patterns
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np


def percents(patterns: Patterns, weights: Numbers) -> Numbers:
    """The share of pairs of values on one unit that are equal, for each row of `weights`.

    Every pair counts the same, so a unit with many raters counts more than one with two. Every
    pattern has two values or more.
    """
    with np.errstate(invalid="ignore"):
        found: Numbers = (weights @ patterns.alike()) / (
            weights @ (patterns.size * (patterns.size - 1))
        )
    return found


def percent_interval(
    patterns: Patterns, clusters: Sequence[Numbers] = (), *, confidence: float = 0.95
) -> Interval | None:
    """Wilson's interval of percent agreement, for these raters; None for fewer than two things.

    `clusters` has a code per kept unit, once per factor; without it units are drawn. With p the share,
    a_u of the w_u pairs of unit u equal, and G units or clusters g,

        V = G / (G − 1) · Σ_g (Σ_{u in g} (a_u − p w_u))² / (Σ w_u)²

    is the variance of p (several factors: their sum), and n = p (1 − p) / V how many independent pairs
    would be as sure: at most the pairs there are. It goes with the quantile of Student's t for G − 1.

    Where all pairs are equal (or none is) V says nothing. Then G units or clusters count as one trial
    each, and the bound is the exact one: a unit on which all agree has at most the chance p, so that G
    of them have at most p^G, and the lower end is ((1 − confidence) / 2)^(1/G).
    """
    unit_alike = patterns.alike()[patterns.of_unit]
    unit_pairs = (patterns.size * (patterns.size - 1))[patterns.of_unit]
    pairs, alike = float(unit_pairs.sum()), float(unit_alike.sum())
    factors = [np.unique(codes, return_inverse=True)[1] for codes in clusters]
    factors = factors or [np.arange(len(unit_pairs))]
    drawn = min(int(codes.max(initial=-1)) + 1 for codes in factors)
    if drawn < 2:
        return None
    if alike in (0.0, pairs):
        bound = ((1 - confidence) / 2) ** (1 / drawn)
        return Interval(bound, 1.0) if alike else Interval(0.0, 1 - bound)
    p = alike / pairs
    spread = unit_alike - p * unit_pairs
    variance = sum(_variance(np.bincount(codes, weights=spread)) for codes in factors) / pairs**2
    # `pairs` counts both orders of a pair.
    n = pairs / 2 if variance <= 0 else min(pairs / 2, p * (1 - p) / variance)
    return _wilson(p, n, student.quantile(confidence, drawn - 1))


def _variance(sums: Numbers) -> float:
    return len(sums) / (len(sums) - 1) * float(sums @ sums)


def _wilson(p: float, n: float, reach: float) -> Interval:
    scale = 1 + reach**2 / n
    centre = (p + reach**2 / (2 * n)) / scale
    half = reach * sqrt(p * (1 - p) / n + reach**2 / (4 * n**2)) / scale
    return Interval(centre - half, centre + half)
