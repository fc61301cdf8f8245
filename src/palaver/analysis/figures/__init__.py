"""Pictures of results: Vega-Lite specifications that notebooks, pages and papers show alike."""

from palaver.analysis.figures.answer_times import AnswerTimeRow, answer_times
from palaver.analysis.figures.distribution import distribution
from palaver.analysis.figures.figure import Figure
from palaver.analysis.figures.forest import ForestRow, forest
from palaver.analysis.figures.heat_map import HeatCell, heat_map
from palaver.analysis.figures.ranks import rank_plot

__all__ = [
    "AnswerTimeRow",
    "Figure",
    "ForestRow",
    "HeatCell",
    "answer_times",
    "distribution",
    "forest",
    "heat_map",
    "rank_plot",
]
