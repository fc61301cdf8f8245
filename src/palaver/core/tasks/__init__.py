"""Tasks: fields with kinds, examples, answers, and how they are measured."""

from palaver.core.tasks.answer_forms import AnswerForm
from palaver.core.tasks.fields import FIELDS, ContextStringSelection, Field, Image, String, Turns
from palaver.core.tasks.labelled import Labelled, Multiclass, Multilabel, Prob
from palaver.core.tasks.task import Answer, Example, MetricChoice, Task, WrongRule
from palaver.core.tasks.turn_probs import TurnProbs

__all__ = [
    "FIELDS",
    "Answer",
    "AnswerForm",
    "ContextStringSelection",
    "Example",
    "Field",
    "Image",
    "Labelled",
    "MetricChoice",
    "Multiclass",
    "Multilabel",
    "Prob",
    "String",
    "Task",
    "TurnProbs",
    "Turns",
    "WrongRule",
]
