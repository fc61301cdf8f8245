"""What each page of the desk is given: one frozen dataclass per template, as in `pages`.

Everything is computed before it gets here: numbers in words, addresses, who may see what.
"""

from dataclasses import dataclass
from typing import ClassVar

from palaver.storage.accounts import ROLES
from palaver.web.desk.review_parts import DialogueJudgements, Judgements
from palaver.web.desk.words import Moment
from palaver.web.pages import Choice, Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskShell(Desk):
    """What stands around every page of the desk."""

    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A page that says what happened instead of what was asked for."""

    template: ClassVar[str] = "researcher/refusal.html"
    shell: DeskShell
    heading: str
    detail: str
    back_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Posts `name`, `password` and `next` to `action`."""

    template: ClassVar[str] = "researcher/sign_in.html"
    shell: DeskShell
    action: str
    target: str
    name: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPassword:
    """A one-time password must be replaced. Posts `password` and `again` to `action`."""

    template: ClassVar[str] = "researcher/new_password.html"
    shell: DeskShell
    action: str
    least: int
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """The pages before and after; empty where there is none."""

    previous_url: str = ""
    next_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a filter."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRow:
    """A study in the list."""

    url: str
    title: str
    name: str
    state: str
    complete: bool
    served: bool
    visits: int
    dialogues: int
    dialogues_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Studies:
    """Every study here."""

    template: ClassVar[str] = "researcher/studies.html"
    shell: DeskShell
    rows: tuple[StudyRow, ...]


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
class CountRow:
    """How often something was the case; `url` leads to what is counted."""

    words: tuple[str, ...]
    count: int
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and what it is; `url` leads on."""

    name: str
    value: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """What a participant reported; `text` is None when it was erased."""

    alias: str
    text: str | None
    time: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportForm:
    """The choices of a download; None where this person may not export."""

    action: str
    formats: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One study."""

    template: ClassVar[str] = "researcher/study.html"
    shell: DeskShell
    title: str
    served: bool
    file: str
    live: LiveStudy
    live_url: str
    facts: tuple[Fact, ...]
    departures: tuple[CountRow, ...]
    endings: tuple[CountRow, ...]
    failures: tuple[CountRow, ...]
    # None where this person may not read them.
    reports: tuple[ReportRow, ...] | None
    judgements: Judgements
    list_url: str
    participants_url: str
    dialogues_url: str
    results_url: str = ""
    board_url: str = ""
    exports: ExportForm | None = None
    links_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRow:
    """One visit; `panel_id` is empty where this person may not see it."""

    alias: str
    panel_id: str
    crowd: str
    state: str
    good: bool
    condition: str
    came: Moment
    minutes: str
    waited: str
    pay: str
    dialogues: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Participants:
    """Who came to a study."""

    template: ClassVar[str] = "researcher/participants.html"
    shell: DeskShell
    title: str
    state: str
    study_url: str
    rows: tuple[VisitRow, ...]
    pager: Pager
    shows_panel: bool
    sort: Choice
    newest_first: bool


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """A rater in the list."""

    key: str
    url: str
    kind: str
    labels: int
    seconds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raters:
    """Everybody who gave labels; `studies` lead to the raters of each."""

    template: ClassVar[str] = "researcher/raters.html"
    shell: DeskShell
    rows: tuple[RaterRow, ...]
    studies: tuple[Choice, ...]
    pager: Pager


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A board in the list."""

    url: str
    title: str
    question: str
    votes: int
    needed: str
    public: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Boards:
    """The boards of the studies that compare systems."""

    template: ClassVar[str] = "researcher/boards.html"
    shell: DeskShell
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """An account as an owner sees it."""

    name: str
    role: str
    one_time: bool
    created: Moment
    own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """An API token."""

    id: int
    name: str
    account: str
    role: str
    state: str
    standing: bool
    created: Moment
    used: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A password or token that is shown this once."""

    title: str
    value: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Own password and tokens; for owners also the accounts and everybody's tokens."""

    template: ClassVar[str] = "researcher/settings.html"
    roles: ClassVar[tuple[str, ...]] = ROLES
    shell: DeskShell
    role: str
    is_owner: bool
    base: str
    least: int
    accounts: tuple[AccountRow, ...]
    tokens: tuple[TokenRow, ...]
    token_roles: tuple[str, ...]
    secret: Secret | None = None
    done: str = ""
    # Which form was wrong (password, account, role, token), and how.
    error_in: str = ""
    error: str = ""
