"""The editor and a rehearsal in a real browser: with the keyboard, on a phone, and after a reload."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browsing import scrolls_sideways, sign_in_at_desk
from support.flow_studies import people, system
from support.houses import House
from support.rehearsing import Rehearser, contents

from .conftest import NewPage


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder: Path = tmp_path_factory.mktemp("edited")
    built = House.build(
        folder,
        {"chat": system(), "people": people(limits={})},
        f"sqlite:///{folder / 'home' / 'palaver.db'}",
    )
    built.serve()
    Rehearser.account(built, "ruth")
    yield built
    built.close()


def edit(page: Page, house: House) -> None:
    page.goto(f"{house.server.base}/desk/studies/chat/edit")
    expect(page.locator("study-editor [data-part=lines] span").first).to_have_text("1")


def test_mistakes_are_marked_and_reached(house: House, new_page: NewPage) -> None:
    page = sign_in_at_desk(new_page(), house.server.base, "ruth")
    edit(page, house)
    text = page.locator("#text")
    text.fill(text.input_value().replace("title:", "titel:"))
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="2 problems")).to_be_visible()
    place = page.locator(".problems [data-line]", has_text="titel")
    line = place.get_attribute("data-line")
    assert line is not None
    marked = page.locator("study-editor [data-part=lines] .wrong", has_text=line)
    expect(marked.first).to_be_visible()
    place.get_by_role("link").click()
    chosen = page.evaluate(
        "() => { const t = document.querySelector('#text');"
        " return t.value.slice(t.selectionStart, t.selectionEnd); }"
    )
    assert chosen.startswith("titel")


def test_the_tab_key_indents_and_escape_lets_it_go(house: House, new_page: NewPage) -> None:
    page = sign_in_at_desk(new_page(), house.server.base, "ruth")
    edit(page, house)
    text = page.locator("#text")
    before = text.input_value()
    text.press("Control+Home")
    text.press("Tab")
    assert text.input_value() == f"  {before}"
    text.press("Shift+Tab")
    assert text.input_value() == before
    text.press("Escape")
    text.press("Tab")
    expect(page.locator("#note")).to_be_focused()


def test_what_was_not_saved_survives_a_reload(house: House, new_page: NewPage) -> None:
    page = sign_in_at_desk(new_page(), house.server.base, "ruth")
    edit(page, house)
    text = page.locator("#text")
    saved = text.input_value()
    text.fill(f"{saved}# mine\n")
    page.reload()
    expect(page.get_by_text("This is text of yours that was not saved")).to_be_visible()
    assert text.input_value().endswith("# mine\n")
    page.get_by_role("button", name="Take the saved text instead").click()
    assert text.input_value() == saved
    page.reload()
    expect(page.locator("study-editor [data-part=lines] span").first).to_have_text("1")
    assert text.input_value() == saved


def test_a_draft_is_rehearsed_on_a_phone(
    house: House, new_page: NewPage, axe: Callable[[Page], list[str]]
) -> None:
    page = sign_in_at_desk(new_page(phone=True), house.server.base, "ruth")
    before = contents(house.store)
    edit(page, house)
    assert not scrolls_sideways(page)
    assert axe(page) == []
    text = page.locator("#text")
    text.fill(text.input_value().replace("Do you agree?", "Do you agree to all of it?"))
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Try it as a participant").click()
    visit = opened.value
    expect(visit.get_by_text("Do you agree to all of it?")).to_be_visible()
    bar = visit.get_by_role("complementary", name="Rehearsal")
    expect(bar).to_be_visible()
    assert not scrolls_sideways(visit)
    bar.get_by_text("Go to").click()
    assert not scrolls_sideways(visit)
    bar.get_by_role("button", name="Conversation").click()
    visit.get_by_placeholder("Write a message").fill("Hello")
    visit.keyboard.press("Enter")
    expect(visit.get_by_text("tern one")).to_be_visible()
    assert axe(visit) == []
    visit.get_by_role("complementary", name="Rehearsal").get_by_role("button", name="End").click()
    expect(visit.locator("#text")).to_be_visible()
    assert contents(house.store) == before


def test_one_person_takes_both_seats(
    house: House, new_page: NewPage, axe: Callable[[Page], list[str]]
) -> None:
    page = sign_in_at_desk(new_page(), house.server.base, "ruth")
    page.goto(f"{house.server.base}/desk/studies/people/rehearsal")
    assert axe(page) == []
    page.get_by_role("button", name="Begin the rehearsal").click()
    page.get_by_text("Go to").click()
    page.get_by_role("button", name="Conversation").click()
    expect(page.get_by_role("heading", name="Waiting for a partner")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Second seat").click()
    other = opened.value
    for each in (page, other):
        expect(each.get_by_placeholder("Write a message")).to_be_visible()
    page.get_by_placeholder("Write a message").fill("Is it you?")
    page.keyboard.press("Enter")
    expect(other.get_by_text("Is it you?")).to_be_visible()
    expect(other.get_by_text("You are person 2 of 2")).to_be_visible()
