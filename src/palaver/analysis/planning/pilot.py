"""How much raters and dialogues vary, estimated from a pilot.

Half the squared difference of two ratings has an expectation that depends only on what the two share:

    the same unit, two raters        σ²_rater + σ²_rest
    the same rater, two units        σ²_item + σ²_rest
    neither                          σ²_item + σ²_rater + σ²_rest

so the means of the three kinds of pairs give the three variances, whatever the design's gaps and
whatever the mean. Pairs are taken within one system. Estimates below 0 become 0, and are named.

The idea is that of variance components by pairs, as in U-statistics: G. G. Koch (1967), A general
approach to the estimation of variance components, Technometrics 9, 93–118.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.estimates import html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain

FEW_RATERS = 5
FEW_UNITS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Standard deviations between raters, of raters' differences, between units, and of the rest.

    `taste_sd` is 0 where the pilot has one system or raters who judged one only.
    """

    rater_sd: float
    taste_sd: float
    item_sd: float
    residual_sd: float
    mean: float
    units: int
    raters: int
    ratings: int
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return html_table([plain(self)])


def pilot_components(
    units: Sequence[str],
    raters: Sequence[str],
    values: Sequence[float],
    *,
    systems: Sequence[str] | None = None,
) -> Components:
    """The variance components of a pilot, one row per rating; a value that is NaN is missing.

    A pilot with one rater, or in which no rater judged two units, cannot say how raters differ and
    is refused. Where no unit has two raters, differences between units cannot be separated
    from the rest; all of the variance is then counted as the rest, with a warning.
    """
    given = np.asarray(values, dtype=float)
    here = np.flatnonzero(np.isfinite(given)).tolist()
    if not len(units) == len(raters) == len(given):
        raise InputError("A pilot needs a unit, a rater and a value in each row.")
    if not here:
        raise InputError("The pilot has no values.")
    who, what = encode(raters[n] for n in here), encode(units[n] for n in here)
    _check_pilot(who.codes, what.codes, who.levels, what.levels)
    of = encode(systems[n] for n in here) if systems is not None else encode(None for _ in here)
    kept = given[here]
    means = np.bincount(of.codes, kept) / np.bincount(of.codes)
    centred = kept - means[of.codes]
    found = _components(centred, who.codes, what.codes, of.codes)
    warnings = [*found.warnings]
    if len(who.levels) < FEW_RATERS:
        warnings.append(
            f"The pilot has {len(who.levels)} raters; how much raters differ is hardly known from "
            "so few."
        )
    if len(what.levels) < FEW_UNITS:
        warnings.append(f"The pilot has {len(what.levels)} units; its deviations are rough.")
    return Components(
        rater_sd=found.rater,
        taste_sd=found.taste,
        item_sd=found.item,
        residual_sd=found.rest,
        mean=float(kept.mean()),
        units=len(what.levels),
        raters=len(who.levels),
        ratings=len(kept),
        warnings=tuple(warnings),
    )


def _check_pilot(who: Numbers, what: Numbers, raters: list[Any], units: list[Any]) -> None:
    if len(raters) < 2:
        raise InputError(
            f"A pilot needs two raters or more to say how raters differ; it has one, '{raters[0]}'."
        )
    cells, times = np.unique(np.column_stack([who, what]), axis=0, return_counts=True)
    if (times > 1).any():
        rater, unit = cells[int(times.argmax())]
        raise InputError(
            f"The pilot has two values of rater '{raters[rater]}' for unit '{units[unit]}'; "
            "keep one."
        )


class _Found(NamedTuple):
    rater: float
    taste: float
    item: float
    rest: float
    warnings: tuple[str, ...]


class _Pairs(NamedTuple):
    """The sum of half squared differences over some pairs, and how many pairs."""

    total: float
    number: float

    def less(self, *others: "_Pairs") -> "_Pairs":
        total = self.total - sum(each.total for each in others)
        return _Pairs(total, self.number - sum(each.number for each in others))

    @property
    def mean(self) -> float:
        return self.total / self.number if self.number else float("nan")


def _pairs(values: Numbers, *groups: Numbers) -> _Pairs:
    """All pairs that agree in each of `groups`."""
    table = np.unique(np.column_stack(groups), axis=0, return_inverse=True)[1].ravel()
    n = np.bincount(table).astype(float)
    sums, squares = np.bincount(table, values), np.bincount(table, values**2)
    return _Pairs(float((n * squares - sums**2).sum()) / 2, float((n * (n - 1)).sum()) / 2)


def _components(values: Numbers, who: Numbers, what: Numbers, of: Numbers) -> _Found:
    unit, rater = _pairs(values, what), _pairs(values, who, of)
    neither = _pairs(values, of).less(unit, rater)
    if not rater.number or not neither.number:
        raise InputError(
            "The pilot cannot say how raters differ: no rater judged two units of one system, or "
            "all pairs of ratings share a rater or a unit."
        )
    warnings = []
    of_rater = neither.mean - rater.mean
    if unit.number:
        of_item = neither.mean - unit.mean
        rest = unit.mean + rater.mean - neither.mean
    else:
        of_item, rest = 0.0, rater.mean
        warnings.append(
            "No unit of the pilot has two raters: differences between units cannot be separated "
            "from the rest, and all of the variance is counted as the rest."
        )
    across = _pairs(values, who).less(rater)
    of_taste = 2 * (across.mean - rater.mean) if across.number else 0.0
    named = {"raters": of_rater, "tastes": of_taste, "units": of_item, "the rest": rest}
    negative = [name for name, value in named.items() if value < 0]
    if negative:
        warnings.append(
            f"The variance of {' and of '.join(negative)} came out below 0 and is taken as 0."
        )
    # What raters differ in within a system is how high they rate and their taste for it.
    high = max(of_rater, 0) - max(of_taste, 0) / 2
    return _Found(
        rater=sqrt(max(high, 0.0)),
        taste=sqrt(max(of_taste, 0.0)),
        item=sqrt(max(of_item, 0.0)),
        rest=sqrt(max(rest, 0.0)),
        warnings=tuple(warnings),
    )
