"""Tasks: fields with kinds, examples, answers, and how they are measured."""

from palaver.core.tasks.example import Answer, Example
from palaver.core.tasks.fields import (
    ContextStringSelection,
    Field,
    Image,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Turns,
)
from palaver.core.tasks.task import MetricChoice, Task, WrongRule

__all__ = [
    "Answer",
    "ContextStringSelection",
    "Example",
    "Field",
    "Image",
    "MetricChoice",
    "Multiclass",
    "Multilabel",
    "Prob",
    "String",
    "Task",
    "Turns",
    "WrongRule",
]
