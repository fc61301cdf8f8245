"""The thumbs question: up or down."""

from typing import Any

from palaver.core.questions.question import CodedValue, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse

UP, DOWN = "up", "down"


class Thumbs(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="thumbs"):
    """Whether something is good; `up` and `down` are the words beside the two thumbs."""

    up: str = "Good"
    down: str = "Not good"

    @property
    def kind(self) -> str:
        return "thumbs"

    @property
    def level(self) -> Level:
        """Two names."""
        return "nominal"

    @property
    def label_names(self) -> tuple[str, ...]:
        """The two values."""
        return (UP, DOWN)

    @property
    def stored_as(self) -> str:
        return "`up` or `down`"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return (CodedValue(value=UP, text=self.up), CodedValue(value=DOWN, text=self.down))

    def read(self, answer: Any, shown: Shown) -> str:
        if answer not in (UP, DOWN):
            raise refuse(self.name, listed((UP, DOWN)), answer)
        return str(answer)

    def in_words(self, value: Any) -> str:
        """The words beside the thumb."""
        return self.up if value == UP else self.down
