"""Rewards of bargains, against the margins of the game, one dialogue at a time."""

import random

import pytest
import torch

from palaver.games.craigslist_bargain.margins import margin
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.models.bargain.rewards import BargainEnds, margins, rewards


def ends(**given: object) -> BargainEnds:
    """Agreed at 150; over 10 events; nothing agreed; both of one target."""
    values = {
        "targets": torch.tensor([[140.0, 200.0]] * 3 + [[200.0, 200.0]]),
        "first_buys": torch.tensor([True] * 4),
        "prices": torch.tensor([150.0, 170.0, 150.0, 180.0]),
        "is_agreed": torch.tensor([True, True, False, True]),
        "events": torch.tensor([6.0, 10.0, 4.0, 8.0]),
        **given,
    }
    return BargainEnds(**values)


def test_margins_are_those_of_the_game() -> None:
    dice = random.Random(3)
    for _ in range(200):
        buys, own, other, price = (
            dice.random() < 0.5,
            *(float(dice.randint(1, 400)) for _ in range(3)),
        )
        sides = [
            BargainSide(role="buyer" if buys else "seller", target=own, price=300),
            BargainSide(role="seller" if buys else "buyer", target=other, price=300),
        ]
        one = BargainEnds(
            targets=torch.tensor([[own, other]]),
            first_buys=torch.tensor([buys]),
            prices=torch.tensor([price]),
            is_agreed=torch.tensor([True]),
            events=torch.tensor([5.0]),
        )
        told = [margin(price, sides[n], sides[1 - n]) or 0.0 for n in (0, 1)]
        assert margins(one)[0].tolist() == pytest.approx(told, abs=1e-4)


def test_each_reward_by_hand() -> None:
    # 150 is two thirds of the way from the middle, 170, to the buyer's target.
    assert rewards("margin", ends()).tolist() == [
        pytest.approx([2 / 3, -2 / 3]),
        [0.0, 0.0],
        [-0.5, -0.5],
        [0.0, 0.0],
    ]
    assert rewards("fair", ends())[:, 0].tolist() == pytest.approx([4 / 3, 2.0, -0.5, 2.0])
    assert rewards("length", ends())[:, 0].tolist() == pytest.approx([0.6, 1.0, -0.5, 0.8])


def test_what_breaks_the_rules_earns_less_than_no_deal() -> None:
    broken = ends(is_illegal=torch.tensor([True, False, True, False]))
    for kind in ("margin", "fair", "length"):
        found = rewards(kind, broken)[:, 0].tolist()
        assert found[0] == found[2] == -1.0
        assert found[1] > -0.5
