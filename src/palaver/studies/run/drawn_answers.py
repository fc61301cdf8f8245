"""Answers of nobody: one that a question takes, drawn by lot, whatever kind it is.

The question itself says what it takes: answers that its codebook suggests are offered to it until one
is read. What an answer means is not looked at.
"""

import random
from collections.abc import Iterator
from typing import Any

from palaver.core.errors import AnswerError, InputError
from palaver.core.questions.comparative import Comparative
from palaver.core.questions.flow import Flow
from palaver.core.questions.question import Question, Shown
from palaver.studies.run.tastes import SidePreference, Taste

SENTENCES = (
    "It was easy to follow, and I would do it again.",
    "The answers came quickly and were mostly to the point.",
    "I had to think about this one for a while.",
)


def drawn_answer(question: Question, shown: Shown, rng: random.Random) -> Any:
    """An answer that the question takes; None leaves out one that may be.

    InputError where nothing that is offered is taken and the question must be answered.
    """
    for candidate in _candidates(question, rng):
        try:
            question.read(candidate, shown)
        except AnswerError:
            continue
        return candidate
    if question.required:
        raise InputError(f"Nobody can be simulated who answers the question '{question.name}'.")
    return None


def _candidates(question: Question, rng: random.Random) -> Iterator[Any]:
    if isinstance(question, Comparative | Flow):
        taste = Taste(rng.randrange(1 << 30), 1)
        yield taste.answer(
            question, SidePreference(rng.choice("ab"), rng.uniform(0.1, 2.5)), "here"
        )
    values = [each.value for each in question.codebook]
    rng.shuffle(values)
    yield from values
    for value in values:
        yield [value]
    yield values
    parts: dict[str, list[Any]] = {}
    for each in question.codebook:
        parts.setdefault(each.of, []).append(each.value)
    yield {part: rng.choice(known) for part, known in parts.items()}
    for end in ("least", "low", "minimum"):
        if isinstance(found := getattr(question, end, None), int | float):
            yield found
    yield rng.choice(SENTENCES)
    yield []
