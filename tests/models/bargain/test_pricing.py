"""Prices on the scale of a side, and the words for them."""

import math

import pytest

from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.models.bargain.pricing import UNKNOWN_PRICE, PriceScale, price_word, scaled_of


def buyer(target: float, price: float) -> BargainSide:
    return BargainSide(role="buyer", target=target, price=price)


def seller(target: float) -> BargainSide:
    return BargainSide(role="seller", target=target, price=target)


def test_a_side_measures_between_its_worst_price_and_its_target() -> None:
    own = PriceScale.of(buyer(140, 200))
    assert [own.scaled(price) for price in (200, 140, 170, 230)] == [0.0, 1.0, 0.5, -0.5]
    other = PriceScale.of(seller(200))
    assert [other.scaled(price) for price in (140, 200, 173, 110)] == [0.0, 1.0, 0.55, -0.5]


def test_what_is_far_off_is_no_price() -> None:
    scale = PriceScale.of(seller(200))
    assert scale.scaled(380) == 4.0
    assert scale.scaled(381) is None
    assert scale.word(64_000) == scale.word(None) == UNKNOWN_PRICE
    assert scale.scaled(math.inf) is None


@pytest.mark.parametrize(
    "scale", [PriceScale(140, 200), PriceScale(2495, 1497), PriceScale(10, 12)]
)
def test_prices_come_back_within_half_a_hundredth_and_half_a_step(scale: PriceScale) -> None:
    for n in range(-300, 301):
        price = scale.worst + n / 100 * scale.width
        if price < 0:
            continue
        near = abs(scale.width) * 0.005 + scale.step / 2
        scaled = scale.scaled(price)
        assert scaled is not None
        assert abs(scale.price(scaled) - price) <= near + 1e-9


@pytest.mark.parametrize(
    "side", [buyer(200, 200), seller(0), buyer(0, 0), seller(0.5), buyer(99.99, 100)]
)
def test_a_scale_without_width_gets_one(side: BargainSide) -> None:
    scale = PriceScale.of(side)
    assert scale.scaled(side.target) == 1.0
    assert abs(scale.width) >= 0.1
    assert (scale.width < 0) == side.is_buyer


def test_the_words_of_prices_are_canonical() -> None:
    scale = PriceScale(140, 200)
    assert scale.word(173) == "<price:0.55>"
    assert scale.word(139.9) == "<price:0.00>", "never -0.00"
    assert scaled_of(price_word(-0.25)) == -0.25
    assert [scaled_of(word) for word in ("offer", UNKNOWN_PRICE, "<price:x>")] == [None] * 3
    assert scale.price(-9) == 0.0, "no price is below nothing"
