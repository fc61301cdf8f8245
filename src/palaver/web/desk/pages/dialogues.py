"""The list of dialogues, and one dialogue with its transcript."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.dialogue import Seat
from palaver.core.studies.dialogues import DialogueHead
from palaver.web.desk.pages.judgements import DialogueJudgements
from palaver.web.desk.pages.parts import Fact, Listed, Option
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.formatting import Moment
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguesPage:
    """The dialogues that fit the filters; `asked` says whether any filter is set."""

    template: ClassVar[str] = "researcher/dialogues.html"
    shell: DeskShell
    list: Listed[DialogueHead]
    action: str
    # The choices of each filter, by its name.
    filters: Mapping[str, tuple[Option, ...]]
    text: str
    asked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One event of a transcript.

    `kind` is message, move or quiet. `text` is None when it was erased. `audience` says who saw it
    where that was not everybody. `at` is the time since the first event.
    """

    seq: int
    kind: str
    seat: int | None
    speaker: str
    text: str | None
    audience: str
    at: str
    time: Moment
    note: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguePage:
    """One dialogue, readable; `events_url` is set while it runs."""

    template: ClassVar[str] = "researcher/dialogue.html"
    shell: DeskShell
    key: str
    heading: str
    facts: tuple[Fact, ...]
    seats: Sequence[Seat]
    # What each seat was told.
    personas: Sequence[Sequence[str]]
    lines: tuple[Line, ...]
    judgements: DialogueJudgements
    list_url: str
    previous_url: str = ""
    next_url: str = ""
    siblings: tuple[Choice, ...] = ()
    downloads: tuple[Choice, ...] = ()
    events_url: str = ""
