"""Cohen's κ of two raters, plain and weighted.

J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological
Measurement 20, 37–46. J. Cohen (1968), Weighted kappa, Psychological Bulletin 70, 213–220.
"""

from dataclasses import dataclass

from palaver.core.numeric import Numbers, np


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
