"""The rank plot: how strong each system is, and which ranks it may hold."""

from collections.abc import Sequence

from palaver.analysis.figures.figure import Figure
from palaver.analysis.figures.forest import ForestRow, forest
from palaver.analysis.ranking.result import SystemStanding


def rank_plot(
    standings: Sequence[SystemStanding],
    *,
    title: str,
    axis: str = "Strength (log-odds, mean 0)",
    reference: float | None = 0.0,
) -> Figure:
    """Strengths with their intervals, best first, and each system's ranks at the right."""
    lines = [
        ForestRow(each.system, each.strength, each.interval, note=rank_words(each.rank_interval))
        for each in standings
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
