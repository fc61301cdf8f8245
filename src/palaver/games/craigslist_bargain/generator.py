"""Scenarios from listings: who is told what, and what each side would like to get.

A file of listings is a JSON array of `{"category", "post_id", "title", "price", "description": [line],
"images": [path], …}`, as scrapers of classified advertisements write them. Lines that name a way
around the game (a contact, a price) are dropped, and so are listings that say too little or too much.
"""

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.games.game import ScenarioGenerator

LISTINGS = Path(__file__).parent / "material" / "listings.json"
CHEAPEST_CAR = 3000
LEAST_WORDS, MOST_WORDS = 20, 200
LONG_LINE = 15

_ATTRIBUTES = {
    "Role": "role",
    "Target": "price",
    "Bottomline": "price",
    "Price": "price",
    "Title": "text",
    "Category": "text",
    "Images": "text",
    "Description": "text",
}
ATTRIBUTES = [
    {"name": name, "value_type": kind, "unique": False, "multivalued": False, "entity": False}
    for name, kind in _ATTRIBUTES.items()
]
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_MONEY = re.compile(r"\$\s?\d")
_WORD = re.compile(r"[^\W\d_]+")
# Words that hardly any line of English prose is without, and few lines of other languages have.
_ENGLISH_WORDS = """
    a about all also am an and any are as at available be been best but buy by can case clean come
    condition cash do else excellent few for free from full good great had has have home i if in
    included includes is it its just large like located looking made many minutes more must my near
    new nice no not of on one only or other our out over own pick please price room sale same see
    sell selling set size so some still super than that the them there these they this to two up us
    use used very walk was we well were which will with work works would year years you your
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Something for sale, as a file has it; keys beyond these are not read."""

    category: str
    post_id: str
    title: str
    price: float
    description: tuple[str, ...]
    images: tuple[str, ...] = ()


class BargainGenerator(ScenarioGenerator):
    """What can be told of scenarios to bargain about."""

    listings: Annotated[
        Path, Field(description="JSON file of listings; those that come with Palaver if not given")
    ] = LISTINGS
    categories: Annotated[
        str, Field(description="categories to use, separated by commas; all if not given")
    ] = ""
    fractions: Annotated[
        str,
        Field(
            description="for each category the share of all usable listings to take from it, "
            "separated by commas; all of each if not given"
        ),
    ] = ""
    discounts: Annotated[
        str, Field(description="buyers' targets as shares of the list price, separated by commas")
    ] = "0.9,0.7,0.5"
    per_listing: Annotated[
        int,
        Field(
            ge=0, description="with how many of the discounts, by turns, a listing is used; 0: all"
        ),
    ] = 0
    skip: Annotated[int, Field(ge=0, description="how many listings to leave out at first")] = 0
    english_only: Annotated[bool, Field(description="drop lines that do not look like English")] = (
        True
    )

    def generate(self, count: int, rng: random.Random) -> Iterator[Scenario]:
        """Up to `count` scenarios, listing by listing in an order of the dice."""
        drawn = self._drawn()
        rng.shuffle(drawn)
        made = 0
        for number, listing in enumerate(drawn[self.skip :]):
            for discount in self._discounts(number):
                target = int(discount * listing.price)
                if target == 0:
                    continue
                if made == count:
                    return
                made += 1
                yield _scenario(listing, target, rng)

    def usable(self) -> list[Listing]:
        """The listings that pass, in the order of the file, without the lines that do not."""
        return [
            kept
            for listing in load_listings(self.listings)
            if (kept := cleaned(listing, english_only=self.english_only)) is not None
        ]

    def _drawn(self) -> list[Listing]:
        usable = self.usable()
        wanted = _split(self.categories) or sorted({each.category for each in usable})
        unknown = [name for name in wanted if not any(name == each.category for each in usable)]
        if unknown:
            raise InputError(
                f"No usable listing of {self.listings} has the category '{unknown[0]}'. "
                f"There are: {', '.join(sorted({each.category for each in usable})) or 'none'}."
            )
        shares = self._shares(wanted)
        return [
            listing
            for name in wanted
            for listing in _of(usable, name)[: _most(shares, name, len(usable))]
        ]

    def _shares(self, wanted: list[str]) -> Mapping[str, float]:
        written = _split(self.fractions)
        if written and len(written) != len(wanted):
            raise InputError(
                f"'fractions' takes one number for each of {len(wanted)} categories; got {len(written)}."
            )
        return dict(zip(wanted, _numbers("fractions", written), strict=False))

    def _discounts(self, number: int) -> list[float]:
        every = _numbers("discounts", _split(self.discounts))
        if not every:
            raise InputError("'discounts' takes at least one share of the list price.")
        if self.per_listing == 0:
            return every
        return [every[(number + n) % len(every)] for n in range(min(self.per_listing, len(every)))]


