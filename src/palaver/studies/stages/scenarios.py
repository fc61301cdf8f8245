"""What stands there before the first word: personas, seed messages, and scenarios to draw from."""

from typing import Annotated, Literal

import msgspec
from pydantic import Strict

from palaver.core.scenario import Scenario, SeedUtterance
from palaver.studies.stages.parts import Many, Part, Text

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
