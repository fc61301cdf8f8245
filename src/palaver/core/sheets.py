"""Sheets: what a rater is handed at once.

A sheet has parts; a part is one dialogue, or two to be compared, and the questions asked of it. Its
truth (for training and gold) gives, by question and turn, the answers that count as right. It stays
on the server.
"""

from typing import Any

import msgspec


class SheetPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dialogue (or a pair) by key, and the names of the questions asked of it."""

    dialogues: tuple[str, ...]
    ask: tuple[str, ...]

    @property
    def is_pair(self) -> bool:
        """Whether two dialogues are to be compared."""
        return len(self.dialogues) == 2


class SheetContent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a sheet holds; `notice` says what it is about before it is shown, if that may distress."""

    parts: tuple[SheetPart, ...]
    notice: str = ""


class RightAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The values that are right for one unit, and why; `unit` is its key."""

    unit: str
    question: str
    any_of: tuple[Any, ...]
    why: str = ""

    def accepts(self, value: Any) -> bool:
        """Whether a stored value is one of the right ones."""
        return value in self.any_of


class Truth(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The right answers of a sheet."""

    answers: tuple[RightAnswer, ...]

    def wrong(self, values: dict[tuple[str, str], Any]) -> tuple[RightAnswer, ...]:
        """The right answers that were missed; `values` holds what was said, by unit and question."""
        return tuple(
            right
            for right in self.answers
            if (right.unit, right.question) not in values
            or not right.accepts(values[right.unit, right.question])
        )
