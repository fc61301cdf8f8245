"""Question kinds by name."""

from typing import Any

from palaver.core.registry import Registry

QUESTION_KINDS: Registry[type[Any]] = Registry(
    "question kind",
    "palaver.questions",
    {
        "aspects": "palaver.core.questions.aspects:Aspects",
        "choice": "palaver.core.questions.choice:Choice",
        "comparative": "palaver.core.questions.comparative:Comparative",
        "flow": "palaver.core.questions.flow:Flow",
        "likert": "palaver.core.questions.likert:Likert",
        "multiselect": "palaver.core.questions.multiselect:Multiselect",
        "ranking": "palaver.core.questions.ranking:Ranking",
        "slider": "palaver.core.questions.slider:Slider",
        "spans": "palaver.core.questions.spans:Spans",
        "text": "palaver.core.questions.text:FreeText",
        "thumbs": "palaver.core.questions.thumbs:Thumbs",
    },
)
