"""A question as it stands on a page, whatever the page is."""

from dataclasses import dataclass
from typing import Any

from palaver.core.questions.question import Question, Shown, spoken

NOTHING_SHOWN = Shown()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question on a page: its field, who is meant by its placeholders, and the answer so far.

    `answer` is a stored value or what was sent; `error` says what is wrong with it. `shown` tells
    which options are offered. Sub-fields of a question are named `<field>:<part>`.
    """

    question: Question
    field: str
    shown: Shown = NOTHING_SHOWN
    speaker: str = "your partner"
    partner: str = "you"
    answer: Any = None
    error: str = ""

    @property
    def template(self) -> str:
        """The template of its kind."""
        return f"questions/{self.question.kind}.html"

    def say(self, text: str) -> str:
        """A text of the question with the names of those it speaks of."""
        return spoken(text, speaker=self.speaker, partner=self.partner)
