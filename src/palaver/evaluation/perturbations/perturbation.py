"""A perturbation: one function that changes texts or dialogues, and what a reader must know of it.

Three kinds of function, by `level`:

- `character` and `word`: `(corpus, draws) -> Edits`, for a whole corpus at once;
- `text`: `(text, random) -> text`, for one stretch of text at a time, the shortest to write;
- `dialogue`: `(talk, random) -> talk`, for the turns of one dialogue.

What is protected is none of their business: no change reaches it.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from palaver.core.evaluation.datasets import Kind
from palaver.core.serial import internal
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.dialogue_view import Talk
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits

Level = Literal["character", "word", "text", "dialogue"]

KINDS: tuple[Kind, ...] = ("fairness", "robustness", "dialogue")
LEVELS: tuple[Level, ...] = ("character", "word", "text", "dialogue")

CorpusFunction = Callable[[Corpus, Draws], Edits]
TextFunction = Callable[[str, random.Random], str]
TalkFunction = Callable[[Talk, random.Random], Talk]
Turns = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """One way to change examples; `example` is what it does to a text or to turns.

    `user_only` limits it to what the user says in a dialogue.
    """

    name: str
    kind: Kind
    level: Level
    about: str
    example: str | Turns
    function: Callable[..., Any] = internal()
    user_only: bool = internal(False)
