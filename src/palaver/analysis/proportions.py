"""The interval around a share of n: how sure one may be of a win rate."""

from math import sqrt

from palaver.analysis.student import quantile
from palaver.core.errors import InputError
from palaver.core.estimates import Interval

# With fewer successes, or failures, than these an interval of a share is rough.
FEW = 5


def wilson_interval(successes: float, n: int, *, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval for a proportion; None (undefined) when n is 0.

    With p = successes / n and z the (1 + confidence) / 2 quantile of the standard normal
    distribution, the ends are

        (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n),

    the two values of the true proportion that a score test at this confidence would just not
    reject. Unlike the textbook p ± z √(p(1 − p)/n) it stays within 0 and 1, is not a point when
    all or none succeed, and holds its coverage on average over the true proportion even for small
    n. There is no continuity correction. `successes` may be fractional: half a success for a tie.

    E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference,
    Journal of the American Statistical Association 22, 209–212. The example is 15 of 148 in
    R. G. Newcombe (1998), Statistics in Medicine 17, 857–872, table I, method 3.

    >>> interval = wilson_interval(15, 148)
    >>> f"{interval.low:.4f} to {interval.high:.4f}"
    '0.0624 to 0.1605'
    >>> wilson_interval(0, 0) is None
    True
    """
    if n < 0 or not 0 <= successes <= n:
        raise InputError(f"A proportion needs 0 ≤ successes ≤ n; got {successes} of {n}.")
    if not 0 < confidence < 1:
        raise InputError(f"A confidence must be between 0 and 1; got {confidence}.")
    if n == 0:
        return None
    return score_ends(successes / n, n, quantile(confidence))


def score_ends(share: float, size: float, errors: float) -> Interval:
    """Wilson's ends of a share of `size` independent things, `errors` standard errors to each side.

    Things that depend on each other are worth fewer: `size` is then their number divided by the
    design effect, and `errors` a quantile of Student's t.
    """
    square = errors * errors
    scale = 1 + square / size
    centre = (share + square / (2 * size)) / scale
    half = errors * sqrt(share * (1 - share) / size + square / (4 * size * size)) / scale
    # At the edges the formula gives 0 and 1 exactly; floating point does not.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Interval(low, high)


def binary_variance(share: float, n: float, *, confidence: float) -> float:
    """The variance of one thing of which `share` of n are: p̃(1 − p̃) at the centre p̃ of Wilson's
    interval, so that it is not 0 where all or none are."""
    square = quantile(confidence) ** 2
    centre = (share * n + square / 2) / (n + square)
    return centre * (1 - centre)


def rare_share(successes: float, n: int) -> str:
    """What to know of an interval of a share near 0 or 1; empty where there are five of each.

    Wilson's interval is right on average over all true shares. At single shares of a few in n it can
    hold the truth less often: 84 times in 100 at the worst place for n = 20.
    """
    if not n or min(successes, n - successes) >= FEW:
        return ""
    return (
        f"fewer than {FEW} of {n:,} differ from the rest: the interval of such a share may "
        f"contain the truth only 84 times in 100"
    )
