"""The chat stage: a conversation, and what may be asked while it is held."""

import random
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from palaver.core.errors import UnknownNameError
from palaver.core.protocols import Game
from palaver.core.scenario import Scenario
from palaver.formats.faults import Fault
from palaver.games.registry import GAMES
from palaver.studies.conditions import Condition, parse_conditions
from palaver.studies.durations import Duration
from palaver.studies.parts import Count, Many, Number, Part, Positive, Text
from palaver.studies.scenarios import PARTNER, PERSON, Personas, ScenarioChoice, Seed

Arrangement = Literal["system", "paired", "people"]
Taking = Literal["alternate", "free"]
Opens = Literal["person", "system", "first", "either"]

SEATS = {"person": PERSON, "first": PERSON, "system": PARTNER, "either": None}
# The first is the default.
OPENERS: dict[Arrangement, tuple[Opens, ...]] = {
    "system": ("person", "system", "either"),
    "paired": ("person", "system", "either"),
    "people": ("either", "first"),
}
# What `partner_leaves` and `nobody_comes` say when no system takes the seat.
PAY = "pay"


class Turns(Part):
    """How long a chat is, counted in messages of both seats, seeds included."""

    exactly: Count | None = None
    at_least: Count | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> "Turns":
        if (self.exactly is None) == (self.at_least is None):
            raise ValueError("'turns' has either 'exactly' or 'at_least'.")
        return self


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
    game: Annotated[str, Field(strict=True)] = "open_chat"
    turns: Turns
    taking: Taking = Field(default_factory=lambda given: _taking(given["arrangement"]))
    opens: Opens = Field(default_factory=lambda given: OPENERS[given["arrangement"]][0])
    max_characters: Count = 2000
    seeds: Many[Seed] = ()
    personas: Personas = Personas()
    scenarios: Many[ScenarioChoice] = ()
    conditions: Annotated[Many[Condition], BeforeValidator(parse_conditions), Field(min_length=1)]
    limits: Limits = Limits()
    partner_leaves: Text = PAY
    nobody_comes: Text = PAY
    pace: Pace | None = Pace()
    online: Online | None = None

    def game_rules(self) -> Game:
        """The rules of the game; seat 0 is the (first) person, seat 1 the partner."""
        rules: Any = GAMES.get(self.game)
        game: Game = rules(
            exactly=self.turns.exactly,
            at_least=self.turns.at_least,
            opens=SEATS[self.opens],
            taking=self.taking,
            max_characters=self.max_characters,
        )
        return game

    def draw_scenario(self, rng: random.Random) -> Scenario:
        """The scenario of one dialogue: one of those listed, or the one of the stage itself."""
        scenario = self.game_rules().new_scenario(rng)
        return rng.choice(self._choices(scenario.id)).onto(scenario)

    def system_names(self) -> set[str]:
        """The systems that may sit here, stand-ins included."""
        stand_ins = {self.partner_leaves, self.nobody_comes} - {PAY}
        return stand_ins.union(*(condition.systems for condition in self.conditions))

    def condition(self, name: str) -> Condition:
        """The condition called `name`."""
        return next(condition for condition in self.conditions if condition.name == name)

    def _choices(self, id: str) -> tuple[ScenarioChoice, ...]:
        own = ScenarioChoice(id=id, personas=self.personas, seeds=self.seeds)
        return self.scenarios or (own,)

    def faults(self) -> Iterator[Fault]:
        """Where this stage contradicts itself."""
        yield from self._game_faults()
        yield from self._arrangement_faults()
        yield from self._condition_faults()
        yield from self._scenario_faults()
        yield from self._length_faults()

    def _game_faults(self) -> Iterator[Fault]:
        try:
            GAMES.get(self.game)
        except UnknownNameError as error:
            yield Fault(("game",), str(error))

    def _arrangement_faults(self) -> Iterator[Fault]:
        if "display" in self.model_fields_set and self.arrangement != "paired":
            yield Fault(("display",), "'display' is for 'arrangement: paired' only. Leave it out.")
        openers = OPENERS[self.arrangement]
        if self.opens not in openers:
            expected = " or ".join(repr(opener) for opener in openers)
            message = f"With 'arrangement: {self.arrangement}', 'opens' takes {expected}"
            yield Fault(("opens",), f"{message}; got '{self.opens}'.")
        for key in ("partner_leaves", "nobody_comes"):
            if key in self.model_fields_set and self.arrangement != "people":
                message = f"'{key}' matters with 'arrangement: people' only."
                yield Fault((key,), message, warning=True)

    def _condition_faults(self) -> Iterator[Fault]:
        seen: dict[tuple[str, ...], int] = {}
        for i, condition in enumerate(self.conditions):
            here = ("conditions", i)
            mismatch = _mismatch(self.arrangement, condition)
            if mismatch:
                yield Fault(here, mismatch)
            elif condition.key in seen:
                first = seen[condition.key] + 1
                yield Fault(
                    here, f"The condition '{condition.name}' stands here again (see {first})."
                )
            seen.setdefault(condition.key, i)

    def _scenario_faults(self) -> Iterator[Fault]:
        for key in ("personas", "seeds"):
            if self.scenarios and key in self.model_fields_set:
                message = f"'{key}' stands beside 'scenarios'. Move it into each scenario."
                yield Fault((key,), message, at_key=True)
        ids: set[str] = set()
        for i, scenario in enumerate(self.scenarios):
            if scenario.id in ids:
                yield Fault(
                    ("scenarios", i, "id"), f"The scenario '{scenario.id}' stands here again."
                )
            ids.add(scenario.id)

    def _length_faults(self) -> Iterator[Fault]:
        exactly = self.turns.exactly
        if exactly is None:
            return
        seeds = max((choice.seeds for choice in self._choices("open")), key=len)
        if exactly < len(seeds) + 1:
            message = f"'exactly' counts seeds too: there are {len(seeds)}, so it takes"
            yield Fault(("turns", "exactly"), f"{message} {len(seeds) + 1} or more; got {exactly}.")
        elif self.arrangement != "people" and self._last_speaker(exactly, seeds) == PERSON:
            yield Fault(
                ("turns", "exactly"),
                f"With {exactly} messages the person speaks last and gets no reply. "
                f"{exactly + 1} would let the system answer.",
                warning=True,
            )

    def _last_speaker(self, exactly: int, seeds: tuple[Seed, ...]) -> int | None:
        """The seat that sends the last message, where the rules fix it."""
        if self.taking != "alternate":
            return None
        if seeds:
            last = PERSON if seeds[-1].by == "person" else PARTNER
            return (last + exactly - len(seeds)) % 2
        first = SEATS[self.opens]
        return None if first is None else (first + exactly - 1) % 2


def _taking(arrangement: Arrangement) -> Taking:
    return "free" if arrangement == "people" else "alternate"


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
