"""A bargain between two people in a real browser, by mouse, by keyboard alone and on a phone.

`PALAVER_PICTURES=FOLDER` keeps pictures of what a person sees.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browsing import scrolls_sideways
from support.cocoa import BARGAIN_SCENARIO

pytestmark = pytest.mark.browser

PICTURES = os.environ.get("PALAVER_PICTURES", "")
STUDY = """\
title: Agree on a price
pay: {amount: 1.5, currency: USD}
stages:
  - chat:
      arrangement: people
      game: {name: craigslist_bargain, scenario_file: own.json, words_with_person: 0}
      conditions: [{people: true}]
  - rate: {ask: [negotiator, comments]}
minutes: 5
"""
# A target that stands nowhere else in a page.
SECRET = 193
ITEM = {
    "Title": "Road bike, steel frame, 56 cm",
    "Category": "bike",
    "Price": 280,
    "Images": [],
    "Description": [
        "Lugged steel frame with twelve gears.",
        "Always kept inside.",
        "Runs straight.",
    ],
}


def scenario() -> dict[str, Any]:
    half = {**ITEM, "Description": ITEM["Description"][:1]}
    kbs = [
        {"personal": {"Role": "buyer", "Target": SECRET, "Bottomline": None}, "item": half},
        {"personal": {"Role": "seller", "Target": 280, "Bottomline": None}, "item": ITEM},
    ]
    return {**BARGAIN_SCENARIO, "kbs": kbs}


@pytest.fixture
def seated(tmp_path: Path, serve: Any, link: Any, new_page: Any) -> Any:
    """Two people on their pages: the buyer and the seller."""

    def sit(**look: Any) -> tuple[Page, Page]:
        (tmp_path / "study").mkdir(exist_ok=True)
        (tmp_path / "study" / "own.json").write_text(json.dumps([scenario()]))
        server = serve(STUDY)
        pages = [new_page(**look), new_page(**look)]
        for page in pages:
            page.goto(link(server))
            page.get_by_role("button", name="Start").click()
        for page in pages:
            expect(page.locator("bargain-moves")).to_be_attached()
        first, second = pages
        is_buyer = "You are the buyer" in first.content()
        return (first, second) if is_buyer else (second, first)

    return sit


def say(page: Page, other: Page, text: str) -> None:
    page.locator("chat-room textarea").fill(text)
    page.locator("chat-room textarea").press("Enter")
    expect(other.locator("chat-room").get_by_text(text, exact=True)).to_be_visible()


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"bargain-{name}.png")


def holds(page: Page, number: int) -> bool:
    """Whether a number stands in the source of a page, but for parts of keys and digests."""
    return re.search(rf"(?<![\w-]){number}(?![\w-])", page.content()) is not None


# All four looks where pictures are wanted.
LOOKS = [pytest.param(False, False, marks=pytest.mark.long), (True, True)]


@pytest.mark.parametrize(("phone", "dark"), LOOKS)
def test_two_people_come_to_a_deal(seated: Any, axe: Any, phone: bool, dark: bool) -> None:
    buyer, seller = seated(phone=phone, dark=dark)
    looks = f"{'phone' if phone else 'desktop'}-{'dark' if dark else 'light'}"
    assert holds(buyer, SECRET)
    assert not holds(seller, SECRET)
    assert "Always kept inside." not in buyer.content()
    if phone:
        buyer.get_by_role("radio", name="What you know").check()
    expect(buyer.get_by_text("Your target", exact=True)).to_be_visible()
    expect(buyer.get_by_role("heading", name=ITEM["Title"])).to_be_visible()
    if phone:
        picture(buyer, f"listing-{looks}")
        assert axe(buyer) == []
        buyer.get_by_role("radio", name="Chat").check()

    say(buyer, seller, "Hello, is the bike still there? It looks well kept.")
    say(seller, buyer, "It is. New tires in spring, always kept inside.")
    say(buyer, seller, "Would you take 200 for it?")
    say(seller, buyer, "That is low for such a frame. I could go down to 240.")
    for page in (buyer, seller):
        assert axe(page) == []
        assert not scrolls_sideways(page)
    picture(buyer, f"chat-{looks}")

    price = seller.get_by_label("Price in US dollars")
    for rubbish in ("free", "-5", "NaN", "", "1,20"):
        price.fill(rubbish)
        seller.get_by_role("button", name="Make this offer").click()
        expect(seller.get_by_text("Please write the price as a number of dollars")).to_be_visible()
    price.fill("$1,225.50")
    seller.get_by_role("button", name="Make this offer").click()
    expect(seller.get_by_text("You offer $1,225.50.")).to_be_visible()
    expect(seller.locator("chat-room textarea")).not_to_be_editable()
    expect(seller.get_by_role("button", name="Make this offer")).to_be_hidden()
    expect(buyer.get_by_text("Your partner offers $1,225.50")).to_be_visible()
    expect(buyer.get_by_text("$1,032.50 above your target, $945.50 above")).to_be_visible()
    expect(buyer.get_by_role("button", name="Make this offer")).to_be_hidden()
    assert axe(buyer) == []
    assert not scrolls_sideways(buyer)
    picture(buyer, f"offer-{looks}")

    buyer.reload()
    buyer.get_by_role("button", name="Accept $1,225.50").click()
    for page in (buyer, seller):
        expect(page.get_by_text("You have a deal at $1,225.50.")).to_be_visible()
        expect(page.locator(".game-moves")).to_be_hidden()
    picture(buyer, f"end-{looks}")
    assert not holds(seller, SECRET)
    buyer.get_by_role("link", name="Continue").click()
    expect(buyer.get_by_text("Did your partner behave like a reasonable person")).to_be_visible()


@pytest.mark.long
def test_a_bargain_by_keyboard_alone(seated: Any) -> None:
    buyer, seller = seated()
    say(buyer, seller, "Would you take 200?")
    seller.get_by_label("Price in US dollars").focus()
    seller.keyboard.type("1.2k")
    seller.keyboard.press("Enter")
    expect(buyer.get_by_text("Your partner offers $1,200")).to_be_visible()
    for _ in range(30):
        buyer.keyboard.press("Tab")
        if buyer.evaluate("document.activeElement.textContent") == "Reject":
            break
    buyer.keyboard.press("Enter")
    for page in (buyer, seller):
        expect(page.get_by_text("The offer of $1,200 was rejected")).to_be_visible()
