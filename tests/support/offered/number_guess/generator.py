"""Scenarios for a file: two numbers each."""

import random
from collections.abc import Iterator
from typing import Literal

import msgspec
from pydantic import Field

from number_guess.rules import NumberGuess
from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.games.game import ScenarioGenerator


class NumberGenerator(ScenarioGenerator):
    """Two numbers that differ, or may be equal."""

    digits: int = Field(default=3, ge=1, le=12, description="How many digits a number has.")
    unequal: bool = Field(default=False, description="Never give both seats the same number.")
    order: Literal["drawn", "rising"] = Field(
        default="drawn", description="Leave the numbers as drawn, or give seat 0 the smaller one."
    )

    def generate(self, count: int, rng: random.Random) -> Iterator[Scenario]:
        """`count` pairs of numbers."""
        if self.unequal and self.order == "rising" and self.digits == 1:
            raise InputError("One digit leaves too few numbers that differ and rise.")
        rules = NumberGuess(digits=self.digits)
        made = 0
        while made < count:
            scenario = rules.new_scenario(rng)
            numbers = [kb["number"] for kb in scenario.kbs]
            if self.unequal and numbers[0] == numbers[1]:
                continue
            if self.order == "rising":
                numbers.sort()
            made += 1
            yield msgspec.structs.replace(
                scenario,
                id=f"numbers-{made}",
                game="number_guess",
                kbs=tuple({"number": number} for number in numbers),
            )
