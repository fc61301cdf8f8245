"""Intervals without any width in what commands print, the API answers and tables hold."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Ranks are whole numbers and may be sure; these are the middle half of answers, and no interval.
EXEMPT = ("rank", "middle")


def points_in(value: Any, place: str = "") -> Iterator[str]:
    """Where a document has an interval whose ends are the same."""
    if isinstance(value, dict):
        ends = [(name, name.removesuffix("low") + "high") for name in value if name.endswith("low")]
        for low, high in ends:
            if _are_one(value[low], value.get(high)):
                yield f"{place}.{low}: {value[low]}"
        for name, each in value.items():
            if any(word in name for word in EXEMPT):
                continue
            if isinstance(each, list) and len(each) == 2 and _is_interval(name) and _are_one(*each):
                yield f"{place}.{name}: {each}"
            yield from points_in(each, f"{place}.{name}")
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from points_in(each, f"{place}[{n}]")


def points_in_table(file: Path) -> Iterator[str]:
    """Where a table has a low end that is its high end."""
    with file.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream), start=1):
            for name, low in row.items():
                high = row.get(name.replace("low", "high")) if "low" in name else None
                is_asked = low and high and not any(word in name for word in EXEMPT)
                if is_asked and _are_one(float(low), float(high)):
                    yield f"{file.name}, row {number}, {name}: {low}"


def _is_interval(name: str) -> bool:
    return "interval" in name or name in ("asymptotic", "bootstrap") or "95 %" in name


def _are_one(low: Any, high: Any) -> bool:
    numbers = all(isinstance(each, int | float) for each in (low, high))
    return numbers and math.isclose(low, high, rel_tol=1e-12, abs_tol=1e-14)
