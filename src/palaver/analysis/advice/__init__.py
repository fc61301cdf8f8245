"""Advice of models beside that of people: who is preferred how often, how sure that is, and why."""

from palaver.analysis.advice.board import preference_board
from palaver.analysis.advice.result import (
    HUMAN_RATE,
    PreferenceBoard,
    PreferenceRow,
    PreferenceTest,
    SituationPreference,
    TopicRate,
    WorseAdvice,
)

__all__ = [
    "HUMAN_RATE",
    "PreferenceBoard",
    "PreferenceRow",
    "PreferenceTest",
    "SituationPreference",
    "TopicRate",
    "WorseAdvice",
    "preference_board",
]
