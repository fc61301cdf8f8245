"""MutualFriends in a real browser: two people, with the keyboard alone, and on a phone."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browsing import scrolls_sideways
from support.friends import ADA, BO, CY, DI, SCENARIO

pytestmark = pytest.mark.browser

STUDY = """\
title: Friends
stages:
  - chat:
      arrangement: people
      game: {name: mutual_friends, scenario_file: friends.json, select_pause: 0}
      conditions: [{people: true}]
  - rate: {}
minutes: 5
"""


@pytest.fixture
def pair(serve: Any, link: Any, new_page: Any, tmp_path: Path, request: Any) -> list[Page]:
    """Two people at seats 0 and 1."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "friends.json").write_text(json.dumps([SCENARIO]))
    server = serve(STUDY)
    pages = [new_page(phone=request.param, dark=request.param) for _ in range(2)]
    for page in pages:
        page.goto(link(server))
        page.get_by_role("button", name="Start").press("Enter")
    for page in pages:
        expect(page.locator("chat-room textarea")).to_be_editable()
    return sorted(
        pages, key=lambda page: page.locator("chat-room").get_attribute("data-seat") or ""
    )


def select_button(page: Page, friend: dict[str, str]) -> Any:
    return page.get_by_role("button", name=", ".join(friend.values()))


@pytest.mark.long
@pytest.mark.parametrize("pair", [False], indirect=True)
def test_a_whole_game_with_the_keyboard_alone(pair: list[Page], axe: Any) -> None:
    ann, ben = pair
    assert BO["Name"] in ann.content()
    assert all(value not in ann.content() for value in (CY["Name"], DI["Name"], "Yoga"))
    assert BO["Name"] not in ben.content()
    assert axe(ann) == []

    ann.keyboard.type("Hello. Do you have friends who studied physics?")
    ann.keyboard.press("Enter")
    expect(ben.get_by_text("who studied physics?")).to_be_visible()
    expect(ben.locator("mark")).to_have_text(["Physics", "Physics"])
    expect(ben.get_by_text("Underlined: what your partner mentioned")).to_be_visible()

    # From the input back through the table: the search field, the heads, the buttons.
    ben.get_by_role("searchbox", name="Search your friends").focus()
    ben.keyboard.type("phys yog")
    expect(ben.get_by_text("1 of 3 friends")).to_be_visible()
    expect(ben.get_by_role("rowheader")).to_have_text(["Dinah"])
    ben.keyboard.press("Escape")
    expect(ben.get_by_text("3 of 3 friends")).to_be_visible()
    ben.keyboard.press("Tab")
    expect(ben.get_by_role("button", name="Name", exact=True)).to_be_focused()
    ben.keyboard.press("Enter")
    expect(ben.get_by_role("rowheader")).to_have_text(["Adele", "Cyrus", "Dinah"])
    ben.keyboard.press("Enter")
    expect(ben.get_by_role("rowheader")).to_have_text(["Dinah", "Cyrus", "Adele"])
    for _ in range(3):
        ben.keyboard.press("Tab")
    expect(select_button(ben, DI)).to_be_focused()
    ben.keyboard.press("Enter")
    expect(select_button(ben, DI)).to_have_attribute("aria-pressed", "true")
    expect(select_button(ben, DI)).to_be_focused()
    assert axe(ben) == []

    told = "Your partner selected Dinah (Physics, Yoga). Nobody in your table is this friend."
    expect(ann.locator("friends-table").get_by_text(told)).to_be_visible()
    select_button(ann, ADA).focus()
    ann.keyboard.press("Space")
    expect(ben.locator("friends-choice").get_by_text("Your partner selected Adele")).to_be_visible()
    expect(ben.locator("tr.theirs").get_by_role("rowheader")).to_have_text(["Adele"])
    ben.reload()
    expect(ben.locator("tr.theirs").get_by_role("rowheader")).to_have_text(["Adele"])
    expect(select_button(ben, DI)).to_have_attribute("aria-pressed", "true")

    expect(select_button(ben, ADA)).not_to_have_attribute("aria-disabled", "true")
    select_button(ben, ADA).focus()
    ben.keyboard.press("Enter")
    for page in pair:
        expect(page.get_by_text("You found your mutual friend.")).to_be_visible()
        page.get_by_role("link", name="Continue").press("Enter")
        expect(page.get_by_text("How cooperative was your partner?")).to_be_visible()
        assert axe(page) == []


@pytest.mark.parametrize("pair", [True], indirect=True)
def test_a_whole_game_on_a_phone(pair: list[Page], axe: Any) -> None:
    for page in pair:
        expect(page.get_by_role("button", name="Show my friends")).to_be_visible()
        page.get_by_role("button", name="Show my friends").click()
        expect(page.get_by_role("heading", name="friends")).to_be_visible()
        expect(page.locator("chat-room")).to_be_hidden()
        assert not scrolls_sideways(page)
        assert axe(page) == []
        button = select_button(page, ADA)
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["x"] > 180  # within reach of the thumb
        page.get_by_role("combobox", name="Sort by").select_option("Hobby")
        button.click()
    for page in pair:
        # The end is told beside the conversation, which comes to the front.
        expect(page.get_by_text("You found your mutual friend.")).to_be_visible()
        assert not scrolls_sideways(page)
