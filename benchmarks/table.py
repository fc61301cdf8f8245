"""Figures beside their floors, as a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured, what it is measured against, and what we aim for."""

    name: str
    ours: float
    floor: float | None
    unit: str
    goal: str = ""
    met: Callable[["Figure"], bool] | None = None

    @property
    def ratio(self) -> float | None:
        """Ours as a multiple of the floor."""
        return self.ours / self.floor if self.floor else None

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        return "" if self.met is None else "met" if self.met(self) else "missed"

    def record(self) -> dict[str, Any]:
        """The figure as JSON."""
        return {
            "name": self.name,
            "ours": self.ours,
            "floor": self.floor,
            "ratio": self.ratio,
            "unit": self.unit,
            "goal": self.goal,
            "verdict": self.verdict,
        }


HEAD = ("", "ours", "floor", "ratio", "goal", "")


def show(title: str, figures: Sequence[Figure]) -> str:
    """The figures as a table of plain text."""
    rows = [HEAD, *(_row(figure) for figure in figures)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD))]
    lines = [title, "-" * len(title)]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:4], widths[1:4], strict=True)]
        cells += [cell.ljust(width) for cell, width in zip(row[4:], widths[4:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _row(figure: Figure) -> tuple[str, ...]:
    floor = "" if figure.floor is None else f"{_number(figure.floor)} {figure.unit}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}×"
    ours = f"{_number(figure.ours)} {figure.unit}"
    return (figure.name, ours, floor, ratio, figure.goal, figure.verdict)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
