"""A dialogue as perturbations see it: turns, and who the speakers are told to be."""

from dataclasses import dataclass
from typing import Any

USER_NAMES = frozenset({"user", "customer", "human", "person"})


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
        """Which turns are the user's."""
        user = self.user
        return tuple(n for n, turn in enumerate(self.turns) if turn["speaker"] == user)
