"""Question kinds: one module each."""

from palaver.core.questions.comparative import Comparative
from palaver.core.questions.question import Level, Question
from palaver.core.questions.registry import QUESTION_KINDS

__all__ = ["QUESTION_KINDS", "Comparative", "Level", "Question"]
