"""A perturbation: one function that changes texts or dialogues, and what a reader must know of it.

Three kinds of function, by `level`:

- `character` and `word`: `(corpus, draws) -> Edits`, for a whole corpus at once;
- `text`: `(text, random) -> text`, for one stretch of text at a time, the shortest to write;
- `dialogue`: `(talk, random) -> talk`, for the turns of one dialogue.

What is protected is none of their business: no change reaches it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from palaver.core.evaluation.datasets import Kind
from palaver.core.serial import internal

USER_NAMES = frozenset({"user", "customer", "human", "person"})

Level = Literal["character", "word", "text", "dialogue"]

LEVELS: tuple[Level, ...] = ("character", "word", "text", "dialogue")

Turns = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Talk:
    """Turns as records with `speaker` and `text`, and personas: the lines of each speaker.

    `asked` is the number of the turn that a question is about, from 0, where it is about one.
    """

    turns: tuple[dict[str, Any], ...]
    personas: tuple[tuple[str, ...], ...] = ()
    asked: int | None = None

    @property
    def user(self) -> str:
        """Who the user is: a speaker called so, else whoever speaks first."""
        for turn in self.turns:
            if turn["speaker"].lower() in USER_NAMES:
                return str(turn["speaker"])
        return str(self.turns[0]["speaker"]) if self.turns else ""

    @property
    def user_turns(self) -> tuple[int, ...]:
        user = self.user
        return tuple(n for n, turn in enumerate(self.turns) if turn["speaker"] == user)


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """One way to change examples; `example` is what it does to a text or to turns.

    `user_only` limits it to what the user says in a dialogue. One `on_request` is made only where it is
    asked for by its name.
    """

    name: str
    kind: Kind = "robustness"
    level: Level
    about: str
    example: str | Turns
    function: Callable[..., Any] = internal()
    user_only: bool = internal(False)
    on_request: bool = internal(False)
