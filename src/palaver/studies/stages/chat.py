"""The chat stage: who talks with whom, what stands there before the first word, how long it takes.

A condition names one system, two systems that one person compares, or people. Its name ("a", "a|b",
"people") is what dialogues carry. The short form of a list of conditions is the one of the
ChatEvaluationPlatform: `a|b:20,a:10`.
"""

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
    field_validator,
    model_validator,
)

from palaver.core.errors import UnknownNameError
from palaver.core.protocols import Rules
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.core.words import counted
from palaver.formats.key_problems import KeyProblem
from palaver.games.game import Arrangement, Setting
from palaver.studies.stages.games import GameChoice, check_form, gather_game
from palaver.studies.stages.parts import (
    Count,
    Duration,
    Many,
    Number,
    Part,
    Positive,
    SystemName,
    Text,
    Told,
)

# What `partner_leaves` and `nobody_comes` say when no system takes the seat.
PAY = "pay"


PEOPLE = "people"
BETWEEN = "|"
SHORT_FORM = "Expected 'system:needed' or 'first|second:needed', separated by commas"


class Condition(Part):
    """One cell of the design; `needed` is None where there is no quota."""

    systems: Many[SystemName] = ()
    people: StrictBool = False
    needed: Count | None = None

    @property
    def name(self) -> str:
        """The systems in the order written, joined by a bar; or "people"."""
        return PEOPLE if self.people else BETWEEN.join(self.systems)

    @property
    def key(self) -> tuple[str, ...]:
        """The same for conditions that differ in nothing but order."""
        return (PEOPLE,) if self.people else tuple(sorted(self.systems))

    @field_validator("systems", mode="before")
    @classmethod
    def _one_is_a_list(cls, systems: Any) -> Any:
        return [systems] if isinstance(systems, str) else systems

    @model_validator(mode="after")
    def _systems_or_people(self) -> "Condition":
        if self.people == bool(self.systems):
            raise ValueError("A condition has either 'systems: [...]' or 'people: true'.")
        return self


def parse_conditions(written: Any) -> Any:
    """The list of mappings that the short form `a|b:20,a:10` stands for.

    >>> parse_conditions("a|b:20,a")
    [{'systems': ['a', 'b'], 'needed': 20}, {'systems': ['a'], 'needed': None}]

    Anything that is not text is given back as it is.
    """
    if not isinstance(written, str):
        return written
    return [_parse_condition(part.strip()) for part in written.split(",")]


def _parse_condition(part: str) -> dict[str, Any]:
    names, colon, needed = (piece.strip() for piece in part.partition(":"))
    if not names or (colon and not (needed.isascii() and needed.isdecimal())):
        raise ValueError(f"{SHORT_FORM}; got '{part}'.")
    quota: dict[str, Any] = {"needed": int(needed) if colon else None}
    if names == PEOPLE:
        return {"people": True, **quota}
    return {"systems": [name.strip() for name in names.split(BETWEEN)], **quota}


# Seat 0 is the person (between people: the first one), seat 1 the partner.
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
    limits: Limits = Limits()
    partner_leaves: Text = PAY
    nobody_comes: Text = PAY
    pace: Pace | None = Pace()
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
    def waits_in_vain(self) -> bool:
        """Whether somebody may wait and meet nobody, not even a system that stands in."""
        return self.arrangement == "people" and self.nobody_comes == PAY

    @property
    def told(self) -> Told:
        """The chat in words that give away neither the systems nor whether there are any."""
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

    def system_names(self) -> set[str]:
        """The systems that may sit here, stand-ins included."""
        stand_ins = {self.partner_leaves, self.nobody_comes} - {PAY}
        return stand_ins.union(*(condition.systems for condition in self.conditions))

    @property
    def seats_of_systems(self) -> frozenset[int]:
        """The seats that a system may hold; between people nobody is to see which one does."""
        if not self.system_names():
            return frozenset()
        return frozenset({PERSON, PARTNER} if self.arrangement == "people" else {PARTNER})

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
