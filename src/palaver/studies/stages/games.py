"""The game of a chat stage, as the file writes it, and the options that the game checks itself.

`game: {name: open_chat, turns: {exactly: 10}}` gives a game its options. In the short form,
`game: open_chat` or no `game` at all, they stand in the stage: every key there that is not the
stage's own is the game's.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import Field, ValidationError

from palaver.core.errors import UnknownNameError
from palaver.core.questions.question import Question
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import (
    KeyProblem,
    known_keys,
    pydantic_problems,
    takes,
    unknown_key,
)
from palaver.games.game import GAMES, Game, GameOptions
from palaver.studies.stages.parts import Part, Text

OPEN_CHAT = "open_chat"


class GameChoice(Part):
    """A game by name with its options; `beside` says whether they stand in the stage itself."""

    name: Text = OPEN_CHAT
    options: dict[str, Any] = Field(default_factory=dict)
    beside: bool = True

    @property
    def declaration(self) -> Game:
        """What the game declares; UnknownNameError if there is none of this name."""
        return GAMES.get(self.name)

    @property
    def steps(self) -> Steps:
        """What leads from the stage to the options."""
        return () if self.beside else ("game",)

    def read_options(self) -> GameOptions:
        """The options, checked by the game; pydantic's ValidationError is let through."""
        return self.declaration.options_type.model_validate(self.options)


def gather_game(given: Any, *, stage: Collection[str]) -> Any:
    """A chat stage as written with its game as one part; `stage` are the keys of every chat."""
    if not isinstance(given, dict):
        return given
    game = given.get("game", OPEN_CHAT)
    if isinstance(game, str):
        options = {key: value for key, value in given.items() if key not in stage}
        kept = {key: value for key, value in given.items() if key in stage}
        return {**kept, "game": {"name": game, "options": options}}
    if isinstance(game, dict):
        named = {key: value for key, value in game.items() if key == "name"}
        options = {key: value for key, value in game.items() if key != "name"}
        return {**given, "game": {**named, "options": options, "beside": False}}
    return given


def check_form(given: Any) -> Any:
    """What stands under `game`, if it can be a game at all."""
    if isinstance(given, dict | GameChoice):
        return given
    expected = "the name of a game, or a mapping with its 'name' and options"
    raise ValueError(takes(("game",), expected, given))


def games_played(stages: Any) -> dict[int, Game]:
    """The games of a file's chat stages by the place of the stage; unknown ones are left out."""
    found = {}
    for i, given in _chats(stages):
        try:
            found[i] = GAMES.get(_name(given))
        except UnknownNameError:
            continue
    return found


def game_problems(stages: Any, *, stage: Collection[str]) -> Iterator[KeyProblem]:
    """What each game says about the options it is given, at the place where they are written."""
    for i, given in _chats(stages):
        for problem in _key_problems(gather_game(given, stage=stage), stage):
            yield problem.under("stages", i, "chat")


def _chats(stages: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for i, stage in enumerate(stages if isinstance(stages, list) else []):
        match stage:
            case {"chat": dict(given), **others} if not others:
                yield i, given


def _name(given: Mapping[str, Any]) -> str:
    game = given.get("game", OPEN_CHAT)
    name = game.get("name", OPEN_CHAT) if isinstance(game, dict) else game
    return name if isinstance(name, str) else ""


def _key_problems(gathered: dict[str, Any], stage: Collection[str]) -> Iterator[KeyProblem]:
    try:
        choice = GameChoice.model_validate(gathered["game"])
    except ValidationError:  # reported with the stage
        return
    try:
        options_type = choice.declaration.options_type
    except UnknownNameError as error:
        yield KeyProblem(("game",) if choice.beside else ("game", "name"), str(error))
        return
    own = known_keys(options_type, ())
    known = sorted({*own, *(stage if choice.beside else ("name",))})
    for key in choice.options:
        if key not in own:
            yield unknown_key(key, known).under(*choice.steps)
    try:
        options_type.model_validate({k: v for k, v in choice.options.items() if k in own})
    except ValidationError as error:
        for problem in pydantic_problems(error, options_type):
            yield problem.under(*choice.steps)


# A rate stage with one of these says itself what it judges or asks.
SAYS_ITSELF = frozenset({"ask", "data", "from"})


def survey_questions(stages: Any) -> dict[str, Question]:
    """The questions of the games that a file's chats play, by name."""
    return {
        question.name: question
        for game in games_played(stages).values()
        for question in game.survey
    }


def with_surveys(data: dict[str, Any]) -> dict[str, Any]:
    """A study file in which every rate stage that leaves `ask` to the game before it has it."""
    stages = data.get("stages")
    if not isinstance(stages, list):
        return data
    games, filled = games_played(stages), []
    survey: list[str] = []
    for i, stage in enumerate(stages):
        if i in games:
            survey = [question.name for question in games[i].survey]
        match stage:
            case {"rate": dict(given), **others} if (
                survey and not others and not SAYS_ITSELF & given.keys()
            ):
                filled.append({"rate": {**given, "ask": survey}})
            case _:
                filled.append(stage)
    return {**data, "stages": filled}
