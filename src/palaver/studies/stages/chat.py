"""The chat stage: who talks with whom, what stands there before the first word, how long it takes."""

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from pydantic import (
    BeforeValidator,
    Field,
    Strict,
    StrictBool,
    ValidationError,
    model_validator,
)

from palaver.core.errors import UnknownNameError
from palaver.core.protocols import Rules
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.core.words import counted
from palaver.formats.key_problems import KeyProblem
from palaver.games.game import Arrangement, Setting
from palaver.studies.stages.conditions import Condition, mismatch, parse_conditions
from palaver.studies.stages.games import GameChoice, check_form, gather_game
from palaver.studies.stages.parts import (
    Count,
    Duration,
    Many,
    Number,
    Part,
    Positive,
    Text,
    Told,
)

# What `partner_leaves` and `nobody_comes` say when no system takes the seat; whoever is left by a
# partner may also be given another one.
PAY = "pay"
AGAIN = "again"

Retries = Annotated[int, Strict(), Field(ge=0, le=100)]

# Seat 0 is the person (between people: the first one), seat 1 the partner; unless seats are drawn.
PERSON, PARTNER = 0, 1


class Seed(Part):
    """A message that stands there before anybody speaks."""

    by: Literal["person", "partner"]
    text: Text


class Personas(Part):
    """Who each side is asked to be, line by line."""

    person: Many[Text] = ()
    partner: Many[Text] = ()


class Opening(Part):
    """Words that a study adds to the scenario of a game; what it leaves out stays the game's."""

    personas: Personas = Personas()
    seeds: Many[Seed] = ()

    @property
    def utterances(self) -> tuple[SeedUtterance, ...]:
        """The seeds, each at its seat."""
        return tuple(
            SeedUtterance(seat=PERSON if seed.by == "person" else PARTNER, text=seed.text)
            for seed in self.seeds
        )

    def onto(self, scenario: Scenario) -> Scenario:
        """The game's scenario with these words."""
        personas = (self.personas.person, self.personas.partner)
        return msgspec.structs.replace(
            scenario,
            personas=personas if any(personas) else scenario.personas,
            seeds=self.utterances or scenario.seeds,
        )


class ScenarioChoice(Opening):
    """One of several settings, of which each dialogue draws one."""

    id: Text
    title: Annotated[str, Strict()] = ""

    def onto(self, scenario: Scenario) -> Scenario:
        """The game's scenario under this name."""
        title = self.title or scenario.title
        return msgspec.structs.replace(super().onto(scenario), id=self.id, title=title)


class LimitTerms(Part):
    """How long things may take, in seconds; None is no limit."""

    message: Duration | None = 180.0
    dialogue: Duration | None = 1200.0
    idle: Duration | None = 240.0
    disconnect: Duration | None = 45.0
    waiting: Duration | None = 180.0


class PaceTerms(Part):
    """How long a system seems to read and type, so that its speed does not give it away."""

    reading: Number = 0.5
    characters_per_second: Positive = 30.0
    at_most: Number = 8.0

    def seconds(self, text: str) -> float:
        """How long a message of this length takes."""
        return min(self.at_most, self.reading + len(text) / self.characters_per_second)


class DisguiseTerms(Part):
    """What a blind system must not say of itself, and what is done when it does."""

    names: Many[Text] = ()
    on_match: Literal["mask", "ask_again"] = "mask"


class Online(Part):
    """One question asked of each message of the partner while people chat."""

    ask: Text
    required: StrictBool = False


