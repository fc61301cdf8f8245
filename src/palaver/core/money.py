"""Money, exactly: a whole number of a currency's smallest unit, and the currency.

Panels do not agree with themselves: Prolific takes a reward in the smallest unit (30 is 30p) and a bonus
in the largest (30 is £30.00). So nothing hands a bare number on: an amount is a `Money`, and whoever
writes one says which of the two is wanted, `minor` or `major`.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import ClassVar

from palaver.core.errors import InputError

# Currencies whose minor unit is not a hundredth: ISO 4217, as of 2024.
NO_MINOR = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI"}
    | {"VND", "VUV", "XAF", "XOF", "XPF"}
)
THOUSANDTHS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])

_CODE = re.compile("[A-Z]{3}")
_AMOUNT = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")


def minor_digits(currency: str) -> int:
    """How many digits stand behind the point in a currency.

    >>> minor_digits("GBP"), minor_digits("JPY"), minor_digits("KWD")
    (2, 0, 3)
    """
    if currency in NO_MINOR:
        return 0
    return 3 if currency in THOUSANDTHS else 2


@dataclass(frozen=True, slots=True)
class Money:
    """An amount: `minor` counts pence, cents or the like of `currency`, such as "GBP"."""

    derived: ClassVar[tuple[str, ...]] = ("major",)

    minor: int
    currency: str

    def __post_init__(self) -> None:
        if not _CODE.fullmatch(self.currency):
            raise InputError(
                f"A currency is three capital letters, such as GBP; got '{self.currency[:20]}'."
            )

    @property
    def major(self) -> str:
        """The amount in pounds, dollars or the like, as it is written: "4.25".

        >>> Money(30, "GBP").major, Money(3000, "GBP").major, Money(30, "JPY").major
        ('0.30', '30.00', '30')
        """
        digits = minor_digits(self.currency)
        whole, rest = divmod(abs(self.minor), 10**digits)
        sign = "-" if self.minor < 0 else ""
        return f"{sign}{whole}.{rest:0{digits}}" if digits else f"{sign}{whole}"

    def __str__(self) -> str:
        return f"{self.major} {self.currency}"

    def __add__(self, other: "Money") -> "Money":
        return Money(self.minor + self._same(other), self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.minor - self._same(other), self.currency)

    def __mul__(self, times: int) -> "Money":
        return Money(self.minor * times, self.currency)

    def share(self, part: Fraction) -> "Money":
        """A part of the amount, rounded to the smallest unit, half up.

        >>> Money(100, "GBP").share(Fraction(1, 3)).minor, Money(-5, "GBP").share(Fraction(1, 2)).minor
        (33, -3)
        """
        exact = Fraction(self.minor) * part
        whole = (2 * abs(exact.numerator) + exact.denominator) // (2 * exact.denominator)
        return Money(-whole if exact < 0 else whole, self.currency)

    def _same(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise InputError(
                f"{self} and {other} cannot be added up: they are in two currencies. "
                "Convert one of them first."
            )
        return other.minor


def read_money(amount: str | int | float | Decimal, currency: str) -> Money:
    """An amount that is given in pounds, dollars or the like; InputError if it cannot be paid exactly.

    A float is what its shortest text says: 0.1 is a tenth, not the nearest double.

    >>> read_money("30", "GBP").minor, read_money(0.3, "GBP").minor, read_money(30, "JPY").minor
    (3000, 30, 30)
    """
    exact = _decimal(amount)
    digits = minor_digits(currency)
    minor = exact.scaleb(digits)
    if minor != minor.to_integral_value():
        most = "no digits" if not digits else f"at most {digits} digits"
        raise InputError(f"{amount} {currency} cannot be paid: there are {most} behind the point.")
    return Money(int(minor), currency)


def rounded_money(amount: str | int | float | Decimal, currency: str) -> Money:
    """An amount that was computed, in pounds, dollars or the like, rounded half up.

    >>> rounded_money(0.125, "GBP").minor
    13
    """
    minor = _decimal(amount).scaleb(minor_digits(currency))
    return Money(int(minor.quantize(Decimal(1), rounding=ROUND_HALF_UP)), currency)


def _decimal(amount: str | int | float | Decimal) -> Decimal:
    told = amount.strip() if isinstance(amount, str) else amount
    try:
        exact = Decimal(str(told))
    except InvalidOperation:
        exact = Decimal("NaN")
    is_plain = not isinstance(told, str) or _AMOUNT.fullmatch(told)
    if isinstance(told, bool) or not is_plain or not exact.is_finite() or exact.adjusted() > 14:
        raise InputError(f"An amount is a number such as 4.25; got '{str(told)[:40]}'.")
    return exact
