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
class VersionRow:
    """A version of a model or a data set."""

    number: int
    words: str
    digest: str
    created: Moment
    runs: int
