"""Games by name; a game of another package registers under the entry-point group `palaver.games`."""

from palaver.core.protocols import Game
from palaver.core.registry import Registry

GAMES: Registry[type[Game]] = Registry(
    "game", "palaver.games", {"open_chat": "palaver.games.open_chat.rules:OpenChat"}
)
