"""The comparative question: which of two things is better.

The page sends a side of the screen ("a" is shown first, "b" second); the stored value names the side
of the unit, so that no later step needs to know how the screen looked.
"""

from typing import Any

import msgspec

from palaver.core.errors import AnswerError
from palaver.core.questions.question import Level, content_version

FIRST, SECOND, TIE = "first", "second", "tie"
SIDES = (FIRST, SECOND)


class Comparative(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="comparative"):
    """Which of two units is better, with or without a tie."""

    name: str
    text: str
    help: str = ""
    label_a: str = "Conversation A"
    label_b: str = "Conversation B"
    label_tie: str = "No difference"
    tie: bool = True
    required: bool = True

    @property
    def kind(self) -> str:
        """The registry name."""
        return "comparative"

    @property
    def level(self) -> Level:
        """Comparisons of two."""
        return "pairwise"

    @property
    def version(self) -> str:
        """Changes with any word of the question."""
        return content_version(self)

    def read(self, answer: Any, *, shown_order: tuple[str, ...] | None) -> str:
        """The side of the unit that was chosen, or "tie"."""
        if shown_order is None or sorted(shown_order) != sorted(SIDES):
            raise AnswerError(f"Question '{self.name}' needs to know which side was shown first.")
        allowed = {"a": shown_order[0], "b": shown_order[1]} | ({"tie": TIE} if self.tie else {})
        if not isinstance(answer, str) or answer not in allowed:
            expected = ", ".join(repr(option) for option in allowed)
            raise AnswerError(f"Question '{self.name}' takes {expected}; got {answer!r}.")
        return allowed[answer]
