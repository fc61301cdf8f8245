"""Metrics: one number from predictions and references, each with what a reader must know of it.

from palaver.metrics import find_metric

find_metric("macro_f1").compute(["yes", "no"], ["yes", "yes"])
"""

from palaver.metrics.files import score_files
from palaver.metrics.metric import FAMILIES, Example, Metric, Score
from palaver.metrics.registry import METRICS, find_metric, known_metrics

__all__ = [
    "FAMILIES",
    "METRICS",
    "Example",
    "Metric",
    "Score",
    "find_metric",
    "known_metrics",
    "score_files",
]