class ChatStage(Part):
    """A conversation: with a system, with two systems to compare, or between people."""

    kind: ClassVar[Literal["chat"]] = "chat"
    # What people call this part of a study.
    called: ClassVar[str] = "conversation"

    minutes: Count | None = None
    arrangement: Arrangement = "system"
    display: Literal["in_turn", "side_by_side"] = "in_turn"
    blind: StrictBool = True
    game: Annotated[GameChoice, BeforeValidator(check_form)] = GameChoice()
    seeds: Many[Seed] = ()
    personas: Personas = Personas()
    scenarios: Many[ScenarioChoice] = ()
    conditions: Annotated[Many[Condition], BeforeValidator(parse_conditions), Field(min_length=1)]
    limits: LimitTerms = LimitTerms()
    partner_leaves: Text = PAY
    nobody_comes: Text = PAY
    # How many further conversations somebody gets after one that did not count.
    retries: Retries = 2
    practice: StrictBool = False
    pace: PaceTerms | None = PaceTerms()
    disguise: DisguiseTerms | None = DisguiseTerms()
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

    @property
    def is_blind(self) -> bool:
        """Whether people are not to know what they talk with; in practice they are told."""
        return self.blind and not self.practice

    @property
    def draws_seats(self) -> bool:
        """Whether a person and a system draw their seats: where the seats know different things."""
        knows = bool(self.game.declaration.knowledge)
        return self.arrangement != "people" and knows and self.game.read_options().draws_seats

    @property
    def waits_in_vain(self) -> bool:
        """Whether somebody may wait and meet nobody, not even a system that stands in."""
        return self.arrangement == "people" and self.nobody_comes == PAY

    @property
    def told(self) -> Told:
        """The chat in words that give away neither the systems nor whether there are any."""
        if self.practice:
            return Told(
                "Practice round", "You try it out with a program. It does not count, only teaches."
            )
        if self.arrangement == "paired":
            order = "side by side" if self.display == "side_by_side" else "one after the other"
            return Told(f"Chat with two partners, {order}", self._messages("in each"))
        details = [self._messages("in all")]
        if self.arrangement == "people":
            waiting = self.limits.waiting
            at_most = f", at most {counted(math.ceil(waiting / 60), 'minute')}" if waiting else ""
            details.insert(0, f"You may have to wait for your partner{at_most}.")
        return Told("Chat with a partner", " ".join(filter(None, details)))

    def _messages(self, where: str) -> str:
        length = self.game.read_options().length
        least = "" if length.exactly else "At least "
        number = length.exactly or length.at_least
        return (
            f"{least}{counted(number, 'message')} {where}, your partner's included."
            if number
            else ""
        )

    def game_rules(self, folder: Path) -> Rules:
        """The rules of the game; seat 0 is the (first) person, seat 1 the partner."""
        return self.game.read_options().rules(self.setting, folder=folder)

    def draw_scenario(self, rules: Rules, rng: random.Random) -> Scenario:
        """The scenario of one dialogue: the game's own, with the words of one of the stage's."""
        scenario = msgspec.structs.replace(rules.new_scenario(rng), game=self.game.name)
        return rng.choice(self._choices()).onto(scenario)

    def countable(self, rules: Rules) -> tuple[str, ...]:
        """The scenarios that can be counted one by one: those of the stage, or of its game."""
        return tuple(scenario.id for scenario in self.scenarios or rules.scenarios)

    def make_scenario(self, rules: Rules, chosen: str, rng: random.Random) -> Scenario:
        """The scenario of one dialogue, which is to be the countable one called `chosen`."""
        if self.scenarios:
            choice = next(choice for choice in self.scenarios if choice.id == chosen)
            own = rules.new_scenario(rng)
            return choice.onto(msgspec.structs.replace(own, game=self.game.name))
        own = next(scenario for scenario in rules.scenarios if scenario.id == chosen)
        return self._choices()[0].onto(msgspec.structs.replace(own, game=self.game.name))

    def system_names(self) -> set[str]:
        """The systems that may sit here, stand-ins included."""
        stand_ins = {self.partner_leaves, self.nobody_comes} - {PAY, AGAIN}
        return stand_ins.union(*(condition.systems for condition in self.conditions))

    @property
    def seats_of_systems(self) -> frozenset[int]:
        """The seats that a system may hold; between people nobody is to see which one does."""
        if not self.system_names():
            return frozenset()
        either = self.arrangement == "people" or self.draws_seats
        return frozenset({PERSON, PARTNER} if either else {PARTNER})

    def condition(self, name: str) -> Condition:
        return next(condition for condition in self.conditions if condition.name == name)

    def _choices(self) -> tuple[Opening, ...]:
        return self.scenarios or (Opening(personas=self.personas, seeds=self.seeds),)

    def key_problems(self) -> Iterator[KeyProblem]:
        """Where this stage contradicts itself."""
        yield from self._game_problems()
        yield from self._arrangement_problems()
        yield from self._condition_problems()
        yield from self._scenario_problems()
        yield from self._practice_problems()

    def _practice_problems(self) -> Iterator[KeyProblem]:
        if not self.practice:
            return
        if self.arrangement != "system":
            message = (
                f"Practice is with one system, 'arrangement: system'; it is '{self.arrangement}'."
            )
            yield KeyProblem(("arrangement",), message)
        if "blind" in self.model_fields_set and self.blind:
            yield KeyProblem(("blind",), "In practice people are told that it is a program.")
        if self.online is not None:
            yield KeyProblem(("online",), "Nothing is asked about practice. Leave 'online' out.")
        for i, condition in enumerate(self.conditions):
            if condition.needed is not None or condition.per_scenario is not None:
                message = "Practice has no quota. Leave 'needed' and 'per_scenario' out."
                yield KeyProblem(("conditions", i), message)

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
        if self.nobody_comes == AGAIN:
            message = (
                "'nobody_comes' is 'pay' or the name of a system; nobody is there to meet again."
            )
            yield KeyProblem(("nobody_comes",), message)

    def _condition_problems(self) -> Iterator[KeyProblem]:
        seen: dict[tuple[str, ...], int] = {}
        for i, condition in enumerate(self.conditions):
            here = ("conditions", i)
            misfit = mismatch(self.arrangement, condition)
            if misfit:
                yield KeyProblem(here, misfit)
            elif condition.key in seen:
                first = seen[condition.key] + 1
                yield KeyProblem(
                    here, f"The condition '{condition.name}' is listed twice (see {first})."
                )
            seen.setdefault(condition.key, i)

    def counting_problems(self, rules: Rules) -> Iterator[KeyProblem]:
        """Where each scenario has a quota and there are none that could be counted."""
        if self.countable(rules):
            return
        for i, condition in enumerate(self.conditions):
            if condition.per_scenario is not None:
                message = (
                    f"'per_scenario' needs scenarios that can be counted; the game "
                    f"'{self.game.name}' makes each anew. List some under 'scenarios', name a file "
                    "of them, or say 'needed'."
                )
                yield KeyProblem(("conditions", i, "per_scenario"), message)

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
