"""Two systems that were compared: what the pairs of every test have in common."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPair:
    """Two systems and the p-value of no difference between them; NaN where it is undefined."""

    a: str
    b: str
    p: float
