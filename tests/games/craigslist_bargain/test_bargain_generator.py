"""Scenarios from listings: what is dropped, what each side is told, what comes along."""

import json
import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from palaver.core.errors import InputError
from palaver.formats.cocoa.scenarios import scenario_json, scenario_of
from palaver.games.craigslist_bargain.generator import (
    BargainGenerator,
    Listing,
    cleaned,
    is_english,
    load_listings,
)
from palaver.games.craigslist_bargain.options import SCENARIOS
from palaver.games.craigslist_bargain.sides import CATEGORIES, sides_of
from palaver.games.given_scenarios import load_scenarios
from support.shared import COCOA

WORDS = "This lamp is bright and blue and has been on my desk for years, it works well."


def listing(**given: object) -> Listing:
    said = {"category": "furniture", "post_id": "1", "title": "Lamp", "price": 40}
    return msgspec.convert({**said, "description": [WORDS, WORDS], **given}, Listing)


def write(folder: Path, *listings: Listing) -> Path:
    path = folder / "listings.json"
    path.write_bytes(msgspec.json.encode(listings))
    return path


@pytest.mark.parametrize(
    "line",
    [
        "Contact me any time.",
        "I paid $ 90 for it.",
        " ".join(["word"] * 16),
        "Se vende bicicleta en buenas condiciones, casi nueva y muy barata",
        "продаю лампу",
    ],
)
def test_lines_that_lead_around_the_game_are_dropped(line: str) -> None:
    kept = cleaned(listing(description=[WORDS, line, WORDS]))
    assert kept is not None
    assert kept.description == (WORDS, WORDS)


def test_listings_that_are_of_no_use_are_dropped() -> None:
    assert cleaned(listing(description=["Too short."])) is None
    assert cleaned(listing(description=[WORDS] * 13)) is None
    assert cleaned(listing(category="car", price=2999)) is None
    assert cleaned(listing(category="car", price=3000)) is not None


def test_english_is_told_from_other_languages_but_specifications_pass() -> None:
    assert is_english("Quiet fans, neat cables, glass side.")
    assert is_english("27 x 16")
    assert not is_english("Verkaufe mein Fahrrad, fast neu, mit Licht und Schloss, nur Abholung")


def test_each_discount_makes_a_scenario_and_the_buyer_sees_the_first_half(tmp_path: Path) -> None:
    lines = [WORDS, "Second.", "Third.", "Fourth.", "Fifth.", WORDS]
    path = write(tmp_path, listing(price=41, description=lines, images=["f/1.jpg"]))
    made = list(BargainGenerator(listings=path).generate(99, random.Random(1)))
    assert [sides_of(each)[0].target for each in made] == [36, 28, 20]
    buyer, seller = sides_of(made[0])
    assert (buyer.role, seller.role, seller.target, seller.price) == ("buyer", "seller", 41, 41)
    assert buyer.description == tuple(lines[:3])
    assert seller.description == tuple(lines)
    assert made[0].extra["post_id"] == "1"
    assert len({each.id for each in made}) == 3
    assert all(scenario_of(scenario_json(each)) == each for each in made)


def test_a_target_of_nothing_is_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, listing(price=1))
    assert list(BargainGenerator(listings=path).generate(9, random.Random(1))) == []


def test_the_same_dice_give_the_same_scenarios_and_others_give_others() -> None:
    generator = BargainGenerator(categories="bike, phone")
    first = list(generator.generate(20, random.Random(3)))
    assert first == list(generator.generate(20, random.Random(3)))
    assert first != list(generator.generate(20, random.Random(4)))
    assert {each.extra["category"] for each in first} == {"bike", "phone"}


def test_fractions_skip_and_turns() -> None:
    some = BargainGenerator(categories="bike,car", fractions="0.05,0.1", per_listing=1)
    made = list(some.generate(999, random.Random(1)))
    # 156 listings are usable: int(7.8) of bikes and int(15.6) of cars.
    assert Counter(each.extra["category"] for each in made) == {"bike": 7, "car": 15}
    rest = BargainGenerator(categories="bike", skip=20, per_listing=1)
    assert len(list(rest.generate(999, random.Random(1)))) == 6


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"categories": "boat"}, "has the category 'boat'"),
        ({"categories": "bike", "fractions": "0.1,0.2"}, "one number for each of 1 categories"),
        ({"discounts": "0.9,1.5"}, "above 0 and up to 1; got '1.5'"),
        ({"discounts": "cheap"}, "got 'cheap'"),
        ({"discounts": " "}, "at least one"),
        ({"listings": Path("nowhere.json")}, "cannot be read"),
    ],
)
def test_what_contradicts_itself_is_named(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(BargainGenerator(**given).generate(3, random.Random(1)))


def test_a_file_that_is_not_of_listings_is_named(tmp_path: Path) -> None:
    path = tmp_path / "listings.json"
    path.write_text('[{"title": "Lamp"}]')
    with pytest.raises(InputError, match=r"not a list of listings.*category"):
        load_listings(path)


def test_the_scraped_listings_of_phones() -> None:
    path = COCOA / "craigslist_phone.json"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    assert len(BargainGenerator(listings=path, english_only=False).usable()) == 626
    assert len(BargainGenerator(listings=path).usable()) == 617


# The material


def test_the_listings_pass_as_they_stand() -> None:
    listings = load_listings(BargainGenerator().listings)
    assert [cleaned(each) for each in listings] == listings
    assert Counter(each.category for each in listings) == dict.fromkeys(CATEGORIES, 26)
    assert len({each.title for each in listings}) == len(listings)


def test_the_scenarios_are_those_that_the_generator_makes() -> None:
    shipped = load_scenarios(SCENARIOS, game="craigslist_bargain")
    made = BargainGenerator(per_listing=1).generate(1000, random.Random(7))
    assert [(each.id, each.kbs) for each in shipped] == [(each.id, each.kbs) for each in made]
    raw = json.loads(SCENARIOS.read_bytes())
    assert all(each.keys() == {"uuid", "post_id", "category", "kbs"} for each in raw)
