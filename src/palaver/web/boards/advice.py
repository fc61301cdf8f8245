"""The board of a round of advice: models beside people, per topic, and why models lose."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.evaluation.boards import Raters
from palaver.reports.advice.words import STILL, WHY
from palaver.studies.advice.board_records import AdviceBoard
from palaver.studies.run.deployment import RunningStudy
from palaver.web.boards.advice_shelf import FoundBoard
from palaver.web.shell import ChoiceLink, Shell

# More topics than these have no mark of their own in a figure.
MOST_MARKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceBoardPage:
    """The board; nothing is `found` while the first one is being computed."""

    template: ClassVar[str] = "boards/advice.html"
    shell: Shell
    found: FoundBoard
    choices: tuple[ChoiceLink, ...]
    data_url: str

    still = STILL
    why = WHY

    @property
    def board(self) -> AdviceBoard | None:
        return self.found.board

    @property
    def draws_topics(self) -> bool:
        """Whether topics are few enough to be told apart in a figure."""
        return self.board is not None and 1 < len(self.board.topics) <= MOST_MARKS


def advice_page(
    study: RunningStudy,
    found: FoundBoard,
    raters: Raters,
    *,
    path: str,
    choices: tuple[ChoiceLink, ...],
) -> AdviceBoardPage:
    """The page of a board as it is known."""
    definition = study.definition
    return AdviceBoardPage(
        shell=Shell(title=definition.title, lang=definition.language, dir=definition.direction),
        found=found,
        choices=choices,
        data_url=f"{path}.json?raters={raters}",
    )
