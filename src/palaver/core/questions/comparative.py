"""The comparative question: which of two things is better.

The page sends a side of the screen ("a" is shown first, "b" second); the stored value names the side
of the unit, so that no later step needs to know how the screen looked.
"""

from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.question import About, CodedValue, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse

FIRST, SECOND, TIE, NEITHER = "first", "second", "tie", "neither"
SIDES = (FIRST, SECOND)
# Between a side and how strongly it is preferred, where that is asked.
_BY = ":"


def side_of(value: str) -> str:
    """The side that a stored value prefers, or that it prefers none.

    >>> side_of("first"), side_of("second:2"), side_of("tie")
    ('first', 'second', 'tie')
    """
    return value.partition(_BY)[0]


def degree_of(value: str) -> int:
    """How strongly a stored value prefers its side: from 1 on where that was asked, else 1.

    >>> degree_of("second:2"), degree_of("first")
    (2, 1)
    """
    return int(value.partition(_BY)[2] or 1)


class Comparative(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="comparative"):
    """Which of two units is better, with or without a tie.

    With `label_neither` a tie means that both are good, and neither is an answer of its own.
    """

    label_a: str = "Conversation A"
    label_b: str = "Conversation B"
    label_tie: str = "No difference"
    label_neither: str = ""
    tie: bool = True
    label: str = ""

    def in_words(self, value: Any) -> str:
        """The side of the unit; nobody after the page knows how the screen looked."""
        words = {FIRST: "the first", SECOND: "the second", NEITHER: self.label_neither}
        return words.get(value, self.label_tie)

    def __post_init__(self) -> None:
        if self.speaker is not None or self.indices not in (None, "no_indices"):
            raise ValueError("A comparative question is about two dialogues, not about turns.")

    @property
    def kind(self) -> str:
        return "comparative"

    @property
    def about(self) -> About:
        """Two dialogues."""
        return "pair"

    @property
    def level(self) -> Level:
        """Comparisons of two."""
        return "pairwise"

    @property
    def stored_as(self) -> str:
        return (
            "the side that was chosen: `first` is the one named first in the unit, whatever stood "
            "first on the screen"
        )

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return (
            CodedValue(value=FIRST, text="the first"),
            CodedValue(value=SECOND, text="the second"),
            *((CodedValue(value=TIE, text=self.label_tie),) if self.tie else ()),
            *((CodedValue(value=NEITHER, text=self.label_neither),) if self.label_neither else ()),
        )

    def read(self, answer: Any, shown: Shown) -> str:
        """The side of the unit that was chosen, "tie" or "neither"."""
        order = shown.order
        if order is None or sorted(order) != sorted(SIDES):
            raise AnswerError(f"Question '{self.name}' needs to know which side was shown first.")
        allowed = {"a": order[0], "b": order[1]} | ({"tie": TIE} if self.tie else {})
        allowed |= {"neither": NEITHER} if self.label_neither else {}
        if not isinstance(answer, str) or answer not in allowed:
            raise refuse(self.name, listed(allowed), answer)
        return allowed[answer]