def load_listings(path: Path) -> list[Listing]:
    """The listings of a file; InputError where it cannot be used."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Listing])
    except OSError as error:
        raise InputError(f"The listings in {path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise InputError(f"{path} is not a list of listings: {error}.") from error


def cleaned(listing: Listing, *, english_only: bool = True) -> Listing | None:
    """The listing without lines that do not pass; None where it is of no use."""
    if listing.category == "car" and listing.price < CHEAPEST_CAR:
        return None
    lines = tuple(line for line in listing.description if _passes(line, english_only=english_only))
    words = sum(len(line.split()) for line in lines)
    if not LEAST_WORDS <= words <= MOST_WORDS:
        return None
    return msgspec.structs.replace(listing, description=lines)


def is_english(line: str) -> bool:
    """Whether a line looks like English: plain letters, and in longer lines words that English has.

    >>> is_english("It is in very good condition.")
    True
    >>> is_english("Se vende bicicleta en buenas condiciones, casi nueva y muy barata")
    False
    """
    words = [word.lower() for word in _WORD.findall(line)]
    if not words:
        return True
    if sum(word.isascii() for word in words) < 0.9 * len(words):
        return False
    return len(words) < 9 or sum(word in _ENGLISH for word in words) >= 0.08 * len(words)


def _passes(line: str, *, english_only: bool) -> bool:
    if "contact" in line.lower() or _MONEY.search(line):
        return False
    if len(line.split()) > LONG_LINE and not any(mark in line for mark in ".!,"):
        return False
    return not english_only or is_english(line)


def _scenario(listing: Listing, target: int, rng: random.Random) -> Scenario:
    price = int(listing.price)
    lines = list(listing.description)
    item = {
        "Title": listing.title,
        "Category": listing.category,
        "Price": price,
        "Images": list(listing.images),
    }
    half = max(1, len(lines) // 2)
    buyer = {"Role": "buyer", "Target": target, "Bottomline": None}
    seller = {"Role": "seller", "Target": price, "Bottomline": None}
    return Scenario(
        id=f"S_{''.join(rng.choices(_LETTERS, k=16))}",
        game=BARGAIN,
        kbs=(
            {"personal": buyer, "item": {**item, "Description": lines[:half]}},
            {"personal": seller, "item": {**item, "Description": lines}},
        ),
        extra={
            "attributes": ATTRIBUTES,
            "post_id": listing.post_id,
            "category": listing.category,
        },
    )


def _of(listings: list[Listing], category: str) -> list[Listing]:
    return [each for each in listings if each.category == category]


def _most(shares: Mapping[str, float], category: str, usable: int) -> int | None:
    return int(usable * shares[category]) if category in shares else None


def _split(written: str) -> list[str]:
    return [part.strip() for part in written.split(",") if part.strip()]


def _numbers(name: str, written: list[str]) -> list[float]:
    found: list[Any] = []
    for part in written:
        try:
            number = float(part)
        except ValueError:
            number = -1.0
        if not 0 < number <= 1:
            raise InputError(f"'{name}' takes numbers above 0 and up to 1; got '{part}'.")
        found.append(number)
    return found
