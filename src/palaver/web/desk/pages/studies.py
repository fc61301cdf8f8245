"""The list of studies, one study with how far it is, and its links."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.studies.visits import FailureCount, ReportedProblem, Tally
from palaver.studies.review.progress import StudyProgress
from palaver.web.desk.pages.judgements import Judgements
from palaver.web.desk.pages.parts import Fact, Option
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.formatting import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage:
    """Every study here."""

    template: ClassVar[str] = "researcher/studies.html"
    shell: DeskShell
    studies: list[StudyProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow:
    """How far a condition is; `needed` and `free` are None where there is no quota."""

    name: str
    needed: int | None
    done: int
    held: int
    free: int | None
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """A dialogue that runs; `last` is the time of its last event."""

    key: str
    url: str
    condition: str
    messages: int
    started: Moment
    last: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStudy:
    """What of a study changes while one looks: drawn first, sent as JSON from then on."""

    state: str
    complete: bool
    # None where nobody has to wait for a partner.
    waiting: int | None
    conditions: tuple[ConditionRow, ...]
    running: tuple[RunningRow, ...]
    running_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How many people came so far, and what became of them."""

    came_to: str
    then: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportForm:
    """The choices of a download; None where this person may not export."""

    action: str
    formats: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    """One study."""

    template: ClassVar[str] = "researcher/study.html"
    shell: DeskShell
    title: str
    served: bool
    file: str
    live: LiveStudy
    live_url: str
    facts: tuple[Fact, ...]
    departures: tuple[Departure, ...]
    endings: list[Tally]
    failures: list[FailureCount]
    # None where this person may not read them.
    reports: list[ReportedProblem] | None
    judgements: Judgements
    list_url: str
    participants_url: str
    dialogues_url: str
    results_url: str = ""
    board_url: str = ""
    exports: ExportForm | None = None
    links_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage:
    """Links that were just made; `text` is the same for downloading."""

    template: ClassVar[str] = "researcher/links.html"
    shell: DeskShell
    title: str
    study_url: str
    links: tuple[str, ...]
    hours: float
    action: str
    most: int
    error: str = ""
