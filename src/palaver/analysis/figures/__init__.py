"""Pictures of results: Vega-Lite specifications that notebooks, pages and papers show alike."""

from palaver.analysis.figures.distribution import distribution
from palaver.analysis.figures.dot_grid import GridPoint, dot_grid
from palaver.analysis.figures.figure import Figure
from palaver.analysis.figures.forest import (
    ForestRow,
    answer_times,
    forest,
    rank_plot,
)
from palaver.analysis.figures.heat_map import HeatCell, heat_map
from palaver.analysis.figures.significance import SignificanceRow, significance
from palaver.analysis.figures.stacked import stacked_shares

__all__ = [
    "Figure",
    "ForestRow",
    "GridPoint",
    "HeatCell",
    "SignificanceRow",
    "answer_times",
    "distribution",
    "dot_grid",
    "forest",
    "heat_map",
    "rank_plot",
    "significance",
    "stacked_shares",
]
