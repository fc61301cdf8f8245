"""The chat stage: a conversation, and what may be asked while it is held."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from pydantic import BeforeValidator, Field, StrictBool, ValidationError, model_validator

from palaver.core.errors import UnknownNameError
from palaver.core.protocols import Rules
from palaver.core.scenario import Scenario
from palaver.formats.key_problems import KeyProblem
from palaver.games.game import Arrangement, Setting
from palaver.studies.stages.conditions import Condition, parse_conditions
from palaver.studies.stages.durations import Duration
from palaver.studies.stages.games import GameChoice, check_form, gather_game
from palaver.studies.stages.parts import Many, Number, Part, Positive, Text
from palaver.studies.stages.scenarios import Opening, Personas, ScenarioChoice, Seed

# What `partner_leaves` and `nobody_comes` say when no system takes the seat.
PAY = "pay"


class Limits(Part):
    """How long things may take, in seconds; None is no limit."""

    message: Duration | None = 180.0
    dialogue: Duration | None = 1200.0
    idle: Duration | None = 240.0
    disconnect: Duration | None = 45.0
    waiting: Duration | None = 180.0


class Pace(Part):
    """How long a system seems to read and type, so that its speed does not give it away."""

    reading: Number = 0.5
    characters_per_second: Positive = 30.0
    at_most: Number = 8.0

    def seconds(self, text: str) -> float:
        """How long a message of this length takes."""
        return min(self.at_most, self.reading + len(text) / self.characters_per_second)


class Online(Part):
    """One question asked of each message of the partner while people chat."""

    ask: Text
    required: StrictBool = False


class ChatStage(Part):
    """A conversation: with a system, with two systems to compare, or between people."""

    kind: ClassVar[Literal["chat"]] = "chat"

    arrangement: Arrangement = "system"
    display: Literal["in_turn", "side_by_side"] = "in_turn"
    blind: StrictBool = True
    game: Annotated[GameChoice, BeforeValidator(check_form)] = GameChoice()
    seeds: Many[Seed] = ()
    personas: Personas = Personas()
    scenarios: Many[ScenarioChoice] = ()
    conditions: Annotated[Many[Condition], BeforeValidator(parse_conditions), Field(min_length=1)]
    limits: Limits = Limits()
    partner_leaves: Text = PAY
    nobody_comes: Text = PAY
    pace: Pace | None = Pace()
    online: Online | None = None

    @model_validator(mode="before")
    @classmethod
    def _gather_game(cls, given: Any) -> Any:
        return gather_game(given, stage=cls.model_fields)

    @property
    def setting(self) -> Setting:
        """What the game is told of the stage around it."""
        openings = tuple(choice.utterances for choice in self._choices())
        return Setting(self.arrangement, openings)

    def game_rules(self, folder: Path) -> Rules:
        """The rules of the game; seat 0 is the (first) person, seat 1 the partner."""
        return self.game.read_options().rules(self.setting, folder=folder)

    def draw_scenario(self, rules: Rules, rng: random.Random) -> Scenario:
        """The scenario of one dialogue: the game's own, with the words of one of the stage's."""
        scenario = msgspec.structs.replace(rules.new_scenario(rng), game=self.game.name)
        return rng.choice(self._choices()).onto(scenario)

    def system_names(self) -> set[str]:
        """The systems that may sit here, stand-ins included."""
        stand_ins = {self.partner_leaves, self.nobody_comes} - {PAY}
        return stand_ins.union(*(condition.systems for condition in self.conditions))

    def condition(self, name: str) -> Condition:
        """The condition called `name`."""
        return next(condition for condition in self.conditions if condition.name == name)

    def _choices(self) -> tuple[Opening, ...]:
        return self.scenarios or (Opening(personas=self.personas, seeds=self.seeds),)

    def key_problems(self) -> Iterator[KeyProblem]:
        """Where this stage contradicts itself."""
        yield from self._game_problems()
        yield from self._arrangement_problems()
        yield from self._condition_problems()
        yield from self._scenario_problems()

    def _game_problems(self) -> Iterator[KeyProblem]:
        try:
            options = self.game.read_options()
        except (UnknownNameError, ValidationError):  # reported by `game_problems`
            return
        for said in options.problems(self.setting):
            problem = KeyProblem(said.steps, said.message, warning=said.warning)
            yield problem.under(*self.game.steps)

    def _arrangement_problems(self) -> Iterator[KeyProblem]:
        if "display" in self.model_fields_set and self.arrangement != "paired":
            yield KeyProblem(
                ("display",), "'display' is for 'arrangement: paired' only. Leave it out."
            )
        for key in ("partner_leaves", "nobody_comes"):
            if key in self.model_fields_set and self.arrangement != "people":
                message = f"'{key}' is for 'arrangement: people' only."
                yield KeyProblem((key,), message, warning=True)

    def _condition_problems(self) -> Iterator[KeyProblem]:
        seen: dict[tuple[str, ...], int] = {}
        for i, condition in enumerate(self.conditions):
            here = ("conditions", i)
            mismatch = _mismatch(self.arrangement, condition)
            if mismatch:
                yield KeyProblem(here, mismatch)
            elif condition.key in seen:
                first = seen[condition.key] + 1
                yield KeyProblem(
                    here, f"The condition '{condition.name}' is listed twice (see {first})."
                )
            seen.setdefault(condition.key, i)

    def _scenario_problems(self) -> Iterator[KeyProblem]:
        for key in ("personas", "seeds"):
            if self.scenarios and key in self.model_fields_set:
                message = (
                    f"'{key}' cannot be combined with 'scenarios'. Move it into each scenario."
                )
                yield KeyProblem((key,), message, at_key=True)
        ids: set[str] = set()
        for i, scenario in enumerate(self.scenarios):
            if scenario.id in ids:
                yield KeyProblem(
                    ("scenarios", i, "id"), f"The scenario '{scenario.id}' is listed twice."
                )
            ids.add(scenario.id)


def _mismatch(arrangement: Arrangement, condition: Condition) -> str:
    """Why `condition` does not fit the arrangement; empty when it does."""
    count = len(condition.systems)
    if condition.people and arrangement != "people":
        return f"'people: true' needs 'arrangement: people'; it is '{arrangement}'."
    if arrangement == "paired" and count != 2:
        return f"With 'arrangement: paired' a condition has two systems; got {count}."
    if arrangement != "paired" and count > 1:
        return (
            f"With 'arrangement: {arrangement}' a condition has one system; got {count}. "
            "Two are compared with 'arrangement: paired'."
        )
    return ""
