"""The files of games on pages: `games/NAME/FILE` is a template or a static file of that game."""

from collections.abc import Callable
from pathlib import Path

from jinja2 import BaseLoader, Environment, FileSystemLoader, TemplateNotFound

from palaver.core.errors import UnknownNameError
from palaver.games.game import GAMES, Game

PREFIX = "games/"


def game_file(game: Game, name: str) -> str:
    """What a page calls a file of a game; empty where the game has none."""
    return f"{PREFIX}{game.name}/{name}" if name else ""


def static_place(name: str, *, own: Path) -> tuple[Path, str]:
    """The folder a static file lies in and its name there; `own` is the folder of all others."""
    found = _of_game(name)
    return (own, name) if found is None else (found[0].static, found[1])


class GameTemplates(BaseLoader):
    """Finds the templates of games, each in its game's folder."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The source of a template; TemplateNotFound where no game has it."""
        found = _of_game(template)
        if found is None:
            raise TemplateNotFound(template)
        game, name = found
        return FileSystemLoader(game.templates).get_source(environment, name)


def _of_game(name: str) -> tuple[Game, str] | None:
    if not name.startswith(PREFIX):
        return None
    game, _, rest = name.removeprefix(PREFIX).partition("/")
    try:
        return GAMES.get(game), rest
    except UnknownNameError:
        return None
