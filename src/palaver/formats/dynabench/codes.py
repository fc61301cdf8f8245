"""What the file does not say and everybody knew: labels, answers and old codes of the tasks."""

from typing import Any

NLI = ("entailed", "neutral", "contradictory")
HATE = ("not-hateful", "hateful")
SENTIMENT = ("negative", "positive", "neutral")

# Old codes by the labels they stand for.
CODES: dict[frozenset[str], dict[str, str]] = {
    frozenset(NLI): {
        "e": "entailed",
        "n": "neutral",
        "c": "contradictory",
        "entailment": "entailed",
        "contradiction": "contradictory",
    },
    frozenset(HATE): {
        "nothate": "not-hateful",
        "nohate": "not-hateful",
        "hate": "hateful",
    },
}


def codes_for(labels: list[str]) -> dict[str, str]:
    """The old codes of these labels, if they had some."""
    return dict(CODES.get(frozenset(labels), {}))


def _labelled(labels: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {"name": "label", "type": "multiclass", "labels": list(labels)},
        {"name": "prob", "type": "prob", "labels": list(labels)},
    ]


ANSWER = [
    {"name": "answer", "type": "context_string_selection", "reference": "context"},
    {"name": "conf", "type": "prob"},
]
TRANSLATION = [{"name": "translatedText", "type": "string"}]

# What a model of the first generation was sent and answered, where the file has no 'input_keys'.
KEYS: dict[str, list[str]] = {
    "nli": ["context", "hypothesis"],
    "hs": ["statement"],
    "sentiment": ["statement"],
    "qa": ["context", "question"],
    "vqa": ["image", "question"],
    "flores": ["sourceText", "sourceLanguage", "targetLanguage"],
}
OUTPUTS: dict[str, list[dict[str, Any]]] = {
    "nli": _labelled(NLI),
    "hs": _labelled(HATE),
    "sentiment": _labelled(SENTIMENT),
    "qa": ANSWER,
    "vqa": [{"name": "answer", "type": "string"}],
    "flores": TRANSLATION,
}


def known_task(name: str) -> str:
    """The task that a code stands for: flores_full and flores-small1 are flores."""
    return next(
        (each for each in OUTPUTS if name == each or name.startswith((f"{each}_", f"{each}-"))), ""
    )
