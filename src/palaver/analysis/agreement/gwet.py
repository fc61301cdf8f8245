"""Gwet's AC1 and AC2: agreement beyond chance that stays calm where one answer is very frequent.

K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
agreement, British Journal of Mathematical and Statistical Psychology 61, 29–48. K. L. Gwet (2014),
Handbook of inter-rater reliability, 4th edition, chapters 2 and 4.
"""

from palaver.analysis.agreement.fleiss import category_shares, unit_agreement
from palaver.analysis.agreement.patterns import Patterns
from palaver.core.numeric import Numbers, np


def gwet_coefficients(
    patterns: Patterns, weights: Numbers, closeness: Numbers | None = None
) -> Numbers:
    """AC1, or AC2 with a matrix of `closeness`, for each row of `weights`; NaN where undefined.

    With q values on the scale, π_c the mean over units of the share of c among the unit's values,
    w the closeness, and r_ic the number of raters who gave c to unit i, r_i in all,

        AC = (P_o − P_e) / (1 − P_e),  P_e = Σ w / (q (q − 1)) · Σ_c π_c (1 − π_c)
        P_o = mean over units with r_i ≥ 2 of Σ_c r_ic (Σ_k w_ck r_ik − 1) / (r_i (r_i − 1))

    Units with one value count in π only. q counts the values of the scale, given or not. Undefined
    where no unit has two values, and where the scale has one value only.
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
