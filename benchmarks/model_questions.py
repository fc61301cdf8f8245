"""The questions of the model runs, as every side of the comparison is asked them."""

import json
from pathlib import Path
from typing import Any

IN_FLIGHT = 200
LABELS = ("entailed", "neutral", "contradictory")
# As a predictor of kind `openai` takes it; `filled` is the same text for everybody else.
PROMPT = "Premise: {{context}}\nHypothesis: {{hypothesis}}"


def question(number: int) -> dict[str, Any]:
    """One question of the task nli."""
    return {
        "uid": f"u{number}",
        "context": f"{number} people walk through the park on a sunny day.",
        "hypothesis": f"Nobody is in the park, not even {number} people.",
    }


def gold(number: int) -> str:
    """The right label of a question."""
    return LABELS[number % len(LABELS)]


def filled(number: int) -> str:
    """One question as a prompt."""
    asked = question(number)
    return f"Premise: {asked['context']}\nHypothesis: {asked['hypothesis']}"


def write_dataset(file: Path, examples: int) -> None:
    """Write questions with their labels as lines of a data set of the task nli."""
    _write(file, ({**question(n), "label": gold(n), "tags": []} for n in range(examples)))


def write_prompts(file: Path, examples: int) -> None:
    """Write the same questions as lines of a prompt and its answer."""
    _write(file, ({"question": filled(n), "answer": gold(n)} for n in range(examples)))


def _write(file: Path, records: Any) -> None:
    with file.open("w", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps(record) + "\n")
