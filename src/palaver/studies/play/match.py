"""What is played, by its rules and scenarios: the first chat of a study, or a game by its name.

Every process that takes part opens the match for itself from the same few words, `MatchPlan`; what it
holds then (rules, scenarios, systems) never travels.
"""

import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError

from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError, MissingError
from palaver.core.events import Move
from palaver.core.protocols import Rules, System
from palaver.core.records import DialogueRecord
from palaver.core.registry import near
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import Deal, Pause, deal, play_many
from palaver.formats.key_problems import pydantic_problems
from palaver.games.game import GAMES, Game, Setting
from palaver.games.given_scenarios import load_scenarios
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_only_study
from palaver.studies.home import STUDY_FILE
from palaver.studies.play.players import Player
from palaver.studies.stages import ChatStage

# Dialogues that one process plays at the same time, where a system does not say otherwise.
AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Playable:
    """What somebody asked to play: a study, or a game with options."""

    study: Path | None
    game: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


def find_subject(given: str, options: Mapping[str, Any]) -> Playable:
    """The study at a path, or the game of that name; near names where there is neither."""
    path = Path(given)
    names = GAMES.names()
    if given in names and not (path / STUDY_FILE).exists():
        return Playable(study=None, game=given, options=options)
    if path.exists():
        if options:
            raise InputError(f"{given} is a study, whose game has the options of its file.")
        return Playable(study=path)
    hint = near(given, names) or f" Games: {', '.join(names)}."
    raise MissingError(
        f"The study '{given}' does not exist, and there is no game of that name.{hint}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A subject made ready: the game, its rules, and the stage of the study around it, if any."""

    game: Game
    rules: Rules
    study: Study | None = None
    stage: ChatStage | None = None

    @property
    def name(self) -> str:
        """What dialogues are filed under."""
        return self.game.name if self.study is None else self.study.name

    def draw_scenario(self, rng: random.Random) -> Scenario:
        """A scenario of the game, with the words of the study."""
        if self.stage is not None:
            return self.stage.draw_scenario(self.rules, rng)
        return msgspec.structs.replace(self.rules.new_scenario(rng), game=self.game.name)

    def pause(self) -> Pause | None:
        """How long systems seem to type in the study; a game by itself has no such pace."""
        pace = self.stage.pace if self.stage is not None else None
        if pace is None:
            return None
        return lambda move: pace.seconds(_words(move))


def open_ground(subject: Playable) -> Ground:
    """The rules of a subject; InputError where options or files cannot be used."""
    if subject.study is not None:
        study = load_only_study(subject.study)
        stage = study.chat
        if stage is None:
            raise InputError(f"The study '{study.name}' has no chat, so nothing can be played.")
        rules = stage.game_rules(study.folder)
        return Ground(game=stage.game.declaration, rules=rules, study=study, stage=stage)
    game = GAMES.get(subject.game)
    try:
        options = game.options_type.model_validate(dict(subject.options))
    except ValidationError as error:
        problems = " ".join(each.message for each in pydantic_problems(error, game.options_type))
        told = f"The game '{game.name}' cannot be played with these options: {problems}"
        raise InputError(f"{told} Give options with --option KEY=VALUE.") from error
    return Ground(game=game, rules=options.rules(Setting(), folder=Path()))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """A match in words that can be sent to another process."""

    subject: Playable
    players: tuple[Player, Player]
    seed: int
    swap: bool
    scenarios: Path | None = None
    max_turns: int | None = None
    # When the dialogues begin on their clocks.
    start: float = 0.0

    @property
    def names(self) -> tuple[str, str]:
        return (self.players[0].name, self.players[1].name)

    @property
    def condition(self) -> str:
        """What these dialogues are called in tables; never the name of a study's condition."""
        return f"selfplay:{'|'.join(self.names)}"


@dataclass(slots=True)
class Match:
    """A plan made ready; `scenarios` are those of its file."""

    plan: MatchPlan
    ground: Ground
    scenarios: Sequence[Scenario] = ()
    systems: list[System] = field(default_factory=list)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def max_turns(self) -> int:
        return self.plan.max_turns or self.ground.rules.usual_turns

    def deal(self, number: int) -> Deal:
        """What the dialogue of a number is about."""
        plan = self.plan
        draw = self.ground.draw_scenario
        return deal(number, seed=plan.seed, draw=draw, scenarios=self.scenarios, swap=plan.swap)

    def build(self) -> None:
        """Build the systems, unless that was done."""
        for player in self.plan.players if not self.systems else ():
            system = player.build()
            self._stack.push_async_callback(system.close)
            self.systems.append(system)

    async def close(self) -> None:
        """Let go of the systems."""
        self.systems.clear()
        await self._stack.aclose()

    async def play(self, first: int, count: int) -> AsyncGenerator[DialogueRecord, None]:
        """The dialogues from one number on, in their order."""
        self.build()
        dialogues = play_many(
            self.ground.rules,
            self.systems,
            names=self.plan.names,
            seed=self.plan.seed,
            count=count,
            first=first,
            max_turns=self.max_turns,
            concurrency=self._at_once(),
            draw_scenario=self.ground.draw_scenario,
            scenarios=self.scenarios,
            swap=self.plan.swap,
            start=self.plan.start,
            pause=self.ground.pause(),
        )
        async for dialogue in dialogues:
            yield self.record(dialogue)

    def record(self, dialogue: Dialogue) -> DialogueRecord:
        return DialogueRecord(
            id=dialogue.id,
            study=self.ground.name,
            condition=self.plan.condition,
            scenario=dialogue.scenario,
            seats=dialogue.seats,
            events=dialogue.events,
            created=dialogue.events[0].time,
            status="ended",
            reason=dialogue.reason,
        )

    def _at_once(self) -> int:
        asked = [player.options.get("concurrency", AT_ONCE) for player in self.plan.players]
        return max([1, *(number for number in asked if isinstance(number, int))])


def open_match(plan: MatchPlan) -> Match:
    """The match with its rules and scenarios; systems are built when it is first played."""
    ground = open_ground(plan.subject)
    scenarios: Sequence[Scenario] = ()
    if plan.scenarios is not None:
        scenarios = load_scenarios(plan.scenarios, game=ground.game.name)
    return Match(plan, ground, scenarios)


def _words(move: Move) -> str:
    return str((move.data or {}).get("text", ""))
