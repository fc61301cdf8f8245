"""Agreement beyond chance: Cohen's κ, Fleiss' κ, Gwet's AC1 and AC2.

The weighted ones count two different values as agreement as far as they are close.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from palaver.analysis.agreement.patterns import Patterns
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

Closeness = Literal["identity", "linear", "quadratic"]
CLOSENESS: tuple[Closeness, ...] = get_args(Closeness)


def closeness_of(scores: Numbers | None, kind: Closeness, *, values: int) -> Numbers:
    """A matrix of values × values, 1 on the diagonal.

    With the scores x of the values and their range R, linear is 1 − |x_c − x_k| / R and quadratic
    1 − (x_c − x_k)² / R². Identity is 0 off the diagonal.

    >>> import numpy
    >>> closeness_of(numpy.array([1.0, 2.0, 3.0]), "linear", values=3).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    if kind not in CLOSENESS:
        raise InputError(f"Weights are identity, linear or quadratic; got '{kind}'.")
    if kind == "identity":
        return np.eye(values)
    if scores is None:
        raise InputError(f"The weights '{kind}' need values with an order; names have none.")
    apart = np.abs(scores[:, None] - scores[None, :])
    widest = apart.max(initial=0)
    share = apart / widest if widest > 0 else apart
    found: Numbers = 1 - (share if kind == "linear" else share**2)
    return found


@dataclass(frozen=True, slots=True)
class PairPatterns:
    """The distinct pairs of values that two raters gave to one unit, and how often each occurs.

    `of_unit` is the pair of each unit that is `kept`: those that both judged.
    """

    first: Numbers
    second: Numbers
    times: Numbers
    of_unit: Numbers
    kept: Numbers


def pair_patterns(first: Numbers, second: Numbers, *, values: int, kept: Numbers) -> PairPatterns:
    """The pairs of two raters' codes, one each per unit of `kept`, which both judged."""
    key, of_unit, times = np.unique(
        first * max(1, values) + second, return_inverse=True, return_counts=True
    )
    return PairPatterns(key // max(1, values), key % max(1, values), times, of_unit, kept)


def cohen_kappas(pairs: PairPatterns, weights: Numbers, closeness: Numbers) -> Numbers:
    """κ for each row of `weights`, which says how often each pair occurs; NaN where undefined.

    With p_ck the share of units to which the first rater gave c and the second k, p_c. and p_.k its
    sums over k and over c, and w the closeness of values (1 on the diagonal, and 0 elsewhere for the
    plain κ),

        κ = (P_o − P_e) / (1 − P_e),  P_o = Σ w_ck p_ck,  P_e = Σ w_ck p_c. p_.k

    Undefined where both raters gave one and the same value throughout (P_e = 1).

    J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20, 37–46. J. Cohen (1968), Weighted kappa, Psychological Bulletin 70, 213–220.
    """
    weights = weights.astype(float)
    n = weights.sum(axis=1)
    observed = weights @ closeness[pairs.first, pairs.second]
    ones, others = (
        _marginals(codes, weights, len(closeness)) for codes in (pairs.first, pairs.second)
    )
    together = ((ones @ closeness) * others).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 1 - n * (n - observed) / (n**2 - together)
    # Whole counts make these sums exact for the plain κ; a weighted one may differ by rounding.
    known: Numbers = np.where(n**2 - together > 1e-12 * n**2, found, np.nan)
    return known


def _marginals(codes: Numbers, weights: Numbers, values: int) -> Numbers:
    given = np.zeros((len(codes), values))
    given[np.arange(len(codes)), codes] = 1
    found: Numbers = weights @ given
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


def gwet_coefficients(
    patterns: Patterns, weights: Numbers, closeness: Numbers | None = None
) -> Numbers:
    """AC1, or AC2 with a matrix of `closeness`, for each row of `weights`; NaN where undefined.

    With q values on the scale, π_c the mean over units of the share of c among the unit's values,
    w the closeness, and r_ic the number of raters who gave c to unit i, r_i in all,

        AC = (P_o − P_e) / (1 − P_e),  P_e = Σ w / (q (q − 1)) · Σ_c π_c (1 − π_c)
        P_o = mean over units with r_i ≥ 2 of Σ_c r_ic (Σ_k w_ck r_ik − 1) / (r_i (r_i − 1))

    Units with one value count in π only. q counts the values of the scale, given or not. Undefined
    where no unit has two values, and where the scale has one value only. Unlike κ it stays calm
    where one answer is very frequent.

    K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement, British Journal of Mathematical and Statistical Psychology 61, 29–48. K. L. Gwet
    (2014), Handbook of inter-rater reliability, 4th edition, chapters 2 and 4.
    """
    weights = weights.astype(float)
    q = patterns.values
    if q < 2:
        return np.full(len(weights), np.nan)
    shares = category_shares(patterns, weights)
    together = float(q) if closeness is None else float(closeness.sum())
    expected = together / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = (unit_agreement(patterns, weights, closeness) - expected) / (1 - expected)
    return found
