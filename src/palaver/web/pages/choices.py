"""Links among which one is current, such as filters and tabs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A link among several of which one is current."""

    label: str
    url: str
    current: bool = False
