"""Question kinds: one module each."""

from palaver.core.questions.comparative import Comparative
from palaver.core.questions.question import About, Level, Question, QuestionExample, Shown
from palaver.core.questions.registry import QUESTION_KINDS

__all__ = [
    "QUESTION_KINDS",
    "About",
    "Comparative",
    "Level",
    "Question",
    "QuestionExample",
    "Shown",
]
