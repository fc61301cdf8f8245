"""Panels: where people come from by an address of ours, one file each."""

from palaver.crowds.panels.panel import (
    PLACEHOLDERS,
    Arrival,
    Need,
    Panel,
    PayLine,
    filled,
    placeholders_of,
)
from palaver.crowds.panels.registry import PANELS

__all__ = [
    "PANELS",
    "PLACEHOLDERS",
    "Arrival",
    "Need",
    "Panel",
    "PayLine",
    "filled",
    "placeholders_of",
]
