"""Whether a default that is written in a table is the one in the code."""

import re
from typing import Any

from palaver.studies.stages.parts import parse_duration


def says(cell: str, default: Any) -> bool:
    """Whether the cell tells this default, as far as it is a plain value."""
    if isinstance(default, bool):
        return cell == ("yes" if default else "no")
    if isinstance(default, int | float):
        return _number(cell) == float(default)
    if isinstance(default, str) and 0 < len(default) <= 25:
        return f"`{default}`" in cell or cell == default
    return "required" not in cell


def _number(cell: str) -> float | None:
    try:
        return parse_duration(cell)
    except ValueError:
        found = re.match(r"[\d.]+", cell)
        return float(found.group()) if found else None
