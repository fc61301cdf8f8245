"""The list of boards."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.desk.pages.shell import DeskShell


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
