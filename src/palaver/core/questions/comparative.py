"""The comparative question: which of two things is better.

The page sends a side of the screen ("a" is shown first, "b" second); the stored value names the side
of the unit, so that no later step needs to know how the screen looked. Where it also asks how much
better, a number stands with the side: "2a" on the page, "first:2" in the store.
"""

from collections.abc import Sequence
from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.question import (
    BETTER_ONE,
    WORSE_ONE,
    About,
    CodedValue,
    Level,
    Question,
    Shown,
    Stem,
)
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


def is_asked(question: Question, compared: str | None) -> bool:
    """Whether a question beside a comparison is asked, given what is stored for that.

    It is not while the comparison is open; and one that speaks of the better or the worse of two
    needs a side to be better.
    """
    if compared is None:
        return False
    return side_of(compared) in SIDES or not question.names_a_side


class Comparative(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="comparative"):
    """Which of two units is better, with or without a tie.

    With `label_neither` a tie means that both are good, and neither is an answer of its own.
    `degrees` are words for how much better one is, the weakest first; then each side is offered
    once with each of them. `better` and `worse` are what questions beside it call the two sides
    while nobody knows which is which.
    """

    label_a: str = "Conversation A"
    label_b: str = "Conversation B"
    label_tie: str = "No difference"
    label_neither: str = ""
    tie: bool = True
    label: str = ""
    degrees: tuple[str, ...] = ()
    better: str = BETTER_ONE
    worse: str = WORSE_ONE

    def in_words(self, value: Any) -> str:
        """The side of the unit; nobody after the page knows how the screen looked."""
        sides = {FIRST: "the first", SECOND: "the second"}
        side = side_of(value)
        if side in sides:
            return ", ".join([sides[side], *self.degree_words(value)])
        return self.label_neither if side == NEITHER else self.label_tie

    def __post_init__(self) -> None:
        if self.speaker is not None or self.indices not in (None, "no_indices"):
            raise ValueError("A comparative question is about two dialogues, not about turns.")
        if self.beside:
            raise ValueError("A comparative question is what others stand beside. Drop 'beside'.")
        given = [degree.strip() for degree in self.degrees]
        if self.degrees and (len(given) < 2 or "" in given or len(set(given)) < len(given)):
            raise ValueError(
                "'degrees' takes two or more different words, the weakest first; "
                f"got {listed(self.degrees)}."
            )

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
        chosen = (
            "the side that was chosen: `first` is the one named first in the unit, whatever stood "
            "first on the screen"
        )
        if not self.degrees:
            return chosen
        return (
            f"{chosen}; behind a colon how much better it is, from 1 (“{self.degrees[0]}”) to "
            f"{len(self.degrees)} (“{self.degrees[-1]}”)"
        )

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        chosen = [stored for _, stored in self._marks()] or [""]
        return (
            *(CodedValue(value=f"{FIRST}{m}", text=self.in_words(f"{FIRST}{m}")) for m in chosen),
            *(CodedValue(value=f"{SECOND}{m}", text=self.in_words(f"{SECOND}{m}")) for m in chosen),
            *((CodedValue(value=TIE, text=self.label_tie),) if self.tie else ()),
            *((CodedValue(value=NEITHER, text=self.label_neither),) if self.label_neither else ()),
        )

    @property
    def offered(self) -> tuple[tuple[str, str, str], ...]:
        """What a page offers, from A to B: the answer, the name of the side, and how much better.

        >>> question = Comparative(name="q", text="Which?", degrees=("slightly", "definitely"))
        >>> [answer for answer, _, _ in question.offered]
        ['2a', '1a', 'tie', '1b', '2b']
        """
        counted = list(enumerate(self.degrees, start=1))
        of_a = [(f"{n}a", self.label_a, degree) for n, degree in reversed(counted)]
        of_b = [(f"{n}b", self.label_b, degree) for n, degree in counted]
        return (
            *(of_a or [("a", self.label_a, "")]),
            *([("tie", self.label_tie, "")] if self.tie else []),
            *(of_b or [("b", self.label_b, "")]),
            *([("neither", self.label_neither, "")] if self.label_neither else []),
        )

    def read(self, answer: Any, shown: Shown) -> str:
        """The side of the unit that was chosen, "tie" or "neither"."""
        order = shown.order
        if order is None or sorted(order) != sorted(SIDES):
            raise AnswerError(f"Question '{self.name}' needs to know which side was shown first.")
        marks = self._marks() or [("", "")]
        allowed = {
            f"{sent}{letter}": f"{side}{stored}"
            for letter, side in zip("ab", order, strict=True)
            for sent, stored in marks
        }
        allowed |= {"tie": TIE} if self.tie else {}
        allowed |= {"neither": NEITHER} if self.label_neither else {}
        if not isinstance(answer, str) or answer not in allowed:
            raise refuse(self.name, listed(allowed), answer)
        return allowed[answer]

    def on_screen(self, value: str, order: Sequence[str]) -> str:
        """A stored value as a page holds it that showed the sides in this order.

        >>> question = Comparative(name="q", text="Which?", degrees=("slightly", "definitely"))
        >>> question.on_screen("first:2", ("second", "first"))
        '2b'
        """
        side, _, degree = value.partition(_BY)
        return f"{degree}{'ab'[order.index(side)]}" if side in SIDES else value

    def labels(self, value: Any) -> tuple[str, ...]:
        """The side, however much better it is."""
        return (side_of(value),)

    def degree_words(self, value: str) -> tuple[str, ...]:
        """The word for how much better a stored value says a side is; nothing where it does not."""
        number = value.partition(_BY)[2]
        known = number.isdecimal() and 0 < int(number) <= len(self.degrees)
        return (self.degrees[int(number) - 1],) if known else ()

    def _marks(self) -> list[tuple[str, str]]:
        """What stands with a side for each degree, on the page and in the store."""
        return [(str(n), f"{_BY}{n}") for n in range(1, len(self.degrees) + 1)]
