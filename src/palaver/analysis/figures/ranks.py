"""The rank plot: how strong each system is, and which ranks it may hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from palaver.analysis.figures.figure import Figure
from palaver.analysis.figures.forest import ForestRow, forest
from palaver.core.estimates import Interval


@dataclass(frozen=True, slots=True)
class RankRow:
    """One system; `ranks` are the best and the worst rank that it may hold."""

    system: str
    strength: float
    interval: Interval | None
    ranks: tuple[int, int] | None


def rank_plot(
    rows: Sequence[RankRow], *, title: str, axis: str, reference: float | None = 0.0
) -> Figure:
    """Strengths with their intervals, best first, and each system's ranks at the right."""
    lines = [
        ForestRow(row.system, row.strength, row.interval, note=rank_words(row.ranks))
        for row in rows
    ]
    return forest(lines, name="ranks", title=title, axis=axis, reference=reference)


def rank_words(ranks: tuple[int, int] | None) -> str:
    """A range of ranks: "rank 1", "rank 2–3"; empty where it is not known.

    >>> rank_words((1, 1)), rank_words((2, 3))
    ('rank 1', 'rank 2–3')
    """
    if ranks is None:
        return ""
    best, worst = ranks
    return f"rank {best}" if best == worst else f"rank {best}–{worst}"
