"""Prices, acts, tags: what a bargain reads like and how it is read."""

import json
import re
from pathlib import Path

import pytest

from palaver.core.errors import InputError, MoveError
from palaver.core.events import Event, Move, say
from palaver.formats.cocoa.examples import example_json
from palaver.games.craigslist_bargain.acts import MOVES, ActReader
from palaver.games.craigslist_bargain.measurement import measure
from palaver.games.craigslist_bargain.playback import Refused, played_back
from palaver.games.craigslist_bargain.prices import find_prices, read_price
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.games.craigslist_bargain.tags import brief, read_tag, tell, write_tag
from palaver.games.measurement import Measurement
from support.bargains import LAMP, peoples_bargains
from support.shared import COCOA

BIKE = BargainSide(
    role="buyer", target=200, price=280, title="Road bike, 250 cc", description=("56 cm frame",)
)


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("Would you take $210 for it?", [210]),
        ("How about 240", [240]),
        ("I could pay 1,250.50 dollars, or 1.2k", [1250.5]),
        ("190 and I come by in 56 minutes", [190]),
        ("Is that a 250?", []),
        ("It is 90 miles from here, 3 years old and has 60 gears", []),
        ("Can you knock $30 off?", []),
        ("$20 less and we are there", []),
        ("280 as listed", [280]),
        ("I'd take 2k", []),
        ("200$ or 220 bucks", [200, 220]),
        ("No numbers here", []),
    ],
)
def test_prices_are_told_from_other_numbers(text: str, prices: list[float]) -> None:
    assert [price.value for price in find_prices(text, BIKE)] == prices


@pytest.mark.parametrize(
    ("written", "price"),
    [
        ("120", 120),
        ("$1,200", 1200),
        (" 1200.50 ", 1200.5),
        ("1.2k", 1200),
        ("$.99", 0.99),
        ("7 USD", 7),
    ],
)
def test_a_typed_price_is_read_generously(written: str, price: float) -> None:
    assert read_price(written) == price


@pytest.mark.parametrize(
    "written", ["", "free", "NaN", "inf", "-5", "1,20", "12..5", "1e3", "$", "٣"]
)
def test_what_is_not_a_price_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="A price is a number of dollars"):
        read_price(written)


def test_a_haggle_is_read_act_by_act() -> None:
    reader = ActReader(BIKE)
    read = [
        (0, "Hi, is it still there?", "intro", None),
        (1, "Yes it is. Kept inside.", "unknown", None),
        (0, "How old is it?", "inquiry", None),
        (1, "About five years.", "inform", None),
        (0, "Would you take $190?", "init-price", 190),
        (1, "That is too low for me", "vague-price", None),
        (1, "I could do 250", "counter-price", 250),
        (0, "It has to be 190, sorry", "insist", 190),
        (1, "No, I do not think so.", "disagree", None),
        (0, "Then 250 it is", "agree", 250),
        (1, "Deal!", "agree", None),
    ]
    for seat, text, intent, price in read:
        act = reader.read(seat, "message", text)
        assert (act.intent, act.price) == (intent, price), text
    assert reader.read(1, "offer", "", 250.0).intent == "offer"


# Tags


@pytest.mark.parametrize("move", ["<offer> 120", "<offer> 99.5", "<accept>", "<reject>", "<quit>"])
def test_tags_come_back_as_they_were(move: str) -> None:
    action, _, words = move.removeprefix("<").partition(">")
    made = read_tag(action, words, LAMP, 0)
    event = Event(seq=1, seat=0, action=made.action, data=made.data, time=0.0)
    assert write_tag(event) == move
    assert write_tag(Event(seq=1, seat=0, action="message", data={"text": "Hi"}, time=0)) == ""


@pytest.mark.parametrize(
    ("action", "words", "code"),
    [
        ("offer", " free", "bad_price"),
        ("offer", "", "bad_price"),
        ("accept", " 20", "bad_tag"),
        ("select", " 1", "unknown_action"),
    ],
)
def test_a_tag_that_makes_no_sense_is_refused(action: str, words: str, code: str) -> None:
    with pytest.raises(MoveError) as refused:
        read_tag(action, words, LAMP, 0)
    assert refused.value.code == code


def test_a_model_is_told_its_own_target_and_no_other() -> None:
    buyer = " ".join(brief(LAMP.seen_by(0), 0))
    assert "You are the buyer" in buyer
    assert "$20" in buyer
    seller = " ".join(brief(LAMP.seen_by(1), 1))
    assert "You are the seller" in seller
    assert "$20" not in seller


def test_moves_read_differently_to_each_side() -> None:
    made = Event(seq=1, seat=0, action="offer", data={"price": 1250.0}, time=0.0)
    assert [tell(made, viewer) for viewer in (0, 1, None)] == [
        "You offered $1,250.",
        "Your partner offered $1,250.",
        "offers $1,250",
    ]
    taken = Event(seq=2, seat=1, action="accept", data={}, time=0.0)
    assert tell(taken, 0) == "Your partner accepted the offer."
    assert Move(action="accept") != say("accept")


# People


@pytest.fixture(scope="module")
def measured() -> Measurement:
    return measure(peoples_bargains("bargain_dev.json"))


def test_people_are_understood(measured: Measurement) -> None:
    found = {each.name: each for each in measured.measures}
    assert measured.dialogues == 597
    assert (found["prices"].of, found["agreement"].found) == (427, 451)
    assert found["prices"].share >= 0.99
    assert found["acts"].of == 4797
    assert found["acts"].share >= 0.94
    assert found["acts_of_messages"].share >= 0.93


def test_what_the_site_allowed_plays_back(measured: Measurement) -> None:
    found = {each.name: each.found for each in measured.measures}
    assert (found["played_back"], found["played_back_strict"]) == (590, 438)
    assert measured.tables[1].counts == {
        "over": {"quit": 2, "message": 2, "accept": 1},
        "no_offer": {"reject": 1},
        "bad_price": {"offer": 1},
    }


def test_the_documentation_says_what_was_measured(measured: Measurement) -> None:
    page = (Path(__file__).parents[3] / "docs" / "games" / "bargain.md").read_text("utf-8")
    for each in measured.measures:
        told = f"| `{each.name}` | {each.about} | {each.found} of {each.of} ({each.share:.1%}) |"
        assert told in page
    head = next(line for line in page.splitlines() if line.startswith("| recorded |"))
    names = re.findall(r"`([\w-]+)`", head)
    counts = measured.tables[0].counts
    assert set(names) == counts.keys() - set(MOVES.values())
    for name in names:
        row = " | ".join(str(counts[name].get(each, 0)) for each in names)
        assert f"| `{name}` | {row} | " in page


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("bargain_dev.json", 590),
        pytest.param("bargain_train_part.json", 996, marks=pytest.mark.long),
    ],
)
def test_played_back_they_end_as_they_did_and_are_written_unchanged(name: str, legal: int) -> None:
    records = peoples_bargains(name)
    given = json.loads((COCOA / name).read_bytes())
    assert [example_json(record) for record in records] == given
    played = [(record, played_back(record)) for record in records]
    kept = [(record, dialogue) for record, dialogue in played if not isinstance(dialogue, Refused)]
    assert len(kept) == legal
    for record, dialogue in kept:
        outcome = record.dialogue().outcome
        assert bool(outcome["reward"]) == bool(dialogue.outcome.get("success")), record.id
        if outcome["reward"]:
            assert outcome["offer"]["price"] == dialogue.outcome["offer"]["price"], record.id
