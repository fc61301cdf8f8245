"""What raters said of units, as it is given, and why a coefficient may be undefined."""

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple, get_args

from palaver.core.errors import InputError

Measured = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Measured, ...] = get_args(Measured)

NO_PAIRS = "no unit has been judged by two raters"
NO_VARIATION = "every answer is the same, so agreement cannot be distinguished from chance"


class Judgement(NamedTuple):
    """What one rater said of one unit; a missing value is a judgement that is not there."""

    unit: Hashable
    rater: Hashable
    value: Any


def check_level(level: str) -> None:
    """InputError unless it is a level of measurement."""
    if level not in LEVELS:
        raise InputError(f"A level is nominal, ordinal, interval or ratio; got '{level}'.")
