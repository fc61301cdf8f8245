"""A game's own element in a real browser: a move, the state it leaves, and the survey after it."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from support.browsing import scrolls_sideways
from support.games import GUESSING, offer_games

pytestmark = pytest.mark.browser

STUDY = GUESSING.replace('consent: {version: "1", text: Do you agree?}\n', "")


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.long), True])
def test_two_people_guess_with_the_element_of_the_game(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    serve: Any,
    link: Any,
    new_page: Any,
    axe: Any,
    phone: bool,
) -> None:
    offer_games(monkeypatch)
    server = serve(STUDY)
    ann, ben = new_page(phone=phone), new_page(phone=phone)
    for page in (ann, ben):
        page.goto(link(server))
        page.get_by_role("button", name="Start").click()
    for page in (ann, ben):
        expect(page.locator("number-guess button")).to_be_enabled()
        assert axe(page) == []
        assert not scrolls_sideways(page)
        expect(page.get_by_text("Write the first message to begin.")).to_be_visible()

    if phone:
        ann.get_by_role("radio", name="What you know").check()
        expect(ann.get_by_role("heading", name="Your number")).to_be_visible()
        expect(ann.locator("chat-room")).to_be_hidden()
        assert axe(ann) == []
        ann.get_by_role("radio", name="Chat").check()
    expect(ann.locator("chat-room")).to_be_visible()

    ann.get_by_label("Your guess").fill("7")
    ann.get_by_role("button", name="Guess").click()
    expect(ann.get_by_text("You guessed 7.")).to_be_visible()
    expect(ann.get_by_role("button", name="Guess")).to_be_disabled()
    expect(ann.get_by_text("You have guessed. Your partner has not yet.")).to_be_visible()
    expect(ann.locator("chat-room textarea")).not_to_be_editable()
    expect(ann.locator("[data-part=empty]")).to_be_hidden()
    expect(ben.get_by_text("Write the first message to begin.")).to_be_visible()
    expect(ben.locator("chat-room textarea")).to_be_editable()
    expect(ben.get_by_text("guessed 7")).to_have_count(0)

    ann.reload()
    expect(ann.get_by_text("You guessed 7.")).to_be_visible()
    expect(ann.get_by_role("button", name="Guess")).to_be_disabled()
    expect(ann.locator("[data-part=empty]")).to_be_hidden()

    ben.get_by_label("Your guess").fill("8")
    ben.get_by_role("button", name="Guess").click()
    for page in (ann, ben):
        expect(page.get_by_text("You earned 0 points.")).to_be_visible()
        expect(page.locator(".game-moves")).to_be_hidden()
        page.get_by_role("link", name="Continue").click()
        expect(page.get_by_text("How attentive was your partner?")).to_be_visible()
