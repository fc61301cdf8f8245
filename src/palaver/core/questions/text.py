"""The text question: the rater's own words."""

from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.question import Fields, Level, Shown, Stem
from palaver.core.questions.refusals import refuse


class FreeText(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="text"):
    """What somebody writes, between two lengths; `lines` is how high the field stands."""

    placeholder: str = ""
    max_characters: int = 2000
    least_characters: int = 0
    lines: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.least_characters <= self.max_characters or self.max_characters == 0:
            raise ValueError(
                "'least_characters' takes 0 or more and no more than 'max_characters'; "
                f"got {self.least_characters} and {self.max_characters}."
            )
        if self.lines < 1:
            raise ValueError(f"'lines' takes 1 or more; got {self.lines}.")

    @property
    def kind(self) -> str:
        return "text"

    @property
    def stored_as(self) -> str:
        return "the words"

    @property
    def level(self) -> Level:
        """Words, which no coefficient measures."""
        return "text"

    def parse(self, fields: Fields) -> str | None:
        """What was written; None where it is nothing but space."""
        written = super().parse(fields)
        return written if written is not None and written.strip() else None

    def read(self, answer: Any, shown: Shown) -> str:
        """The text without the space around it, with plain line ends."""
        if not isinstance(answer, str) or not answer.strip():
            raise refuse(self.name, "a text", answer)
        # A form sends two characters for the end of a line; the page counts one.
        text = answer.strip().replace("\r\n", "\n")
        self._check_characters(text)
        if len(text) < self.least_characters:
            raise AnswerError(
                f"Question '{self.name}' takes {self.least_characters} characters or more; "
                f"got {len(text)}."
            )
        if len(text) > self.max_characters:
            raise AnswerError(
                f"Question '{self.name}' takes {self.max_characters} characters at most; "
                f"got {len(text)}."
            )
        return text

    def labels(self, value: Any) -> tuple[str, ...]:
        """None: a text speaks for itself."""
        return ()

    def _check_characters(self, text: str) -> None:
        # PostgreSQL stores no NUL, and half of a surrogate pair is no UTF-8.
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise AnswerError(
                f"Question '{self.name}' takes text; got a character that cannot be stored."
            )
