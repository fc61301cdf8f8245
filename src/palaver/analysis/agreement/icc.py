"""Intraclass correlations: how much of the variance of numbers is due to the units.

K. O. McGraw and S. P. Wong (1996), Forming inferences about some intraclass correlation coefficients,
Psychological Methods 1, 30–46 (with the correction in the same volume, 390). P. E. Shrout and
J. L. Fleiss (1979), Intraclass correlations, Psychological Bulletin 86, 420–428, who call ICC(1),
ICC(A,1) and ICC(C,1) by the names (1,1), (2,1) and (3,1).
"""

import math
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval, html_table
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import plain

METHOD = (
    "F interval of McGraw and Wong (1996): units are independent draws from a normal distribution"
)
TOO_FEW = "it needs two units that the same two or more raters all judged"
NO_SPREAD = "the numbers do not differ, so there is no variance to divide"
# Why there is no interval although there is a value.
NO_ERROR = "raters differ by a constant at most, so that no error is left to go by"
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Variances:
    """The mean squares of a table of `units` × `raters`: between units (`rows`), between raters
    (`columns`), what is left of both (`error`), and within units (`within`)."""

    units: int
    raters: int
    rows: float
    columns: float
    error: float
    within: float


@dataclass(frozen=True, slots=True)
class Intraclass:
    """The six forms by name; `left_out` units lack a rater and could not be used."""

    forms: dict[str, Estimate]
    units: int
    raters: int
    left_out: int

    def _repr_html_(self) -> str:
        return html_table([{"form": name, **plain(form)} for name, form in self.forms.items()])


FORMS = ("ICC(1)", "ICC(A,1)", "ICC(C,1)", "ICC(k)", "ICC(A,k)", "ICC(C,k)")


