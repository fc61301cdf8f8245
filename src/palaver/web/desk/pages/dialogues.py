"""The list of dialogues, and one dialogue with its transcript."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.desk.pages.judgements import DialogueJudgements
from palaver.web.desk.pages.parts import Fact, Option, Pager
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.formatting import Moment
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueRow:
    """A dialogue in the list."""

    url: str
    study: str
    study_url: str
    condition: str
    people: tuple[str, ...]
    systems: tuple[str, ...]
    status: str
    tone: str
    messages: int
    failures: int
    duration: str
    started: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogues:
    """The dialogues that fit the filters; `asked` says whether any filter is set."""

    template: ClassVar[str] = "researcher/dialogues.html"
    shell: DeskShell
    heading: str
    rows: tuple[DialogueRow, ...]
    pager: Pager
    action: str
    studies: tuple[Option, ...]
    conditions: tuple[Option, ...]
    statuses: tuple[Option, ...]
    systems: tuple[Option, ...]
    text: str
    asked: bool
    newest_first: bool
    sort: Choice


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
class SeatRow:
    """Who sat where."""

    seat: int
    who: str
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """What a seat was told."""

    seat: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One dialogue, readable; `events_url` is set while it runs."""

    template: ClassVar[str] = "researcher/dialogue.html"
    shell: DeskShell
    key: str
    heading: str
    facts: tuple[Fact, ...]
    seats: tuple[SeatRow, ...]
    personas: tuple[Persona, ...]
    lines: tuple[Line, ...]
    judgements: DialogueJudgements
    list_url: str
    previous_url: str = ""
    next_url: str = ""
    siblings: tuple[Choice, ...] = ()
    downloads: tuple[Choice, ...] = ()
    events_url: str = ""
