"""Do the labels measure anything? Predictive and incremental validity, sensitivity, and cost."""

from palaver.analysis.validity.comparative import (
    Compared,
    comparative_sensitivity,
    comparative_validity,
)
from palaver.analysis.validity.cost import LabelCost, dialogues_for_width, label_costs
from palaver.analysis.validity.incremental import Incremental, Step, incremental_validity
from palaver.analysis.validity.predictive import Predictive, predictive_validity
from palaver.analysis.validity.scores import DialogueScores, dialogue_scores
from palaver.analysis.validity.sensitivity import LabelDifference, Sensitivity, sensitivity
from palaver.analysis.validity.summary import Settings, Timed, Validity, validity

__all__ = [
    "Compared",
    "DialogueScores",
    "Incremental",
    "LabelCost",
    "LabelDifference",
    "Predictive",
    "Sensitivity",
    "Settings",
    "Step",
    "Timed",
    "Validity",
    "comparative_sensitivity",
    "comparative_validity",
    "dialogue_scores",
    "dialogues_for_width",
    "incremental_validity",
    "label_costs",
    "predictive_validity",
    "sensitivity",
    "validity",
]
