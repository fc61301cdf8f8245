"""What a study can say of the game."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from number_guess.rules import NumberGuess
from palaver.games.game import GameOptions, Setting


class NumberGuessOptions(GameOptions):
    """How long the numbers are, and whether the seats may talk."""

    digits: Annotated[int, Strict(), Field(ge=1, le=12)] = 3
    talk: Annotated[bool, Strict()] = True

    def rules(self, setting: Setting, *, folder: Path) -> NumberGuess:
        """The rules for numbers of this length."""
        return NumberGuess(digits=self.digits, talk=self.talk)
