"""Money: exact amounts, and the two units in which panels want them."""

from fractions import Fraction

import pytest

from palaver.core.errors import InputError
from palaver.core.money import Money, minor_digits, read_money, rounded_money


def test_thirty_is_thirty_pounds_or_thirty_pence() -> None:
    as_bonus, as_reward = read_money("30", "GBP"), Money(30, "GBP")

    assert (as_bonus.minor, as_bonus.major) == (3000, "30.00")
    assert (as_reward.minor, as_reward.major) == (30, "0.30")


@pytest.mark.parametrize(
    ("currency", "amount", "minor", "major"),
    [
        ("GBP", "4.25", 425, "4.25"),
        ("USD", 4.1, 410, "4.10"),
        ("GBP", 0.29, 29, "0.29"),
        ("JPY", "150", 150, "150"),
        ("KWD", "1.5", 1500, "1.500"),
        ("GBP", "-0.05", -5, "-0.05"),
        ("GBP", "1.50000", 150, "1.50"),
    ],
)
def test_amounts_keep_every_digit(
    currency: str, amount: str | float, minor: int, major: str
) -> None:
    read = read_money(amount, currency)

    assert (read.minor, read.major) == (minor, major)
    assert read_money(read.major, currency) == read


@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        *(("0.005", "GBP"), ("1.5", "JPY"), ("", "GBP"), ("1,50", "GBP"), ("1e3", "GBP")),
        *(("NaN", "GBP"), ("٣", "GBP"), (float("inf"), "GBP"), ("1" * 16, "GBP")),
        *((True, "GBP"), ("1", "gbp"), ("1", "£")),
    ],
)
def test_what_cannot_be_paid_is_refused(amount: str | float, currency: str) -> None:
    with pytest.raises(InputError):
        read_money(amount, currency)


def test_sums_and_shares_are_exact() -> None:
    # A third of £1.00 by hand: 33.33p, so 33p; half of 5p is 2.5p, half up 3p.
    assert Money(100, "GBP").share(Fraction(1, 3)).minor == 33
    assert Money(5, "GBP").share(Fraction(1, 2)).minor == 3
    assert (Money(110, "GBP") + Money(20, "GBP") - Money(30, "GBP")) * 3 == Money(300, "GBP")
    assert rounded_money(2.675, "GBP").minor == 268
    with pytest.raises(InputError, match="two currencies"):
        Money(1, "GBP") + Money(1, "USD")
    assert minor_digits("ISK") == 0
