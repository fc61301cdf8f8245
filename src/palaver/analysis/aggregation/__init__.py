"""From many raters' answers to one label or one distribution per unit."""

from palaver.analysis.aggregation.aggregated import AggregatedUnit, Aggregation, RaterCompetence
from palaver.analysis.aggregation.answers import Answers
from palaver.analysis.aggregation.dawid_skene import dawid_skene
from palaver.analysis.aggregation.mace import mace
from palaver.analysis.aggregation.majority import majority
from palaver.analysis.aggregation.soft_labels import SoftLabel, SoftLabels, soft_labels

__all__ = [
    "AggregatedUnit",
    "Aggregation",
    "Answers",
    "RaterCompetence",
    "SoftLabel",
    "SoftLabels",
    "dawid_skene",
    "mace",
    "majority",
    "soft_labels",
]
