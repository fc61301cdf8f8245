"""Durations as people write them: 90, "90 s", "3 min", "1 h", "2 min 30 s"."""

import math
import re
from typing import Annotated, Any

from pydantic import BeforeValidator

SECONDS = {"h": 3600.0, "min": 60.0, "s": 1.0}
FORMS = "a number of seconds, or text like '90 s', '3 min', '1 h' or '2 min 30 s'"
WRITTEN = re.compile(
    r"\s*(?:(?P<h>\d+(?:\.\d+)?)\s*h)?"
    r"\s*(?:(?P<min>\d+(?:\.\d+)?)\s*min)?"
    r"\s*(?:(?P<s>\d+(?:\.\d+)?)\s*s)?\s*",
    re.ASCII,
)


def parse_duration(written: Any) -> float:
    """The seconds that `written` means; ValueError if it is no duration above zero.

    >>> parse_duration("2 min 30 s")
    150.0
    """
    seconds = _seconds(written)
    if seconds is None:
        raise ValueError(f"A duration is {FORMS}; got {written!r}.")
    if not 0 < seconds < math.inf:
        raise ValueError(f"A duration must be longer than 0; got {written!r}.")
    return seconds


def _seconds(written: Any) -> float | None:
    if isinstance(written, bool):
        return None
    if isinstance(written, int | float):
        return _finite(written)
    match = WRITTEN.fullmatch(written) if isinstance(written, str) else None
    if match is None or not any(match.groups()):
        return None
    return sum(float(match[unit] or 0) * seconds for unit, seconds in SECONDS.items())


def _finite(number: float) -> float | None:
    try:
        return float(number) if math.isfinite(number) else None
    except OverflowError:
        return None


Duration = Annotated[float, BeforeValidator(parse_duration)]
