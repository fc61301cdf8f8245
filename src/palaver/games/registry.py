"""Games by name: each folder here is one, and other packages offer theirs as entry points.

A folder is called as its game is and holds a module `game` with the declaration, `GAME`. The
entry-point group is `palaver.games`.
"""

from pathlib import Path

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.protocols import Rules
from palaver.core.registry import Registry
from palaver.core.scenario import Scenario
from palaver.games.game import Game, GameOptions, Setting

_FOLDERS = sorted(file.parent.name for file in Path(__file__).parent.glob("*/game.py"))

GAMES: Registry[Game] = Registry(
    "game", "palaver.games", {name: f"palaver.games.{name}.game:GAME" for name in _FOLDERS}
)


class _NotInstalled(GameOptions):
    """The options of a game that is not installed here."""

    def rules(self, setting: Setting, *, folder: Path) -> Rules:
        """Refused: what is not here cannot be played."""
        raise InputError("The game of this dialogue is not installed here.")


def game_of(scenario: Scenario) -> Game:
    """The game of a scenario; one that has nothing to say where it is not installed here."""
    try:
        return GAMES.get(scenario.game)
    except UnknownNameError:
        return Game(name=scenario.game, folder=Path(), options_type=_NotInstalled)
