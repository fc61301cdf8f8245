"""The list of boards."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.studies.review.boards import ListedBoard
from palaver.web.desk.pages.shell import DeskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardListPage:
    """The boards of the studies that compare systems."""

    template: ClassVar[str] = "researcher/boards.html"
    shell: DeskShell
    boards: list[ListedBoard]
