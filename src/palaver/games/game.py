"""A game: everything that Palaver must know of it, declared in the game's own folder.

A game is one object. Its options come from the study file and make its rules; its templates, its
element and its words are what people see of it; its survey, checks and metrics are what is asked,
looked for and computed once it is over. Whoever needs one of these asks the game; nobody lists games.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.events import END, MESSAGE, Event
from palaver.core.protocols import Length, Rules
from palaver.core.questions.question import Question
from palaver.core.registry import Registry
from palaver.core.scenario import Scenario, SeedUtterance

Arrangement = Literal["system", "paired", "people"]
Count = Annotated[int, Strict(), Field(ge=1, le=1_000_000_000)]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the stage around a game says: who plays, and how each of its scenarios begins."""

    arrangement: Arrangement = "system"
    openings: tuple[tuple[SeedUtterance, ...], ...] = ((),)


@dataclass(frozen=True, slots=True)
class OptionProblem:
    """What is wrong with options that are each right by themselves; `steps` lead to one of them."""

    steps: tuple[str | int, ...]
    message: str
    warning: bool = False


class GameOptions(BaseModel, ABC):
    """What a study file can say of a game: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    @abstractmethod
    def rules(self, setting: Setting, *, folder: Path) -> Rules:
        """The rules; paths in the options are relative to `folder`.

        InputError where something that the options name cannot be used.
        """

    @property
    def length(self) -> Length:
        """How many messages it takes, as people are told beforehand; empty where that varies."""
        return Length()

    def problems(self, setting: Setting) -> Iterator[OptionProblem]:
        """Where the options contradict each other or the stage around them."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found in a finished dialogue, and at which seat; None: at no one's."""

    check: str
    words: str
    seat: int | None = None


# What an event says to a seat ("You offered 5."), or, where the viewer is None, beside the name of
# whoever did it ("offers 5"). Empty where there is nothing to say.
Tell = Callable[[Event, int | None], str]
Check = Callable[[Dialogue], Iterable[Finding]]


def _tell_nothing(event: Event, viewer: int | None) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What a game declares.

    `knowledge` and `moves` are templates in `folder/templates`: what a seat knows, beside the
    conversation, and what it can do, above the composer. `element` (an ES module) and `style` are
    files in `folder/static`. `survey` are the questions it brings for after the chat. `metrics` are
    names that `palaver.metrics.find_metric` knows, or `module:function`; they are given dialogues
    as `dialogues.jsonl` has them.
    """

    name: str
    folder: Path
    options_type: type[GameOptions]
    knowledge: str = ""
    moves: str = ""
    element: str = ""
    style: str = ""
    tell: Tell = _tell_nothing
    survey: tuple[Question, ...] = ()
    checks: tuple[Check, ...] = ()
    metrics: tuple[str, ...] = ()

    @property
    def templates(self) -> Path:
        return self.folder / "templates"

    @property
    def static(self) -> Path:
        """Where the files are that its pages load."""
        return self.folder / "static"

    def words(self, event: Event, viewer: int | None = None) -> str:
        """How a move or the end reads to a viewer (see `Tell`).

        Empty where the game says nothing, once the move was erased, and for a message, which has
        words of its own.
        """
        told = event.action == END or (event.is_turn and event.action != MESSAGE)
        return self.tell(event, viewer) if told and event.data is not None else ""

    def findings(self, dialogue: Dialogue) -> tuple[Finding, ...]:
        """What its checks find in a dialogue; nothing before the end."""
        if not dialogue.is_over:
            return ()
        return tuple(finding for check in self.checks for finding in check(dialogue))


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
