"""The public board of votes."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.evaluation.boards import Board as BoardState
from palaver.web.pages.choices import Choice
from palaver.web.pages.shell import Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The public board; `data_url` answers with a `BoardState` as JSON."""

    template: ClassVar[str] = "board.html"
    shell: Shell
    board: BoardState
    data_url: str | None = None
    choices: tuple[Choice, ...] = ()
