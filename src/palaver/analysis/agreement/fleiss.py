"""Percent agreement, and Fleiss' κ for any number of raters, also where it differs by unit."""

from palaver.analysis.agreement.patterns import Patterns
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


def fleiss_kappas(patterns: Patterns, weights: Numbers) -> Numbers:
    """Fleiss' κ for each row of `weights`; NaN where undefined.

    With r_i values on unit i, of which r_ic are c,

        κ = (P_o − P_e) / (1 − P_e),  P_e = Σ_c π_c²,  π_c = mean over units of r_ic / r_i
        P_o = mean over the units with r_i ≥ 2 of Σ_c r_ic (r_ic − 1) / (r_i (r_i − 1))

    Where every unit has the same number of raters this is Fleiss (1971). Where it differs, it is the
    generalisation of Gwet (2014), chapter 2: every unit counts the same in P_o and in π, and a unit
    with one value adds to π only. Undefined where no unit has two values, and where all values are
    the same (P_e = 1).

    J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin
    76, 378–382. K. L. Gwet (2014), Handbook of inter-rater reliability, 4th edition.
    """
    weights = weights.astype(float)
    shares = category_shares(patterns, weights)
    expected = (shares**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (unit_agreement(patterns, weights) - expected) / (1 - expected)
    # One category alone has the share 1 exactly, whatever the rounding of the others.
    several: Numbers = np.where((shares > 0).sum(axis=1) > 1, found, np.nan)
    return several


def category_shares(patterns: Patterns, weights: Numbers) -> Numbers:
    """Samples × values: π, the mean over units of each value's share of the unit's values."""
    with np.errstate(invalid="ignore"):
        found: Numbers = (
            patterns.marginals(weights, 1 / patterns.size) / weights.sum(axis=1)[:, None]
        )
    return found


def unit_agreement(
    patterns: Patterns, weights: Numbers, closeness: Numbers | None = None
) -> Numbers:
    """P_o, the mean over units of the share of a unit's pairs that are equal.

    With `closeness`, a matrix of values × values, a pair counts as much as its two values are close.
    """
    pairs = patterns.size * (patterns.size - 1)
    if closeness is None:
        together = patterns.alike()
    else:
        together = patterns.paired(lambda one, other: closeness[one, other])
    per_pattern = np.where(pairs > 0, together / np.where(pairs > 0, pairs, 1), 0)
    with np.errstate(invalid="ignore"):
        found: Numbers = (weights @ per_pattern) / (weights @ (pairs > 0))
    return found
