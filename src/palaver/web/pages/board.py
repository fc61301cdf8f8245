"""The public board of votes."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.evaluation.boards import VoteBoard
from palaver.web.pages.choices import Choice
from palaver.web.pages.shell import Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBoardPage:
    """The public board; `data_url` answers with the board as JSON."""

    template: ClassVar[str] = "board.html"
    shell: Shell
    board: VoteBoard
    data_url: str | None = None
    choices: tuple[Choice, ...] = ()
