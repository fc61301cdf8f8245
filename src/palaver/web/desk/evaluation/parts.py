"""What the pages of the evaluation server have in common: rows, cells and small tables."""

from dataclasses import dataclass

from palaver.web.formatting import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCount:
    """How many runs are in a state."""

    state: str
    count: int
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCell:
    """Where a model is with a data set; `of` is 0 unless a bar is shown.

    `cell` names the place on the page, so that a script finds it again.
    """

    cell: str
    url: str
    state: str
    tone: str
    said: str
    note: str = ""
    done: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run in a table of runs, seen from its model or its data set; cells in the order of heads."""

    name: str
    name_url: str
    name_note: str
    model_version: int
    dataset_version: int
    is_newest: bool
    run: RunCell
    cells: tuple[tuple[str, ...], ...]
    finished: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """Runs with their scores."""

    noun: str
    heads: tuple[str, ...]
    rows: tuple[RunLine, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemField:
    """A field of an item, in words."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentText:
    """What a model sent that is no answer; `note` says how much of it this is."""

    text: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item of a data set beside what was answered; `verdict` is right, wrong or nothing."""

    number: int
    uid: str
    asked: tuple[ItemField, ...]
    gold: tuple[ItemField, ...] = ()
    answer: tuple[ItemField, ...] = ()
    tags: tuple[str, ...] = ()
    problem: str = ""
    sent: SentText | None = None
    verdict: str = ""
    seconds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A version of a model or a data set."""

    number: int
    words: str
    digest: str
    created: Moment
    runs: int
