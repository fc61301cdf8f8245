"""Scenarios made by lot, as CoCoA made them: two tables of friends that share exactly one.

Each attribute gets an alpha by lot and up to twice as many values as there are rows; each seat draws
its own distribution over these values from a symmetric Dirichlet with that alpha, and friends from
the distributions. Low alphas make tables in which one value prevails. CoCoA's upper bound for the
number of attributes was exclusive, so that `3 to 4` always gave 3; here both ends can come.
"""

import math
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from string import ascii_letters, digits
from typing import Annotated

import msgspec
from pydantic import Field, model_validator

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.schema import CocoaSchema, SchemaAttribute, load_schema
from palaver.games.game import ScenarioGenerator

SCHEMA = Path(__file__).parent / "material" / "schema.json"
GAME_NAME = "mutual_friends"
# Rounds in which each seat gets one more friend, before everything is drawn anew; and how often.
ROUNDS = 100_000
TRIES = 20

_Row = tuple[str, ...]
_Positive = Annotated[int, Field(ge=1, le=1000)]


class MutualFriendsGenerator(ScenarioGenerator):
    """How large the tables are, and how alike the friends in them."""

    schema_file: Path | None = Field(None, description="schema of attributes and values (JSON)")
    num_items: _Positive = Field(10, description="friends in each table")
    random_items: bool = Field(False, description="draw the number of friends by lot instead")
    min_items: _Positive = Field(5, description="fewest friends drawn by lot")
    max_items: _Positive = Field(12, description="most friends drawn by lot")
    random_attributes: bool = Field(
        False, description="draw attributes by lot instead of using all"
    )
    min_attributes: _Positive = Field(3, description="fewest attributes drawn by lot")
    max_attributes: _Positive = Field(4, description="most attributes drawn by lot")
    alphas: tuple[Annotated[float, Field(gt=0, le=1000)], ...] = Field(
        (0.3, 1.0, 3.0), min_length=1, description="concentrations to draw from for each attribute"
    )

    @model_validator(mode="after")
    def _in_order(self) -> "MutualFriendsGenerator":
        for least, most in (("min_items", "max_items"), ("min_attributes", "max_attributes")):
            low, high = getattr(self, least), getattr(self, most)
            if low > high:
                raise ValueError(f"'{least}' must not be more than '{most}'; got {low} and {high}.")
        return self

    def generate(self, count: int, rng: random.Random) -> Iterator[Scenario]:
        """`count` scenarios; InputError where the schema has too few values for the tables."""
        schema = load_schema(self.schema_file or SCHEMA)
        usable = [each for each in schema.attributes if schema.values.get(each.value_type)]
        wanted = self.max_attributes if self.random_attributes else 1
        if len(usable) < wanted:
            raise InputError(
                f"The schema has {len(usable)} attributes with values; {wanted} are needed."
            )
        for _ in range(count):
            yield self._scenario(schema, usable, rng)

    def _scenario(
        self, schema: CocoaSchema, usable: list[SchemaAttribute], rng: random.Random
    ) -> Scenario:
        for _ in range(TRIES):
            size = rng.randint(self.min_items, self.max_items) if self.random_items else 0
            attributes = self._attributes(usable, rng)
            alphas = [rng.choice(self.alphas) for _ in attributes]
            values = [schema.values[attribute.value_type] for attribute in attributes]
            tables = draw_tables(values, alphas, size or self.num_items, rng)
            if tables is not None:
                names = [attribute.name for attribute in attributes]
                return Scenario(
                    id=f"S_{''.join(rng.choices(ascii_letters + digits, k=16))}",
                    game=GAME_NAME,
                    kbs=tuple(
                        [dict(zip(names, r, strict=True)) for r in table] for table in tables
                    ),
                    extra={"attributes": msgspec.to_builtins(attributes), "alphas": alphas},
                )
        raise InputError(
            f"In {TRIES} tries no two tables of this size shared exactly one friend. "
            "Take fewer friends, more attributes, or a schema with more values."
        )

    def _attributes(
        self, usable: list[SchemaAttribute], rng: random.Random
    ) -> list[SchemaAttribute]:
        """All attributes, or some by lot, in the order of the schema."""
        if not self.random_attributes:
            return usable
        number = rng.randint(self.min_attributes, self.max_attributes)
        return [usable[n] for n in sorted(rng.sample(range(len(usable)), number))]


def draw_tables(
    values: list[list[str]], alphas: list[float], size: int, rng: random.Random
) -> tuple[list[_Row], list[_Row]] | None:
    """Two tables of `size` different rows that share exactly one; None where it did not come about."""
    known = [list(dict.fromkeys(each)) for each in values]
    candidates = [rng.sample(each, min(len(each), 2 * size)) for each in known]
    if math.prod(map(len, candidates)) < size:
        return None
    drawers = [
        [_weights(len(each), alpha, rng) for each, alpha in zip(candidates, alphas, strict=True)]
        for _ in range(2)
    ]
    # Dictionaries keep the order in which friends came, and find them at once.
    tables: list[dict[_Row, None]] = [{}, {}]
    match: _Row | None = None
    for _ in range(ROUNDS):
        for seat in (0, 1):
            row = tuple(
                rng.choices(each, cum_weights=weights)[0]
                for each, weights in zip(candidates, drawers[seat], strict=True)
            )
            if row in tables[1 - seat] and row not in tables[seat]:
                if match is not None:
                    continue
                match = row
            tables[seat][row] = None
        if match is not None and min(map(len, tables)) >= size:
            return _cut(list(tables[0]), match, size, rng), _cut(list(tables[1]), match, size, rng)
    return None


def _weights(number: int, alpha: float, rng: random.Random) -> list[float]:
    """The running sum of a draw from a symmetric Dirichlet."""
    drawn = [rng.gammavariate(alpha, 1.0) for _ in range(number)]
    return list(accumulate(drawn if sum(drawn) > 0 else [1.0] * number))


def _cut(table: list[_Row], match: _Row, size: int, rng: random.Random) -> list[_Row]:
    """The match and the first others, shuffled."""
    kept = [match, *(row for row in table if row != match)][:size]
    rng.shuffle(kept)
    return kept
