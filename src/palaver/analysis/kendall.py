"""Kendall's τ-b: how far two measures put the same things in the same order.

M. G. Kendall (1938), A new measure of rank correlation, Biometrika 30, 81–93. The asymptotic interval
is that of M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric statistical methods, 3rd
edition, section 8.3 (after N. I. Fligner and S. W. Rust, 1983).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from palaver.analysis.resampling import RESAMPLES, check_settings, count_draws, percentile_interval
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Estimate, Interval, html_table
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import plain

FEW = 10
ALL_TIED = "one of the two lists has the same value everywhere, so it puts nothing in order"
TWO_THINGS = "there are only two things to put in order"
IN_ORDER = "all pairs are in the same order, or all in the opposite one"
TOO_SHORT = "there are fewer than two things to put in order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kendall:
    """τ-b with its asymptotic interval, its bootstrap interval, and the p-value of τ = 0.

    `undefined` of the `resamples` had no τ, because everything drawn was tied.
    """

    tau: Estimate
    bootstrap: Interval | None = None
    p: float = MISSING
    resamples: int = 0
    undefined: int = 0

    def as_json(self) -> dict[str, Any]:
        """The parts by name; what is undefined is null."""
        return {
            "tau": self.tau.value,
            "asymptotic": self.tau.interval,
            "bootstrap": self.bootstrap,
            "p": self.p,
            "n": self.tau.n,
            "resamples": self.resamples,
            "undefined": self.undefined,
            "method": self.tau.method,
            "warnings": self.tau.warnings,
        } | ({"reason": self.tau.reason} if self.tau.reason else {})

    def _repr_html_(self) -> str:
        return html_table([plain(self)])


def kendall(
    x: Sequence[float],
    y: Sequence[float],
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
) -> Kendall:
    """τ-b between two lists of numbers about the same things, in the same order.

    With S = Σ_{i<j} sign(x_i − x_j) sign(y_i − y_j), P = n(n − 1)/2 pairs, and T_x, T_y the pairs
    tied in x and in y, τ-b = S / √((P − T_x)(P − T_y)). Undefined when either list is all ties.

    The asymptotic interval is τ ± z σ with

        σ² = 2 / (n(n − 1)) · [2(n − 2) / (n(n − 1)) · var(C) + 1 − τ²],
        C_i = Σ_{j≠i} sign(x_i − x_j) sign(y_i − y_j),

    var with divisor n − 1. It is not cut off at ±1: an end beyond 1 says that n is too small for it.
    The bootstrap interval is the middle of τ-b over `resamples` draws of the things with
    replacement. Two lists in the very same order, or the opposite one, have neither. p is scipy's: exact
    for small n without ties, else asymptotic.

    >>> found = kendall([1, 2, 3, 4, 5, 6], [1, 2, 4, 3, 6, 5])
    >>> round(found.tau.value, 4)
    0.7333
    """
    check_settings(resamples, confidence)
    one, other = _checked(x, y)
    n = len(one)
    if n < 2:
        return Kendall(tau=Estimate.undefined(TOO_SHORT, n=n))
    signs_x, signs_y = (np.sign(each[:, None] - each[None, :]) for each in (one, other))
    (tau,) = _taus(signs_x, signs_y, np.ones((1, n)))
    if tau != tau:
        return Kendall(tau=Estimate.undefined(ALL_TIED, n=n))
    draws = np.concatenate(
        [np.empty(0)]
        + [
            _taus(signs_x, signs_y, weights.astype(float))
            for weights in count_draws(np.ones(n), resamples=resamples, seed=seed)
        ]
    )
    ends = percentile_interval(draws, confidence=confidence)
    asymptotic = _asymptotic(float(tau), (signs_x * signs_y).sum(axis=1), confidence)
    return Kendall(
        tau=Estimate(
            value=float(tau),
            interval=asymptotic,
            n=n,
            reason="" if asymptotic else TWO_THINGS if n < 3 else IN_ORDER,
            method="τ-b; asymptotic interval, assumes that the ordered things are independent",
            warnings=_warnings(n),
        ),
        bootstrap=ends,
        p=float(stats.kendalltau(one, other).pvalue),
        resamples=resamples,
        undefined=int((~np.isfinite(draws)).sum()),
    )


def _checked(x: Sequence[float], y: Sequence[float]) -> tuple[Numbers, Numbers]:
    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if one.shape != other.shape or one.ndim != 1:
        raise InputError(
            f"Kendall's τ takes two lists of the same length; got {one.size} and {other.size}."
        )
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise InputError("Kendall's τ takes finite numbers; leave out what has no value.")
    return one, other


def _taus(signs_x: Numbers, signs_y: Numbers, weights: Numbers) -> Numbers:
    """τ-b for each row of `weights`, which says how often each thing occurs; NaN if all are tied.

    Copies of one thing are tied with each other in both lists, as signs of 0 already say.
    """
    both, in_x, in_y = (
        ((weights @ each) * weights).sum(axis=1)
        for each in (signs_x * signs_y, signs_x**2, signs_y**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = np.where(in_x * in_y > 0, both / np.sqrt(in_x * in_y), np.nan)
    return found


def _asymptotic(tau: float, agreeing: Numbers, confidence: float) -> Interval | None:
    n = len(agreeing)
    if n < 3:
        return None
    spread = 2 * (n - 2) / (n * (n - 1)) * float(agreeing.var(ddof=1))
    sigma = (2 / (n * (n - 1)) * (spread + 1 - tau**2)) ** 0.5
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    found = Interval(tau - z * sigma, tau + z * sigma)
    return None if found.is_a_point else found


def _warnings(n: int) -> tuple[str, ...]:
    if n >= FEW:
        return ()
    return (f"Only {n} things are put in order: neither interval is reliable.",)
