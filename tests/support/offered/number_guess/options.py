"""What a study can say of the game."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from number_guess.rules import NumberGuess
from palaver.games.game import GameOptions, Setting


class NumberGuessOptions(GameOptions):
    """How long the numbers are, whether the seats may talk, and how much they must.

    `pairs` are the numbers of both seats, scenario by scenario; without them each is drawn.
    """

    digits: Annotated[int, Strict(), Field(ge=1, le=12)] = 3
    talk: Annotated[bool, Strict()] = True
    pairs: dict[str, tuple[int, int]] = Field(default_factory=dict)
    least_messages: Annotated[int, Strict(), Field(ge=0)] = 0

    def rules(self, setting: Setting, *, folder: Path) -> NumberGuess:
        """The rules for numbers of this length."""
        return NumberGuess(
            digits=self.digits,
            talk=self.talk,
            pairs=self.pairs,
            least_messages=self.least_messages,
        )
