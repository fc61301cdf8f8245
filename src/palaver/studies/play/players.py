"""Who can sit down at a game: a study's systems, the game's bots, models at an address or in a folder.

A player is named in one word on the command line. What is built of it is guarded, and, where it knows
words alone, plays games with tags; the deployment builds its systems with the same function.
"""

import json
import re
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.protocols import System
from palaver.core.registry import near
from palaver.games.game import Game
from palaver.games.tagged_play import TaggedPlay
from palaver.studies.file.definition import Study
from palaver.studies.play.trained import is_checkpoint, system_in
from palaver.systems.build import build_system, makes_moves, only_game
from palaver.systems.guard import Guarded

ASK_SECONDS = 5.0
ADDRESS, TRAINED = "openai:", "checkpoint:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A system by what it is built of; `is_bot` says that it came with the game."""

    name: str
    options: Mapping[str, Any]
    folder: Path
    game: str
    is_bot: bool = False

    def build(self) -> System:
        """The system, ready to play; InputError where its options are wrong or it plays no such game."""
        system = build_player(self.name, self.options, folder=self.folder)
        check_games(self.name, system, (self.game,))
        return system


def build_player(name: str, options: Mapping[str, Any], *, folder: Path) -> System:
    """The system that `options` describe; one that knows words alone plays games with tags."""
    system = build_system(name, options, folder=folder)
    return system if makes_moves(str(options["kind"])) else TaggedPlay(system)


def build_of_study(study: Study, name: str) -> System:
    """A system of a study, ready to play; InputError where it sits in a game that it does not play."""
    system = build_player(name, study.systems[name].options, folder=study.folder)
    check_games(name, system, study.games_of(name))
    return system


def check_games(name: str, system: System, games: Iterable[str]) -> None:
    """InputError where a system plays one game only, and is to play another."""
    only = only_game(system) if isinstance(system, Guarded) else ""
    others = [game for game in games if only not in ("", game)]
    if others:
        raise InputError(
            f"System '{name}' plays the game '{only}' and no other; here it is to play "
            f"'{others[0]}'."
        )


def find_player(
    given: str, game: Game, study: Study | None = None, *, patience: float | None = None
) -> Player:
    """The player that a name stands for; near names where there is none.

    Systems of the study come first, then bots of the game; `openai:URL#MODEL` is a model behind an
    address, and `checkpoint:FOLDER` one that was trained here. `patience` is how many seconds an
    answer may take; without it the system says.
    """
    asked = {} if patience is None else {"timeout": patience, "retries": 0}
    folder = Path() if study is None else study.folder
    if given.startswith(ADDRESS):
        options = system_at(given)
        name = str(options["model"])
        return Player(name=name, options=options | asked, folder=folder, game=game.name)
    if given.startswith(TRAINED):
        name, options = given.removeprefix(TRAINED), system_in(given)
        player = Player(name=name, options=options | asked, folder=folder, game=game.name)
        player.build()  # reads no weights, and says now what is wrong with the folder
        return player
    if study is not None and given in study.systems:
        options = dict(study.systems[given].options)
        return Player(name=given, options=options | asked, folder=folder, game=game.name)
    if given in game.bots:
        options = {"kind": "python", "class": game.bots[given]}
        return Player(
            name=given, options=options | asked, folder=folder, game=game.name, is_bot=True
        )
    raise InputError(_unknown(given, game, study))


def _unknown(given: str, game: Game, study: Study | None) -> str:
    whose = f"The study '{study.name}'" if study is not None else f"The game '{game.name}'"
    if is_checkpoint(Path(given)):
        return f"{whose} has no system '{given}'. For the model in that folder: {TRAINED}{given}."
    known = [*(study.systems if study is not None else ()), *game.bots]
    hint = near(given, known) or f" Known: {', '.join(known) or 'none'}."
    others = "Any model: openai:URL#MODEL; one that was trained here: checkpoint:FOLDER."
    return f"{whose} has no system '{given}'.{hint} {others}"


class AddressError(InputError):
    """What was given is no address at all."""


def system_at(address: str) -> dict[str, Any]:
    """The options of a system at an address: `openai:URL`, with `#MODEL` behind it where need be."""
    kind, _, where = address.partition(":")
    url, _, model = where.partition("#")
    if kind != "openai" or not re.match(r"https?://[^/\s]+", url):
        raise AddressError(
            "Expected openai:URL or openai:URL#MODEL, such as openai:http://127.0.0.1:8080; "
            f"got '{address}'."
        )
    return {"kind": "openai", "base_url": url, "model": model or _first_model(url)}


def _first_model(url: str) -> str:
    base = url.rstrip("/").removesuffix("/v1")
    try:
        with urllib.request.urlopen(f"{base}/v1/models", timeout=ASK_SECONDS) as response:
            return str(json.load(response)["data"][0]["id"])
    except (OSError, ValueError, LookupError, TypeError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"{base}/v1/models does not name a model ({reason}). Start the server there, or name "
            f"the model: openai:{url}#MODEL"
        ) from error
