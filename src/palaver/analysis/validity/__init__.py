"""Do the labels measure anything? Predictive and incremental validity, sensitivity, and cost."""

from palaver.analysis.validity.comparative import (
    DialogueComparison,
    comparative_sensitivity,
    comparative_validity,
)
from palaver.analysis.validity.cost import LabelCost, dialogues_for_width, label_costs
from palaver.analysis.validity.incremental import EliminationStep, Incremental, incremental_validity
from palaver.analysis.validity.predictive import Predictive, predictive_validity
from palaver.analysis.validity.scores import DialogueScores, dialogue_scores
from palaver.analysis.validity.sensitivity import LabelDifference, Sensitivity, sensitivity
from palaver.analysis.validity.summary import (
    SetValidity,
    Timed,
    Validity,
    ValiditySettings,
    validity,
)

__all__ = [
    "DialogueComparison",
    "DialogueScores",
    "EliminationStep",
    "Incremental",
    "LabelCost",
    "LabelDifference",
    "Predictive",
    "Sensitivity",
    "SetValidity",
    "Timed",
    "Validity",
    "ValiditySettings",
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
