"""The board of a task: its rows, its weights, its forks and snapshots."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from palaver.core.evaluation.boards import Board, RankedModel, SavedBoard, UnrankedModel
from palaver.web.pages import Choice
from palaver.web.tasks.pages.shell import TaskShell

# Boards with more cells than this leave those of single data sets to the models' cards.
MOST_CELLS = 12_000
# Free space at either end of the strips, as a share of their scale.
MARGIN = 0.04


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale that the strips of all rows share: from the lowest to the highest end."""

    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, models: Sequence[RankedModel]) -> Self:
        """The scale of some ranked models."""
        scores = [each.dynascore for each in models]
        every = [end for each in scores for end in (each.value, *(each.interval or ()))]
        ends = [end for end in every if end is not None]
        return cls(min(ends), max(ends)) if ends else cls()

    @property
    def has_ends(self) -> bool:
        """Whether there is anything between its two ends."""
        return self.high > self.low

    def place(self, value: float) -> float:
        """Where a number stands, in percent of the width."""
        inside = (value - self.low) / (self.high - self.low) if self.has_ends else 0.5
        return round(100 * (MARGIN + (1 - 2 * MARGIN) * inside), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """The board of a task under some weights, or a fork or snapshot of it, which is `shown`.

    `models` are those with the `tag`, or all. `cells` is JSON for the script: what each model has on
    each data set. `m` and `d` are the weights as an address has them. `name` and `text` are what a
    form said that was refused.
    """

    template: ClassVar[str] = "tasks/board.html"
    shell: TaskShell
    title: str
    about: str
    board: Board
    models: tuple[RankedModel | UnrankedModel, ...]
    url: str
    current_url: str
    data_url: str = ""
    cells: str = ""
    downloads: tuple[Choice, ...] = ()
    tags: tuple[Choice, ...] = ()
    tag: str = ""
    m: str = ""
    d: str = ""
    saved: tuple[SavedBoard, ...] = ()
    shown: SavedBoard | None = None
    may_save: bool = False
    notice: str = ""
    error: str = ""
    name: str = ""
    text: str = ""

    @property
    def frozen(self) -> bool:
        """Whether this is a snapshot."""
        return self.shown is not None and self.shown.kind == "snapshot"

    @property
    def scale(self) -> Scale:
        """The scale of the strips."""
        return Scale.of(self.board.models)

    @property
    def with_sets(self) -> bool:
        """Whether the scores on single data sets are shown, too."""
        board = self.board
        size = len(board.everybody) * len(board.datasets) * len(board.metrics)
        return 0 < size <= MOST_CELLS
