"""What self-play is about: prices in dollars, as either side hears them, and files that say so."""

import json
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.models.bargain.marks import bargain_words
from palaver.models.bargain.pricing import PriceScale
from palaver.models.bargain.scenes import Scenes, price_tables, read_sides
from support.cocoa import BARGAIN_SCENARIO

from .toys import LIMITS, WORDS, dice, scenes, sides, write_bargains

FINE = bargain_words([["hello"]], [["lamp"]], price_step=0.01, least=1, most=9, least_listed=1)
ODD = [
    (BargainSide(role="buyer", target=0, price=0), BargainSide(role="seller", target=0, price=0)),
    (
        BargainSide(role="seller", target=99.5, price=3),
        BargainSide(role="buyer", target=7, price=3),
    ),
    (
        BargainSide(role="buyer", target=4000, price=4000.99),
        BargainSide(role="seller", target=1e9, price=4000),
    ),
    sides(),
]


@pytest.mark.parametrize("pair", ODD)
def test_prices_are_those_of_the_scale(pair: tuple[BargainSide, BargainSide]) -> None:
    dollars, can_be_said = price_tables(pair, FINE)
    for side, told, sayable in zip(pair, dollars.tolist(), can_be_said.tolist(), strict=True):
        scale = PriceScale.of(side)
        for number, price in zip(FINE.prices, told, strict=True):
            scaled = FINE.scaled(number)
            assert scaled is not None
            assert price == pytest.approx(scale.price(round(scaled, 2)))
        assert any(sayable)
        assert all(price <= 1e9 for price, may in zip(told, sayable, strict=True) if may)
    is_below = torch.tensor([[scale_of(side, n) < -0.5 for n in FINE.prices] for side in pair])
    assert not (can_be_said & is_below).any()


def scale_of(side: BargainSide, number: int) -> float:
    """The price of a number, which may be below 0."""
    scale = PriceScale.of(side)
    return (scale.worst + (FINE.scaled(number) or 0.0) * scale.width) / scale.step


def test_what_one_side_says_the_other_hears_on_its_own_scale() -> None:
    found = Scenes.of(ODD, FINE, LIMITS)
    for row, pair in enumerate(ODD):
        for side, other in ((0, 1), (1, 0)):
            scale = PriceScale.of(pair[other])
            for place in range(0, len(FINE.prices), 40):
                dollars = float(found.dollars[row, side, place])
                assert int(found.heard[row, side, place]) == FINE.price_number(dollars, scale)


def test_sides_that_are_swapped_keep_what_is_theirs() -> None:
    found = scenes(3)
    turned = found.taken(torch.tensor([0, 1, 1]), torch.tensor([True, False, True]))
    assert turned.targets.tolist() == [[40, 20], [21, 40], [40, 21]]
    assert turned.buys.tolist() == [[False, True], [True, False], [False, True]]
    assert torch.equal(turned.heard[0], found.heard[0].flip(0))
    assert torch.equal(turned.given[2], found.given[1].flip(0))
    drawn = scenes(5).draw(400, dice())
    assert 150 < int(drawn.buys[:, 0].sum()) < 250
    assert len(drawn.targets.unique()) == 6


def test_sides_are_read_from_dialogues_and_from_scenarios(tmp_path: Path) -> None:
    talks = read_sides(write_bargains(tmp_path / "talks.json", 12))
    assert [buyer.target for buyer, _ in talks] == [20, 21, 22, 23, 24]
    path = tmp_path / "scenarios.json"
    path.write_text(json.dumps([BARGAIN_SCENARIO]))
    assert read_sides(path) == [sides()]


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"kbs": [{}, {}]}, "scenario 1 is none of CraigslistBargain"),
        ({"kbs": [BARGAIN_SCENARIO["kbs"][0]] * 2}, "two of the role 'buyer'"),
        ({"kbs": 7}, "scenario 1 is none of CraigslistBargain"),
    ],
)
def test_scenarios_of_something_else_are_refused(tmp_path: Path, record: object, told: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps([record]))
    with pytest.raises(InputError, match=told):
        read_sides(path)
    assert WORDS.prices
