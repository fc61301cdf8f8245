"""Scenarios to divide: taken from a file of contexts, or made up like those.

Of every kind of item there are one to four, all together five to seven; to each side everything is
worth ten points; each kind is worth something to one side or the other, and one of them to both, so
that there is something to talk about. These bounds are those of the contexts that CoCoA shipped.
"""

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Annotated

from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.deal_text import ITEMS
from palaver.formats.cocoa.made_ids import made_id
from palaver.formats.cocoa.scenarios import DEAL, DEAL_KEYS
from palaver.games.deal_or_no_deal.options import load_contexts
from palaver.games.game import ScenarioGenerator

# More of one kind would leave a single piece of each other.
MOST_OF_A_KIND = 4
ATTRIBUTES = [
    {"name": name, "value_type": kind, "unique": False, "multivalued": False, "entity": True}
    for name, kind in zip(DEAL_KEYS, ("item", "integer", "integer"), strict=True)
]


class DealGenerator(ScenarioGenerator):
    """Contexts from a file, or made up."""

    contexts: Annotated[
        str, Field(description="a file of contexts to take, two lines of six numbers each")
    ] = ""
    items: Annotated[str, Field(description="the kinds of items, with commas between them")] = (
        ",".join(ITEMS)
    )
    least_items: Annotated[int, Field(ge=2, le=20, description="the fewest items in all")] = 5
    most_items: Annotated[int, Field(ge=2, le=20, description="the most items in all")] = 7
    points: Annotated[
        int, Field(ge=1, le=100, description="what all items are worth together, to either side")
    ] = 10

    def generate(self, count: int, rng: random.Random) -> Iterator[Scenario]:
        """Scenarios from the file, in its order; or made up."""
        if self.contexts:
            return islice(iter(load_contexts(Path(self.contexts))), count)
        return self._made(count, rng)

    def _made(self, count: int, rng: random.Random) -> Iterator[Scenario]:
        names = [name.strip() for name in self.items.split(",")]
        if not 2 <= len(names) <= 5 or not all(names) or len(set(names)) < len(names):
            raise InputError(f"'items' takes two to five different names; got '{self.items}'.")
        totals = range(self.least_items, self.most_items + 1)
        piles = [
            pile
            for pile in product(range(1, MOST_OF_A_KIND + 1), repeat=len(names))
            if sum(pile) in totals and valuations(pile, self.points)
        ]
        if not any(_pairs_exist(valuations(pile, self.points)) for pile in piles):
            raise InputError(
                f"No {self.least_items} to {self.most_items} items of {len(names)} kinds, at most "
                f"{MOST_OF_A_KIND} of each, are worth {self.points} points to both sides."
            )
        for number in range(count):
            yield self._scenario(number, names, piles, rng)

    def _scenario(
        self, number: int, names: list[str], piles: list[tuple[int, ...]], rng: random.Random
    ) -> Scenario:
        while True:
            pile = rng.choice(piles)
            values = valuations(pile, self.points)
            sides = rng.choice(values), rng.choice(values)
            if worth_talking(*sides):
                break
        kbs = tuple(
            [
                {"Name": name, "Count": there, "Value": value}
                for name, there, value in zip(names, pile, side, strict=True)
            ]
            for side in sides
        )
        scenario_id = made_id("S", number, names, pile, sides)
        return Scenario(id=scenario_id, game=DEAL, kbs=kbs, extra={"attributes": ATTRIBUTES})


@lru_cache(maxsize=1024)
def valuations(pile: tuple[int, ...], points: int) -> tuple[tuple[int, ...], ...]:
    """Every way in which a pile is worth so many points.

    >>> valuations((1, 3), 10)
    ((1, 3), (4, 2), (7, 1), (10, 0))
    """
    if not pile:
        return ((),) if points == 0 else ()
    return tuple(
        (value, *others)
        for value in range(points // pile[0] + 1)
        for others in valuations(pile[1:], points - value * pile[0])
    )


def worth_talking(mine: tuple[int, ...], theirs: tuple[int, ...]) -> bool:
    """Whether each kind is worth something to somebody, and one of them to both.

    >>> worth_talking((0, 2), (1, 1)), worth_talking((0, 2), (0, 2)), worth_talking((0, 2), (2, 0))
    (True, False, False)
    """
    pairs = list(zip(mine, theirs, strict=True))
    return all(a or b for a, b in pairs) and any(a and b for a, b in pairs)


def _pairs_exist(values: tuple[tuple[int, ...], ...]) -> bool:
    return any(worth_talking(a, b) for a in values for b in values)
