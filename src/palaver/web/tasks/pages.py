"""What each public page of the evaluation server is given: one frozen dataclass per template."""

from dataclasses import dataclass, field
from typing import ClassVar

from palaver.web.desk.words import Moment
from palaver.web.pages import Choice, Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShell:
    """What stands around every page; `tabs` are the pages of the task, where there is one."""

    title: str
    lang: str = "en"
    dir: Direction = "ltr"
    csrf: str = ""
    preview: bool = False
    heading: str = ""
    is_public: bool = True
    tabs: tuple[Choice, ...] = ()
    tasks_url: str = "/tasks"
    person: str = ""
    # Where to sign in and come back; None for whoever is signed in.
    sign_in_url: str | None = None
    desk_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One message instead of a page."""

    template: ClassVar[str] = "tasks/refusal.html"
    shell: TaskShell
    heading: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTask:
    """A task in the list; `leader` is empty while nobody is ranked."""

    url: str
    name: str
    title: str
    about: str
    is_public: bool
    models: int
    datasets: int
    leader: str = ""
    leader_url: str = ""
    score: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The tasks that whoever asks may see; `hidden` counts those one must sign in for."""

    template: ClassVar[str] = "tasks/list.html"
    shell: TaskShell
    tasks: tuple[ListedTask, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number: as a text, its interval in words, n, and why it is missing where it is."""

    text: str
    interval: str = ""
    n: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """An interval and its middle, as percentages of the width that all rows share."""

    at: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRow:
    """A model on one data set."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A model on the board; one that is not ranked has `reasons` and no score."""

    key: str
    name: str
    url: str
    team: str = ""
    tags: tuple[str, ...] = ()
    is_published: bool = True
    rank: str = ""
    ranks: str = ""
    score: Cell
    strip: Strip | None = None
    averages: tuple[Cell, ...]
    sets: tuple[SetRow, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """A metric's or data set's weight; `amrs` and what follows belong to metrics."""

    key: str
    title: str
    unit: str = ""
    note: str = ""
    weight: str
    most: str = "5"
    share: str
    amrs: str = ""
    amrs_interval: str = ""
    set_aside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A fork or snapshot in the list."""

    name: str
    url: str
    kind: str
    about: str
    by: str
    made: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTable:
    """Models in the order of their scores; `low` and `high` are the ends of the strips' scale."""

    columns: tuple[Weight, ...]
    sets: tuple[Weight, ...]
    rows: tuple[ModelRow, ...]
    ranked: int
    low: str = ""
    high: str = ""
    answer: str
    pairs: str
    method: str
    warnings: tuple[str, ...] = ()
    # Sets of models that cannot be told apart, those of one alone left out.
    tied: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How many columns the table has."""
        return 4 + len(self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """The board of a task under some weights, or a fork or snapshot of it.

    `cells` is JSON for the script: what each model has on each data set. `saving` shows the forms that
    keep the weights or the board. `m` and `d` are the weights as an address has them.
    """

    template: ClassVar[str] = "tasks/board.html"
    shell: TaskShell
    title: str
    about: str
    board: BoardTable
    url: str
    data_url: str = ""
    cells: str = ""
    downloads: tuple[Choice, ...] = ()
    tags: tuple[Choice, ...] = ()
    tag: str = ""
    m: str = ""
    d: str = ""
    saved: tuple[Saved, ...] = ()
    # Set on the pages of a fork or a snapshot.
    shown: Saved | None = None
    frozen: bool = False
    fork_url: str = ""
    snapshot_url: str = ""
    may_save: bool = False
    notice: str = ""
    error: str = ""
    name: str = ""
    text: str = ""
    current_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRow:
    """The performance on the items of one tag."""

    tag: str
    cell: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedSet:
    """The tags of one data set."""

    name: str
    rows: tuple[TagRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSet:
    """A data set on a model's card; `note` says why there are no scores."""

    name: str
    access: str
    items: str
    cells: tuple[Cell, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a model or data set."""

    number: int
    made: Moment
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """A model for readers."""

    template: ClassVar[str] = "tasks/model.html"
    shell: TaskShell
    name: str
    is_published: bool
    is_retired: bool = False
    about: str = ""
    link: str = ""
    team: str = ""
    affiliation: str = ""
    team_link: str = ""
    tags: tuple[str, ...] = ()
    rank: str = ""
    ranks: str = ""
    of: int = 0
    score: Cell
    columns: tuple[Weight, ...]
    sets: tuple[ScoredSet, ...]
    tagged: tuple[TaggedSet, ...] = ()
    performance: str = ""
    versions: tuple[Version, ...] = ()
    reasons: tuple[str, ...] = ()
    board_url: str = ""
    desk_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A data set that readers may know of; its gold stays here."""

    name: str
    access: str
    access_note: str
    about: str
    source: str
    source_url: str
    items: str
    tags: tuple[tuple[str, str], ...]
    more_tags: int
    versions: tuple[Version, ...]
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage:
    """The data sets of a task."""

    template: ClassVar[str] = "tasks/data.html"
    shell: TaskShell
    sets: tuple[DataSet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNote:
    """A field of the task in words."""

    name: str
    title: str
    kind: str
    about: str
    needed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """The team whose token was given, and what it may still do."""

    name: str
    used: int
    most: int
    left: int
    hours: str
    next_at: Moment | None
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitForm:
    """What was typed, so that nothing is lost when something is wrong."""

    name: str = ""
    about: str = ""
    link: str = ""
    tags: str = ""
    kind: str = ""
    url: str = ""
    options: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitPage:
    """How to submit; a team gives its token, then accepts the terms, then has the form."""

    template: ClassVar[str] = "tasks/submit.html"
    shell: TaskShell
    url: str
    team_url: str
    leave_url: str
    submissions_url: str
    terms_url: str
    questions_url: str
    asked: tuple[FieldNote, ...]
    answered: tuple[FieldNote, ...]
    question: str
    answer: str
    checks: tuple[str, ...]
    sets: tuple[str, ...]
    variants: tuple[str, ...]
    kinds: tuple[str, ...]
    terms: str
    terms_digest: str
    limit: str
    commands: tuple[tuple[str, str], ...] = ()
    team: Team | None = None
    form: SubmitForm = field(default_factory=SubmitForm)
    error: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedRun:
    """One run of a submission."""

    key: str
    dataset: str
    state: str
    words: str
    done: int
    items: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A submitted model and how far it is."""

    key: str
    name: str
    url: str
    version: int
    is_published: bool
    is_anonymous: bool
    is_withdrawn: bool
    runs: tuple[SubmittedRun, ...]
    publish_url: str
    hide_url: str
    withdraw_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionsPage:
    """What a team submitted, live."""

    template: ClassVar[str] = "tasks/submissions.html"
    shell: TaskShell
    team: Team
    submissions: tuple[Submission, ...]
    data_url: str
    submit_url: str
    leave_url: str
