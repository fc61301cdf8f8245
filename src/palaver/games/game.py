"""A game: everything that Palaver must know of it, declared in the game's own folder.

A game is one object. Its options come from the study file and make its rules; its templates, its
element and its words are what people see of it; its survey, checks and metrics are what is asked,
looked for and computed once it is over; its generator, bots and starter are how one begins. Whoever
needs one of these asks the game; nobody lists games.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError, MoveError, UnknownNameError
from palaver.core.events import END, MESSAGE, Event, Move
from palaver.core.protocols import Length, Rules
from palaver.core.questions.question import Question
from palaver.core.registry import Registry
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.formats.knowledge_tables import KnowledgeTable, knowledge_tables
from palaver.formats.move_words import move_words
from palaver.formats.outcome_words import NameOf, OutcomeWords, outcome_words

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

    @property
    def draws_seats(self) -> bool:
        """Whether a person who meets a system may sit at either seat, by lot."""
        return True

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


# What one seat alone knows, as tables for whoever reads the dialogue afterwards.
Facts = Callable[[Scenario, int], tuple[KnowledgeTable, ...]]
# What a language model is told before it plays: the game, what its seat knows, the tags it writes.
Brief = Callable[[Scenario, int], tuple[str, ...]]
# The move that a tag such as `<offer> 120` stands for, given its action, the words behind it, the
# scenario as the seat sees it, and the seat; MoveError where it cannot be understood.
ReadTag = Callable[[str, str, Scenario, int], Move]
# The tag that stands for a move; empty for a message.
WriteTag = Callable[[Event], str]


def _tell_nothing(event: Event, viewer: int | None) -> str:
    return ""


def _tell_by_shape(game: str) -> Tell:
    """The words that moves of CoCoA's games have wherever they are read."""
    return lambda event, viewer: move_words(event, game=game) if viewer is None else ""


def _brief_nothing(scenario: Scenario, seat: int) -> tuple[str, ...]:
    return ()


def _refuse_tag(action: str, words: str, scenario: Scenario, seat: int) -> Move:
    raise MoveError("unknown_action", f"There is no move '<{action}>' in this game.")


def _write_no_tag(event: Event) -> str:
    return ""


class ScenarioGenerator(BaseModel, ABC):
    """What `palaver scenarios generate` can be told of a game; its fields become options.

    A field's description is its help. Fields without a default must be given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @abstractmethod
    def generate(self, count: int, rng: random.Random) -> Iterator[Scenario]:
        """`count` scenarios, the same for the same dice; fewer where the material runs out.

        InputError where a file cannot be used or the parameters contradict each other.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What a game declares.

    `knowledge` and `moves` are templates in `folder/templates`: what a seat knows, beside the
    conversation, and what it can do, above the composer. `element` (an ES module) and `style` are
    files in `folder/static`. `facts` are what a seat knew, for the desk, reports and the viewer; by
    the shape of the knowledge where a game does not say. `survey` are the questions it brings for
    after the chat. `metrics` are names that `palaver.metrics.find_metric` knows, or
    `module:function`; they are given dialogues as `dialogues.jsonl` has them.

    `bots` are the systems that come with it, by name, each as `module:Class` for a system of the
    kind `python`; the first is the one that plays well. `measure` is `module:function`, given
    dialogues of people: see `games.measurement`. `starter` is the name of its study for
    `palaver init --template`, whose files are those of `folder/material`.
    """

    name: str
    folder: Path
    options_type: type[GameOptions]
    knowledge: str = ""
    moves: str = ""
    element: str = ""
    style: str = ""
    tell: Tell = _tell_nothing
    facts: Facts = knowledge_tables
    survey: tuple[Question, ...] = ()
    checks: tuple[Check, ...] = ()
    metrics: tuple[str, ...] = ()
    generator: type[ScenarioGenerator] | None = None
    bots: Mapping[str, str] = field(default_factory=dict)
    measure: str = ""
    starter: str = ""
    brief: Brief = _brief_nothing
    read_tag: ReadTag = _refuse_tag
    write_tag: WriteTag = _write_no_tag

    @property
    def has_tags(self) -> bool:
        """Whether it can be played in words alone, with tags for its moves."""
        return self.read_tag is not _refuse_tag

    @property
    def material(self) -> Path:
        """Where the study is that one starts from, with its scenarios and pictures."""
        return self.folder / "material"

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

    def outcome(self, ending: Event, scenario: Scenario, name_of: NameOf) -> OutcomeWords:
        """What came of a dialogue, to whoever reads it afterwards; empty where nothing did."""
        outcome = (ending.data or {}).get("outcome")
        known = outcome if isinstance(outcome, dict) else {}
        told = outcome_words(scenario, known, name_of)
        own = self.words(ending)
        return OutcomeWords(told.brief, own) if own else told

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
    """The game of a scenario; where it is not installed, one that words only moves we know."""
    try:
        return GAMES.get(scenario.game)
    except UnknownNameError:
        return Game(
            name=scenario.game,
            folder=Path(),
            options_type=_NotInstalled,
            tell=_tell_by_shape(scenario.game),
        )
