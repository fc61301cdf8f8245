"""What a participant reads before the work: consent, instructions, what the practice is."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.questions.question import Question
from palaver.web.pages.shell import Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """The form posts `consent` = `agree` or `decline` to `action`; `text` is Markdown."""

    template: ClassVar[str] = "consent.html"
    shell: Shell
    action: str
    text: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What to do, how long it takes and what is paid; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "instructions.html"
    shell: Shell
    action: str
    text: str
    minutes: float | None = None
    pay: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """What the practice is about, before its first round; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "training.html"
    shell: Shell
    action: str
    text: str
    rounds: int
    rule: str
    guides: tuple[Question, ...] = ()