def intraclass(matrix: Any, *, confidence: float = 0.95) -> Intraclass:
    """The intraclass correlations of a matrix of units × raters, NaN where a value is missing.

    From the analysis of variance of the n units that all k raters judged, with the mean squares R of
    units, C of raters, E of the rest, and W within units:

        ICC(1)   = (R − W) / (R + (k − 1) W)                         any raters, other ones per unit
        ICC(A,1) = (R − E) / (R + (k − 1) E + k (C − E) / n)         the same raters; they must agree
        ICC(C,1) = (R − E) / (R + (k − 1) E)                         the same raters; order suffices

    and for the mean of k raters (R − W) / R, (R − E) / (R + (C − E) / n) and (R − E) / R. Whether
    raters are a sample of raters (random) or all there are (mixed) does not change the numbers. The
    intervals are for raters like these, drawn anew.

    Units that lack a rater are left out and counted. Undefined for fewer than two units or raters,
    and where the numbers do not differ.

    >>> judges = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(form.value, 2) for form in intraclass(judges).forms.values()]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    if not 0 < confidence < 1:
        raise InputError(f"A confidence must be between 0 and 1; got {confidence}.")
    table = np.asarray(matrix, dtype=float)
    if table.ndim != 2:
        raise InputError(f"A matrix of units × raters has two dimensions; got {table.ndim}.")
    complete = table[~np.isnan(table).any(axis=1)]
    units, raters = complete.shape
    left_out = int((~np.isnan(table)).any(axis=1).sum()) - units
    if units < 2 or raters < 2:
        forms = {name: Estimate.undefined(TOO_FEW, n=units) for name in FORMS}
        return Intraclass(forms, units, raters, left_out)
    found = variances(complete)
    return Intraclass(_forms(found, confidence), units, raters, left_out)


def variances(table: Numbers) -> Variances:
    """The two-way analysis of variance of a complete table of units × raters."""
    n, k = table.shape
    centred = table - table.mean()
    total = float((centred**2).sum())
    between = float(k * (centred.mean(axis=1) ** 2).sum())
    raters = float(n * (centred.mean(axis=0) ** 2).sum())
    scale = ROUNDING * float((table**2).sum())
    rest = total - between - raters
    within = total - between
    return Variances(
        units=n,
        raters=k,
        rows=_beyond(between, scale) / (n - 1),
        columns=_beyond(raters, scale) / (k - 1),
        error=_beyond(rest, scale) / ((n - 1) * (k - 1)),
        within=_beyond(within, scale) / (n * (k - 1)),
    )


def _beyond(squares: float, scale: float) -> float:
    return squares if squares > scale else 0.0


def _forms(v: Variances, confidence: float) -> dict[str, Estimate]:
    n, k = v.units, v.raters
    upper = (1 + confidence) / 2
    absolute = v.rows + (k - 1) * v.error + k * (v.columns - v.error) / n
    singles = {
        "1": (v.rows - v.within, v.rows + (k - 1) * v.within),
        "A": (v.rows - v.error, absolute),
        "C": (v.rows - v.error, v.rows + (k - 1) * v.error),
    }
    ends = {
        "1": _f_ends(v.rows, v.within, (n - 1, n * (k - 1)), k, upper),
        "A": _absolute_ends(v, upper),
        "C": _f_ends(v.rows, v.error, (n - 1, (n - 1) * (k - 1)), k, upper),
    }
    forms: dict[str, Estimate] = {}
    for kind in singles:
        name = "ICC(1)" if kind == "1" else f"ICC({kind},1)"
        forms[name] = _estimate(*singles[kind], ends[kind], n)
    averages = {
        "1": v.rows,
        "A": v.rows + (v.columns - v.error) / n,
        "C": v.rows,
    }
    for kind, below in averages.items():
        name = "ICC(k)" if kind == "1" else f"ICC({kind},k)"
        forms[name] = _estimate(singles[kind][0], below, _stepped_up(ends[kind], k), n)
    return forms


def _estimate(above: float, below: float, ends: Interval | None, n: int) -> Estimate:
    if below <= 0:
        return Estimate.undefined(NO_SPREAD, n=n)
    return Estimate(value=above / below, interval=ends, n=n, method=METHOD)


def _f_ends(
    rows: float, rest: float, freedom: tuple[int, int], k: int, upper: float
) -> Interval | None:
    """The ends for a single rater from F = rows / rest; none where nothing is left within units."""
    if rest <= 0:
        return None
    ratio = rows / rest
    low = ratio / float(stats.f.ppf(upper, *freedom))
    high = ratio * float(stats.f.ppf(upper, *freedom[::-1]))
    return Interval((low - 1) / (low + k - 1), (high - 1) / (high + k - 1))


def _absolute_ends(v: Variances, upper: float) -> Interval | None:
    n, k = v.units, v.raters
    below = v.rows + (k - 1) * v.error + k * (v.columns - v.error) / n
    if below <= 0 or v.error <= 0:
        return None
    r = (v.rows - v.error) / below
    a, b = k * r / (n * (1 - r)), 1 + k * r * (n - 1) / (n * (1 - r))
    parts = (a * v.columns) ** 2 / (k - 1) + (b * v.error) ** 2 / ((n - 1) * (k - 1))
    freedom = (a * v.columns + b * v.error) ** 2 / parts if parts > 0 else 0.0
    if freedom <= 0:
        return None
    rest = k * v.columns + (k * n - k - n) * v.error
    f_low = float(stats.f.ppf(upper, n - 1, freedom))
    f_high = float(stats.f.ppf(upper, freedom, n - 1))
    if not (math.isfinite(f_low) and math.isfinite(f_high)):
        return None
    below_low, below_high = f_low * rest + n * v.rows, rest + n * f_high * v.rows
    if not (below_low > 0 and below_high > 0):
        return None
    return Interval(
        n * (v.rows - f_low * v.error) / below_low, n * (f_high * v.rows - v.error) / below_high
    )


def _stepped_up(single: Interval | None, k: int) -> Interval | None:
    """Spearman and Brown: the ends for a mean of k raters from those for one."""
    if single is None or 1 + (k - 1) * single.low <= 0:
        return None
    return Interval(*(k * end / (1 + (k - 1) * end) for end in (single.low, single.high)))
