"""A number, how sure one may be of it, and why it is missing where it is."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Self

from palaver.core.serial import if_any, internal, plain
from palaver.core.words import UNDEFINED, coefficient, measured

MISSING = float("nan")
# Ends of an interval that differ by less than this share of themselves, or around 0 by less than this
# much, differ by rounding alone.
ROUNDING = 1e-12
ROUNDING_AT_ZERO = 1e-14
# Why there is no interval around what never varied.
NO_SPREAD = "nothing varies in what it was computed from, which says nothing of how sure it is"


def all_the_same(n: int, what: str = "values") -> str:
    """Why there is no interval around n numbers without any spread.

    >>> all_the_same(3), all_the_same(1, "dialogues")
    ('all 3 values are the same', 'there is a single dialogue')
    """
    return f"there is a single {what[:-1]}" if n == 1 else f"all {n:,} {what} are the same"


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends of a confidence interval, both included."""

    low: float
    high: float

    def overlaps(self, other: "Interval") -> bool:
        """Whether the two intervals have a point in common."""
        return self.low <= other.high and other.low <= self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def is_a_point(self) -> bool:
        """Whether it has no width but that of rounding: such an interval would claim certainty.

        >>> Interval(0.7, 0.7000000000000001).is_a_point, Interval(0.0, 0.05).is_a_point
        (True, False)
        """
        return math.isclose(self.low, self.high, rel_tol=ROUNDING, abs_tol=ROUNDING_AT_ZERO)

    def as_json(self) -> list[float | None]:
        return [self.low, self.high]


def has_no_width(low: float | None, high: float | None) -> bool:
    """Whether there are two ends and they are one.

    >>> has_no_width(1.0, 1.0), has_no_width(None, 1.0), has_no_width(0.9, 1.0)
    (True, False, False)
    """
    return low is not None and high is not None and Interval(low, high).is_a_point


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number with its interval, and what it was computed from.

    `value` is NaN where it is undefined. `reason` says why the value, or its interval, is missing, in
    words that can follow "because". `method` names how the interval was made and what it takes for
    granted. `warnings` are sentences for whoever reads the number.

    No estimate has an interval of no width: equal values say nothing of how sure one may be.

    >>> Estimate(value=0.7, interval=Interval(0.7, 0.7), n=3).interval is None
    True
    """

    nullable: ClassVar[tuple[str, ...]] = ("value",)

    value: float
    interval: Interval | None = None
    n: int = 0
    method: str = if_any("")
    reason: str = if_any("")
    warnings: tuple[str, ...] = if_any(())
    # The one of the warnings that says it rests on few: whoever shows many says that once.
    few: str = internal("")

    def __post_init__(self) -> None:
        if self.interval is not None and self.interval.is_a_point:
            object.__setattr__(self, "interval", None)
            object.__setattr__(self, "reason", self.reason or NO_SPREAD)

    @classmethod
    def undefined(cls, reason: str, *, n: int = 0) -> Self:
        """No number, and why."""
        return cls(value=MISSING, reason=reason, n=n)

    @property
    def is_defined(self) -> bool:
        return not math.isnan(self.value)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say beside the number: its warnings, and why there is no interval."""
        if self.interval is not None or not self.is_defined or not self.reason:
            return self.warnings
        return (f"There is no interval, because {self.reason}.", *self.warnings)

    def written(self, write: Callable[[float], str] | None = None) -> str:
        """The number with its interval, as `measured` writes them."""
        ends = self.interval
        low, high = (ends.low, ends.high) if ends else (None, None)
        return measured(self.value, low, high, write=write)

    def __str__(self) -> str:
        if not self.is_defined:
            return f"{UNDEFINED}: {self.reason}"
        return self.written(coefficient)

    def _repr_html_(self) -> str:
        return html_table([plain(self)])


def html_table(rows: list[Mapping[str, Any]] | list[dict[str, Any]], *, caption: str = "") -> str:
    """Rows of named cells as an HTML table: what a notebook shows of a result."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>"
        for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return escape(", ".join("?" if each is None else _cell(each) for each in value))
    return escape(str(value))
