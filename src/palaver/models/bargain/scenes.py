"""What bargains of self-play are about: listings, roles and targets, and how each side hears prices.

A side says a price as a word of its own scale; the other hears the same dollars as a word of its own.
Tables of both lie on the device, so that no dialogue is looked at by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import Generator, Tensor

from palaver.core.errors import InputError
from palaver.games.craigslist_bargain.sides import BargainSide, side_of
from palaver.models.bargain.dialogues import BargainDialogue, read_bargains
from palaver.models.bargain.marks import BargainWords, category_number, go_number
from palaver.models.bargain.pricing import MOST_SCALED, PriceScale
from palaver.models.bargain.tensors import padded
from palaver.models.bargain.turns import ReadingLimits, ReadTurns, view_of
from palaver.models.json_files import json_records

Sides = tuple[BargainSide, BargainSide]

# The rules of the game take no higher price.
_MOST_PRICE = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenes:
    """A scene a row, with what each of its two sides knows."""

    # (rows, 2, words): what is for sale.
    titles: Tensor
    descriptions: Tensor
    # (rows, 2, 2): the mark of the role and the category, with which a turn begins.
    given: Tensor
    # (rows, 2): in dollars, and who of them buys.
    targets: Tensor
    buys: Tensor
    # (rows, 2, prices): each price of a side in dollars, whether it may say it, and the number of the
    # word that its partner hears.
    dollars: Tensor
    can_be_said: Tensor
    heard: Tensor

    @classmethod
    def of(cls, sides: Sequence[Sides], words: BargainWords, limits: ReadingLimits) -> "Scenes":
        views = [
            [view_of(ReadTurns("", side, ()), words, limits) for side in pair] for pair in sides
        ]
        each = [side for pair in sides for side in pair]
        dollars, can_be_said = (
            table.view(len(sides), 2, -1) for table in price_tables(each, words)
        )
        return cls(
            titles=_pairs([torch.tensor(view.title) for pair in views for view in pair]),
            descriptions=_pairs(
                [torch.tensor(view.description) for pair in views for view in pair]
            ),
            given=torch.tensor(
                [[(go_number(side), category_number(side)) for side in pair] for pair in sides]
            ),
            targets=torch.tensor([[side.target for side in pair] for pair in sides]),
            buys=torch.tensor([[side.is_buyer for side in pair] for pair in sides]),
            dollars=dollars,
            can_be_said=can_be_said,
            heard=_heard(dollars, _scales(each).view(-1, 2, 3), words),
        )

    def __len__(self) -> int:
        return len(self.targets)

    def taken(self, rows: Tensor, swapped: Tensor | None = None) -> "Scenes":
        """Some rows; where they are `swapped`, the first side is what was the second."""
        own = {each.name: getattr(self, each.name)[rows] for each in fields(self)}
        if swapped is not None:
            for name, tensor in own.items():
                is_swapped = swapped.to(tensor.device).view(-1, *[1] * (tensor.dim() - 1))
                own[name] = torch.where(is_swapped, tensor.flip(1), tensor)
        return Scenes(**own)

    def to(self, device: torch.device) -> "Scenes":
        return Scenes(**{each.name: getattr(self, each.name).to(device) for each in fields(self)})

    def draw(self, count: int, dice: Generator) -> "Scenes":
        """So many scenes by lot; either side may be the first."""
        rows = torch.randint(len(self), (count,), generator=dice)
        swapped = torch.rand(count, generator=dice) < 0.5
        return self.taken(rows.to(self.targets.device), swapped)


def sides_of_dialogues(dialogues: Sequence[BargainDialogue]) -> list[Sides]:
    """What dialogues were about, each scenario once."""
    return list(dict.fromkeys(each.sides for each in dialogues))


def read_sides(path: Path) -> list[Sides]:
    """What the dialogues or the scenarios of a file are about; InputError where it has neither."""
    records = json_records(path)
    if not all(isinstance(each, dict) and "kbs" in each for each in records):
        return sides_of_dialogues(read_bargains([path]))
    found = []
    for number, record in enumerate(records, start=1):
        try:
            first, second = (side_of(kb) for kb in record["kbs"])
        except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{path}: scenario {number} is none of CraigslistBargain ({error})."
            ) from error
        if first.role == second.role:
            raise InputError(f"{path}: scenario {number} has two of the role '{first.role}'.")
        found.append((first, second))
    if not found:
        raise InputError(f"There is no scenario in {path}.")
    return found


def _scales(sides: Sequence[BargainSide]) -> Tensor:
    """Worst price, width and rounding of each side's scale (sides, 3)."""
    scales = map(PriceScale.of, sides)
    return torch.tensor(
        [(each.worst, each.width, each.step) for each in scales], dtype=torch.float64
    )


def price_tables(sides: Sequence[BargainSide], words: BargainWords) -> tuple[Tensor, Tensor]:
    """Each price word of each side (sides, prices) in dollars, as `PriceScale.price` tells them; and
    whether it is a price that can be named."""
    worst, width, step = _scales(sides)[..., None].unbind(1)
    values = torch.linspace(-MOST_SCALED, MOST_SCALED, len(words.prices), dtype=torch.float64)
    # As the scale rounds its shares, or prices between two dollars would go either way.
    values = (values * 100).round() / 100
    steps = ((worst + values * width) / step + 0.5).floor()
    return (steps * step).clamp(min=0), (steps >= 0) & (steps * step <= _MOST_PRICE)


def _heard(dollars: Tensor, scales: Tensor, words: BargainWords) -> Tensor:
    """The number of the word (rows, 2, prices) that the other side hears for each price."""
    worst, width, _ = scales.flip(1)[..., None].unbind(2)
    shares = ((dollars - worst) / width).clamp(-MOST_SCALED, MOST_SCALED)
    return words.prices.start + ((shares + MOST_SCALED) / words.step).round().long()


def _pairs(rows: Sequence[Tensor]) -> Tensor:
    table = padded(rows)
    return table.view(-1, 2, table.shape[1])
