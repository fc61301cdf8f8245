"""Labels of natural language inference, as other data sets write them."""

from typing import Any

LABELS: dict[str, str | list[str]] = {
    "entailment": "entailed",
    "neutral": "neutral",
    "contradiction": "contradictory",
    # Two classes only: anything that is not entailed is right.
    "non-entailment": ["neutral", "contradictory"],
    "not_entailment": ["neutral", "contradictory"],
    "e": "entailed",
    "n": "neutral",
    "c": "contradictory",
}
NO_LABEL = "the annotators did not agree on a label"


def inference_label(given: Any) -> Any:
    """The label, or the labels that are all right; what nobody knows stays for the task to refuse."""
    return LABELS.get(given, given) if isinstance(given, str) else given
