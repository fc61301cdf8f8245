"""What is on the table, and what it is worth to each side: read from a file, or drawn by lot.

A context is six numbers, count and value of book, hat and ball; a pair of them, one a side, is what a
dialogue is about. A file of contexts has two lines a pair. Those drawn by lot follow the rule of the
published ones: one to four of each item, five to seven in all, worth ten points to either side, each
kind worth something to somebody and one of them to both.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path

import torch
from torch import Generator, Tensor

from palaver.core.errors import InputError
from palaver.core.numbers import whole_number
from palaver.models.deal.network import CONTEXT, ITEMS, MOST_ITEMS

MOST_OF_A_KIND = 4
TOTALS = range(5, 8)
POINTS = 10

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ContextPairs:
    """Pairs to draw from, (pairs, 2, 6) on the CPU; each as likely as its weight says."""

    pairs: Tensor
    weights: Tensor

    def draw(self, count: int, dice: Generator) -> Tensor:
        """So many pairs by lot, (count, 2, 6); either line may be that of the first side."""
        chosen = self.pairs[
            torch.multinomial(self.weights, count, replacement=True, generator=dice)
        ]
        swapped = torch.rand(count, generator=dice) < 0.5
        return torch.where(swapped[:, None, None], chosen.flip(1), chosen)


def read_contexts(path: Path) -> ContextPairs:
    """The pairs of a file, each as likely as another; InputError with file and line."""
    numbered = list(enumerate(_lines(path), start=1))
    read = [(n, _numbers(line, f"{path}:{n}")) for n, line in numbered if line.strip()]
    if not read:
        raise InputError(f"{path} has no contexts; a pair is two lines of six numbers.")
    if len(read) % 2:
        raise InputError(f"{path}:{read[-1][0]}: the line of the other side is missing.")
    pairs = []
    for (_, own), (n, other) in zip(read[::2], read[1::2], strict=True):
        if own[::2] != other[::2]:
            raise InputError(
                f"{path}:{n}: the counts differ from the line before, {list(own[::2])} and "
                f"{list(other[::2])}. Two lines with the same counts are one pair."
            )
        pairs.append((own, other))
    return ContextPairs(torch.tensor(pairs), torch.ones(len(pairs)))


def is_context_file(path: Path) -> bool:
    """Whether a file begins as one of contexts does: with numbers and nothing else."""
    first = next((line for line in _lines(path) if line.strip()), "")
    return bool(first) and all(part.isdecimal() for part in first.split())


@lru_cache(maxsize=1)
def made_contexts() -> ContextPairs:
    """Every pair that the published rule allows: a pile by lot, then what it is worth to each side."""
    pairs: list[tuple[Numbers, Numbers]] = []
    weights: list[float] = []
    for pile in product(range(1, MOST_OF_A_KIND + 1), repeat=len(ITEMS)):
        if sum(pile) not in TOTALS:
            continue
        values = valuations(pile)
        allowed = [sides for sides in product(values, repeat=2) if is_worth_talking(*sides)]
        pairs += [(_context(pile, mine), _context(pile, theirs)) for mine, theirs in allowed]
        weights += [1 / len(values) ** 2] * len(allowed)
    return ContextPairs(torch.tensor(pairs), torch.tensor(weights))


def valuations(pile: Numbers) -> list[Numbers]:
    """Every way in which a pile is worth ten points.

    >>> valuations((1, 3, 2))[:3]
    [(0, 0, 5), (0, 2, 2), (1, 1, 3)]
    """
    return [
        values
        for values in product(*(range(POINTS // count + 1) for count in pile))
        if sum(count * value for count, value in zip(pile, values, strict=True)) == POINTS
    ]


def is_worth_talking(mine: Numbers, theirs: Numbers) -> bool:
    """Whether each kind is worth something to somebody, and one of them to both."""
    pairs = list(zip(mine, theirs, strict=True))
    return all(a or b for a, b in pairs) and any(a and b for a, b in pairs)


def _context(pile: Numbers, values: Numbers) -> Numbers:
    return tuple(number for pair in zip(pile, values, strict=True) for number in pair)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"The contexts in {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error}).") from error


def _numbers(line: str, place: str) -> Numbers:
    parts = line.split()
    found = [whole_number(part, most=MOST_ITEMS) for part in parts]
    numbers = tuple(number for number in found if number is not None)
    if len(parts) != CONTEXT or len(numbers) != CONTEXT:
        raise InputError(
            f"{place}: a context has six whole numbers from 0 to {MOST_ITEMS}, count and value of "
            f"{', '.join(ITEMS)}; got '{line.strip()[:60]}'."
        )
    return numbers
