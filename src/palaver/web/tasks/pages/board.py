"""The board of a task: its rows, its weights, its forks and snapshots."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.formatting import Moment
from palaver.web.pages import Choice
from palaver.web.tasks.pages.parts import Cell, Weight
from palaver.web.tasks.pages.shell import TaskShell


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
