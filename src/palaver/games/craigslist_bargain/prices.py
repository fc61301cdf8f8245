"""Prices in what people write: which of the numbers in a sentence is what somebody would pay.

A number with a dollar sign is a price. A number without one is a price where it is about as high as the
listing's, is not one of the listing's own numbers (64 GB, 27 inches), and is not followed by what it
counts. What is said to be taken off or added is an amount, not a price.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from palaver.core.errors import InputError
from palaver.games.craigslist_bargain.sides import BargainSide

# A number without a dollar sign counts from this share of the list price up to that.
LEAST, MOST = 0.2, 1.5

_NUMBER = re.compile(
    r"(?P<dollar>\$\s?|\busd\s?)?(?<![\w.,])(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<cents>\.\d+)?"
    r"(?P<thousand>\s?k\b|\s?grand\b|\sthousand\b)?(?P<after>\s?\$|\s?(?:dollars?|bucks|usd)\b)?",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*[-–]?\s*(?:%|percent|\"|''|'|”|″|x\b|in\b|inch|inches|ft\b|feet|foot|sq|sf\b|cm\b|mm\b|m\b|gb|tb|mb|"
    r"mi\b|miles?|km|mpg|mp\b|kw|v\b|volts?|watts?|hz|hp\b|lbs?\b|pounds?|oz|years?|yrs?|months?|weeks?|days?|"
    r"hours?|hrs?|minutes?|mins?|am\b|pm\b|a\.m|p\.m|o'?clock|bed|bath|br\b|ba\b|rooms?|people|speeds?|"
    r"gears?|pieces?|doors?|seats?|times|owners?|st\b|nd\b|rd\b|th\b|s\b|series|generation|gen\b|"
    r"blocks?|stars?|inches|tickets|cylinder|drawers?|chairs?|shelves|stops?|units?|of them|/\d)",
    re.IGNORECASE,
)
_AMOUNT_AFTER = re.compile(
    r"\s*(?:off\b|less\b|more\b|extra\b|discount|cheaper|lower\b|higher\b|below|above|over the|"
    r"apart|difference|deposit|cash back|for (?:the )?(?:delivery|shipping|gas)|delivery|shipping)",
    re.IGNORECASE,
)
_AMOUNT_BEFORE = re.compile(
    r"(?:\bby|\bknock(?:ed)?(?: off)?|\btake off|\bshave(?: off)?|\bextra|\badditional(?: fee of)?|"
    r"\bsave(?: you)?|\bdeposit(?: of)?)\s+(?:about |around )?$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:#|\biphone|\bgalaxy|\bnote|\bhero ?|\bunit|\bapt|\bsince|\bmodel|\bxbox|\bps|"
    r"\bpage|\bnumber|\bin the|\bat least a)\s*$",
    re.IGNORECASE,
)
_PRICED = re.compile(
    r"\b(?:for|take|offer|pay|do|at|about|to|have|accept|asking|is|price of)\s*$", re.IGNORECASE
)
_WRITTEN = re.compile(
    r"\s*(?:\$|usd\b)?\s*(?P<digits>\d{1,3}(?:,\d{3})+|\d+)?(?P<cents>\.\d{1,2})?\s*(?P<k>k)?"
    r"\s*(?:\$|usd|dollars?|bucks)?\s*",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Price:
    """A price in a text; `is_sure` where a dollar sign or a word said that it is money."""

    value: float
    is_sure: bool
    start: int
    end: int


def find_prices(text: str, listing: BargainSide, *, known: Collection[float] = ()) -> list[Price]:
    """The prices in what somebody wrote about a listing, in their order.

    A number that was a price before (`known`) is one again.

    >>> bike = BargainSide(role="buyer", target=200, price=280, description=("12 gears, 56 cm",))
    >>> [price.value for price in find_prices("Would you take $210 for the 56? Or 1.5k?", bike)]
    [210.0]
    """
    own = numbers_in((listing.title, *listing.description)).difference(known)
    return [
        price
        for match in _NUMBER.finditer(text)
        if (price := _price(match, text, listing, own)) is not None
    ]


def find_amounts(text: str) -> list[float]:
    """Sums of money that are no prices: what is taken off, added or paid beside."""
    return [
        _value(match)
        for match in _NUMBER.finditer(text)
        if match["dollar"] or match["after"]
        if _is_amount(text[: match.start()], text[match.end() :])
    ]


def read_price(written: str) -> float:
    """The price that somebody typed into a field: "$1,200", "1200.50", "1.2k".

    InputError where it is not one.
    """
    match = _WRITTEN.fullmatch(written)
    if match is None or not (match["digits"] or match["cents"]):
        shown = written.strip() or "nothing"
        raise InputError(f"A price is a number of dollars, such as 120 or 99.50; got '{shown}'.")
    value = float(f"{(match['digits'] or '0').replace(',', '')}{match['cents'] or ''}")
    return round(value * 1000, 2) if match["k"] else value


@lru_cache(maxsize=4096)
def numbers_in(texts: tuple[str, ...]) -> frozenset[float]:
    """Every number that stands in some texts, whatever it means."""
    return frozenset(_value(match) for text in texts for match in _NUMBER.finditer(text))


def _price(
    match: re.Match[str], text: str, listing: BargainSide, own: frozenset[float]
) -> Price | None:
    value = _value(match)
    is_sure = bool(match["dollar"] or match["after"])
    before, after = text[: match.start()], text[match.end() :]
    if _is_amount(before, after):
        return None
    if not is_sure and not _is_likely(value, match, before, after, listing, own):
        return None
    if value > 10 * max(listing.price, 1):
        return None
    return Price(value, is_sure, match.start(), match.end())


def _is_likely(
    value: float,
    match: re.Match[str],
    before: str,
    after: str,
    listing: BargainSide,
    own: frozenset[float],
) -> bool:
    """Whether a bare number is a price."""
    if value == listing.price or (value >= 100 and _said_of_price(before)):
        return value <= MOST * listing.price
    if not LEAST * listing.price <= value <= MOST * listing.price:
        return False
    if match["thousand"]:
        return True
    return value not in own and not _COUNTED.match(after) and not _NAMED.search(before)


def _is_amount(before: str, after: str) -> bool:
    return bool(_AMOUNT_BEFORE.search(before) or _AMOUNT_AFTER.match(after))


def _said_of_price(before: str) -> bool:
    return _PRICED.search(before) is not None


def _value(match: re.Match[str]) -> float:
    value = float(f"{match['digits'].replace(',', '')}{match['cents'] or ''}")
    return round(value * 1000, 2) if match["thousand"] else value
