"""Games in a real browser, from the first page to the code: practice, people, bots, too little."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browsing import scrolls_sideways
from support.games import offer_games

pytestmark = pytest.mark.browser

# Where to leave pictures of the pages, to look at.
PICTURES = os.environ.get("PALAVER_PICTURES")
LONELY = """\
title: Guess a number
pay: {amount: 1, currency: GBP}
minutes: 5
systems:
  teller: {kind: python, class: "number_guess.bots:Teller"}
stages:
  - chat:
      practice: true
      game: {name: number_guess, digits: 2}
      conditions: [{systems: [teller]}]
  - chat:
      game: {name: number_guess, least_messages: 1, pairs: {one: [111, 222]}}
      conditions: [{systems: [teller], per_scenario: 5}]
      pace: null
  - rate: {}
"""
TOGETHER = """\
title: Guess a number
pay: {amount: 1, currency: GBP}
minutes: 5
stages:
  - chat:
      arrangement: people
      game: {name: number_guess, pairs: {one: [111, 222]}}
      conditions: [{people: true, per_scenario: 1}]
  - rate: {}
"""


@pytest.fixture(autouse=True)
def _offered(monkeypatch: pytest.MonkeyPatch) -> None:
    offer_games(monkeypatch)


def look(page: Page, name: str, axe: Any) -> None:
    """A page is sound: nothing for axe to find, nothing that scrolls sideways."""
    assert axe(page) == []
    assert not scrolls_sideways(page)
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"))


def begin(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Start").click()


def say(page: Page, words: str) -> None:
    page.get_by_label("Your message").fill(words)
    page.get_by_label("Your message").press("Enter")
    expect(page.get_by_text(words)).to_be_visible()


def guess(page: Page, number: str = "7") -> None:
    page.get_by_label("Your guess").fill(number)
    page.get_by_role("button", name="Guess").click()


def answer(page: Page) -> None:
    expect(page.get_by_text("How attentive was your partner?")).to_be_visible()
    page.locator("input[type=radio][value='4']").check(force=True)
    page.get_by_role("button", name="Send").click()
    expect(page.locator('[data-part="code"]')).to_be_visible()


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.long), True])
def test_practice_then_too_little_then_enough(
    serve: Any, link: Any, new_page: Any, axe: Any, phone: bool
) -> None:
    server = serve(LONELY)
    page = new_page(phone=phone, dark=phone)
    size = "360-dark" if phone else "1280-light"
    begin(page, link(server))
    expect(page.get_by_text("Practice round: your partner is a program")).to_be_visible()
    expect(page.get_by_role("button", name="Guess")).to_be_enabled()
    look(page, f"practice-{size}", axe)
    say(page, "Mine is small.")
    expect(page.get_by_text("Mine is")).to_have_count(2)
    guess(page)
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("heading", name="You have finished the practice round")).to_be_visible()
    look(page, f"practised-{size}", axe)
    page.get_by_role("button", name="Practise once more").click()
    expect(page.get_by_text("Practice round: your partner is a program")).to_be_visible()
    guess(page)
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("button", name="Go on").click()

    # Without a word it does not count.
    expect(page.get_by_role("button", name="Guess")).to_be_enabled()
    expect(page.get_by_text("Practice round")).to_have_count(0)
    guess(page)
    expect(page.get_by_text("You wrote 0 messages; at least 1 were asked for.")).to_be_visible()
    look(page, f"insufficient-{size}", axe)
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("heading", name="Your conversation has ended")).to_be_visible()
    look(page, f"again-{size}", axe)
    page.get_by_role("button", name="Start a new conversation").click()

    # In the middle of the game the page is loaded anew, and the game is where it was.
    say(page, "Is yours odd?")
    expect(page.get_by_text("Mine is")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Is yours odd?")).to_be_visible()
    guess(page, "222")
    page.get_by_role("link", name="Continue").click()
    answer(page)


@pytest.mark.long
def test_two_people_play_to_the_end_with_survey_and_code(
    serve: Any, link: Any, new_page: Any
) -> None:
    server = serve(TOGETHER)
    ann, ben = new_page(), new_page(phone=True)
    for page in (ann, ben):
        begin(page, link(server))
    for page in (ann, ben):
        expect(page.get_by_role("button", name="Guess")).to_be_enabled()
    say(ann, "Hello there")
    expect(ben.get_by_text("Hello there")).to_be_visible()
    guess(ann)
    guess(ben)
    for page in (ann, ben):
        page.get_by_role("link", name="Continue").click()
        answer(page)
