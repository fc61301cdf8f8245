"""What stands around every participant page, forms, and links among which one is current."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["ltr", "rtl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceLink:
    """A link among several of which one is current."""

    label: str
    url: str
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalBar:
    """What stands on top of a rehearsal. Posts to `action` with /again (`step`), /seat and /end.

    `steps` are keys and labels; `may_add` says that one more person can be opened beside this one.
    """

    action: str
    steps: tuple[tuple[str, str], ...]
    seat: int
    seats: int
    may_add: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """What stands around every participant page; `title` is the study's."""

    title: str = "Palaver"
    lang: str = "en"
    dir: Direction = "ltr"
    step: int | None = None
    steps: int | None = None
    started_at: float | None = None
    now: float | None = None
    problem_url: str | None = None
    withdraw_url: str | None = None
    # What somebody wrote against models in this study.
    examples_url: str | None = None
    csrf: str = ""
    preview: bool = False
    rehearsal: RehearsalBar | None = None
    # One sentence about what has just happened, such as "You passed the practice."
    notice: str = ""

    @property
    def elapsed(self) -> float | None:
        """Seconds since the participant started; None when either time is unknown."""
        if self.started_at is None or self.now is None:
            return None
        return max(0.0, self.now - self.started_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage:
    """A page with a form that posts to `action`; `error` says what was wrong with it."""

    shell: Shell
    action: str
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingPage(FormPage):
    """A form beside the way, with a way back."""

    back_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPage(FormPage):
    """Something to read, in Markdown, and a button to go on."""

    text: str
