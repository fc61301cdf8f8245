"""Pictures of results: Vega-Lite specifications that notebooks, pages and papers show alike."""

from palaver.analysis.figures.distribution import distribution
from palaver.analysis.figures.figure import Figure
from palaver.analysis.figures.forest import (
    ForestRow,
    answer_times,
    forest,
    rank_plot,
)
from palaver.analysis.figures.heat_map import HeatCell, heat_map

__all__ = [
    "Figure",
    "ForestRow",
    "HeatCell",
    "answer_times",
    "distribution",
    "forest",
    "heat_map",
    "rank_plot",
]
