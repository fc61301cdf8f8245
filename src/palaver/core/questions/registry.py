"""Question kinds by name."""

from typing import Any

from palaver.core.registry import Registry

QUESTION_KINDS: Registry[type[Any]] = Registry(
    "question kind",
    "palaver.questions",
    {"comparative": "palaver.core.questions.comparative:Comparative"},
)
