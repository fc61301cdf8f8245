"""A number, how sure one may be of it, and why it is missing where it is."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Self

from palaver.core.serial import if_any, internal, plain
from palaver.core.words import UNDEFINED, coefficient, measured

MISSING = float("nan")


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

    def as_json(self) -> list[float | None]:
        return [self.low, self.high]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number with its interval, and what it was computed from.

    `value` is NaN where it is undefined; `reason` then says why, in words that can follow "because".
    `method` names how the interval was made and what it takes for granted. `warnings` are sentences
    for whoever reads the number.
    """

    value: float
    interval: Interval | None = None
    n: int = 0
    method: str = if_any("")
    reason: str = if_any("")
    warnings: tuple[str, ...] = if_any(())
    # The one of the warnings that says it rests on few: whoever shows many says that once.
    few: str = internal("")

    @classmethod
    def undefined(cls, reason: str, *, n: int = 0) -> Self:
        """No number, and why."""
        return cls(value=MISSING, reason=reason, n=n)

    @property
    def is_defined(self) -> bool:
        return not math.isnan(self.value)

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
