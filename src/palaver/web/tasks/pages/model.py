"""A model's card."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.evaluation.boards import BoardMetric, Measured, RankedModel, UnrankedModel
from palaver.core.evaluation.models import Model, ModelVersion
from palaver.core.evaluation.submissions import Team
from palaver.web.tasks.pages.shell import TaskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRow:
    """The performance on the items of one tag."""

    tag: str
    cell: Measured


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
    cells: tuple[Measured | None, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """A model for readers, with what they may know of it; `rank` is None where it has none."""

    template: ClassVar[str] = "tasks/model.html"
    shell: TaskShell
    model: Model
    team: Team | None = None
    on_board: RankedModel | UnrankedModel | None = None
    of: int = 0
    columns: tuple[BoardMetric, ...]
    sets: tuple[ScoredSet, ...]
    tagged: tuple[TaggedSet, ...] = ()
    performance: str = ""
    versions: tuple[ModelVersion, ...] = ()
    board_url: str = ""
    desk_url: str = ""
