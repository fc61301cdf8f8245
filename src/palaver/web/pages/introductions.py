"""What a participant reads before the work: consent, instructions, what the practice is."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.questions.question import Question
from palaver.web.pages.shell import ReadingPage


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentPage(ReadingPage):
    """The form posts `consent` = `agree` or `decline` to `action`; `text` is Markdown."""

    template: ClassVar[str] = "consent.html"
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsPage(ReadingPage):
    """What to do, how long it takes and what is paid; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "instructions.html"
    minutes: float | None = None
    pay: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPage(ReadingPage):
    """What the practice is about, before its first round; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "training.html"
    rounds: int
    rule: str
    guides: tuple[Question, ...] = ()
