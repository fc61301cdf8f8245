"""Deal or No Deal in a real browser: two people set their shares, mark the deal, see what it earned."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browsing import scrolls_sideways

pytestmark = pytest.mark.browser

COUNTS = {"book": 3, "hat": 2, "ball": 1}
VALUES = ({"book": 2, "hat": 1, "ball": 2}, {"book": 1, "hat": 3, "ball": 1})
SCENARIO = {
    "uuid": "S_deal",
    "kbs": [
        [{"Name": item, "Count": COUNTS[item], "Value": side[item]} for item in COUNTS]
        for side in VALUES
    ],
}
STUDY = """\
title: Share books, hats and a ball
stages:
  - chat:
      arrangement: people
      game: {name: deal_or_no_deal, scenario_file: scenarios.json, no_deal_after: 2, least_messages: 0}
      conditions: [{people: true}]
  - rate: {}
minutes: 5
"""


@pytest.fixture
def pair(tmp_path: Path, serve: Any, link: Any, new_page: Any) -> Any:
    """Opens the pages of the two people, seat 0 first."""

    def open_both(*, phone: bool = False) -> list[Page]:
        (tmp_path / "study").mkdir(exist_ok=True)
        (tmp_path / "study" / "scenarios.json").write_text(json.dumps([SCENARIO]))
        server = serve(STUDY)
        pages = [new_page(phone=phone) for _ in (0, 1)]
        for page in pages:
            page.goto(link(server))
            page.get_by_role("button", name="Start").click()
        for page in pages:
            expect(page.get_by_text("Write the first message to begin.")).to_be_visible()
        return sorted(pages, key=lambda page: page.locator("chat-room").get_attribute("data-seat"))

    return open_both


def say(page: Page, other: Page, text: str) -> None:
    page.get_by_label("Your message").fill(text)
    page.keyboard.press("Enter")
    expect(other.get_by_text(text)).to_be_visible()


def show(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).check()


@pytest.mark.long
def test_two_people_share_with_a_mouse(pair: Any, axe: Any) -> None:
    ann, ben = pair()
    mark = ann.get_by_role("button", name="Mark this deal as agreed")
    expect(mark).to_be_disabled()
    expect(ann.get_by_text("You can mark a deal once you have sent 1 message.")).to_be_visible()
    expect(ann.get_by_text("after 2 messages of yours; you have sent 0.")).to_be_visible()
    assert axe(ann) == []
    assert not scrolls_sideways(ann)

    say(ann, ben, "I take the books, you take the rest")
    expect(ann.get_by_text("You can mark a deal when it is your turn.")).to_be_visible()
    say(ben, ann, "That works for me")
    expect(ann.get_by_text("Set what you get first.")).to_be_visible()
    more = ann.get_by_role("button", name="One book more for you")
    for _ in range(3):
        more.click()
    expect(more).to_be_disabled()
    expect(ann.locator("deal-share .total")).to_contain_text("6 of 10 points for you")
    expect(ann.locator("[data-good=book] .split")).to_contain_text("They get 0")

    # What was set is there again after a reload.
    ann.reload()
    expect(ann.locator("deal-share .total")).to_contain_text("6 of 10 points for you")
    mark.click()
    dialog = ann.get_by_role("dialog", name="Mark this deal?")
    expect(dialog).to_contain_text("You get 3 books; your partner gets 2 hats and 1 ball.")
    dialog.get_by_role("button", name="Back").click()
    expect(ann.get_by_text("You marked the deal")).to_have_count(0)
    mark.click()
    dialog.get_by_role("button", name="Mark it").click()
    expect(ann.get_by_text("You marked the deal: you take 3 books.")).to_be_visible()
    expect(more).to_be_disabled()

    expect(
        ben.get_by_text("Your partner has marked a deal. Mark what you agreed on to")
    ).to_be_visible()
    expect(ben.get_by_text("3 books.")).to_have_count(0)
    assert axe(ben) == []
    for name in ("hat", "hat", "ball"):
        ben.get_by_role("button", name=f"One {name} more for you").click()
    ben.get_by_role("button", name="Mark this deal as agreed").click()
    ben.get_by_role("button", name="Mark it").click()
    for page, points in ((ann, 6), (ben, 7)):
        expect(page.get_by_text(f"It is a deal. You earned {points} points.")).to_be_visible()
        page.get_by_role("link", name="Continue").click()
        expect(page.get_by_text("Did your partner behave like a person?")).to_be_visible()


def test_with_the_keyboard_alone_and_on_a_phone(pair: Any, axe: Any) -> None:
    ann, ben = pair(phone=True)
    expect(ann.get_by_text("Your share: 0 of 10 points.")).to_be_visible()
    say(ben, ann, "You take the books and a hat?")
    say(ann, ben, "Fine")
    assert not scrolls_sideways(ben)
    # One thumb: the way to the share is above the input.
    ben.get_by_role("button", name="Your share").click()
    expect(ben.get_by_role("heading", name="The deal you talk about")).to_be_visible()
    expect(ben.locator("chat-room")).to_be_hidden()
    assert axe(ben) == []
    assert not scrolls_sideways(ben)
    for button in ben.locator("deal-share button:visible").all():
        assert button.bounding_box()["height"] >= 40
    ben.get_by_role("button", name="One hat more for you").focus()
    ben.keyboard.press("Enter")
    ben.keyboard.press("Enter")
    expect(ben.locator("[data-good=hat] output")).to_have_text("2")
    # The button that is of no use any more hands the focus to its neighbour.
    expect(ben.get_by_role("button", name="One hat less for you")).to_be_focused()
    ben.keyboard.press("Space")
    expect(ben.locator("[data-good=hat] output")).to_have_text("1")
    ben.get_by_role("button", name="Mark this deal as agreed").focus()
    ben.keyboard.press("Enter")
    ben.keyboard.press("Tab")
    ben.keyboard.press("Enter")
    show(ben, "Chat")
    expect(ben.get_by_text("You marked the deal: you take 1 hat.")).to_be_visible()

    expect(ann.get_by_text("Your partner has marked a deal. Mark what")).to_be_visible()
    show(ann, "What you know")
    none = ann.get_by_role("button", name="No deal")
    expect(none).to_be_enabled()
    none.click()
    ann.get_by_role("dialog").get_by_role("button", name="No deal").click()
    for page in (ann, ben):
        show(page, "Chat")
        expect(page.get_by_text("There is no deal. You earned no points.")).to_be_visible()
