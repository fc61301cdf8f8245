"""Participants in a real browser: chatting, comparing, leaving, coming back."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import func, select

from palaver.storage import Store
from palaver.storage.schema import assignments
from support.browsing import scrolls_sideways
from support.participants import sqlite_url

pytestmark = pytest.mark.browser

PAIRED = """
title: Which partner is better company?
language: en
minutes: 5
consent: {version: "1", text: "You talk with **two partners**. You may stop at any time."}
instructions: "Talk about anything you like, then compare."
pay: {amount: 1.50, currency: GBP}
systems:
  left_system_name: {kind: scripted, lines: ["Hello there.", "I see what you mean."]}
  right_system_name: {kind: scripted, lines: ["Good day.", "Tell me more."]}
questions:
  preference: {kind: comparative, text: "Which conversation did you like better?"}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 4}
      conditions: [{systems: [left_system_name, right_system_name], needed: 40}]
      pace: {reading: 0, characters_per_second: 10000}
  - rate: {ask: [preference]}
"""

PEOPLE = """
title: Meet somebody
systems: {}
stages:
  - chat:
      arrangement: people
      turns: {at_least: 4}
      personas: {person: ["You like the sea."], partner: ["You like mountains."]}
      conditions: [{people: true, needed: 5}]
"""


def say(page: Page, text: str) -> None:
    """Write a message with the keyboard and send it with Enter."""
    box = page.locator("chat-room textarea:not([readonly]):not([disabled])")
    box.focus()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(page.locator(".message .bubble", has_text=text).last).to_be_visible()


def begin(page: Page, link: str) -> None:
    """From the link to the first conversation."""
    page.goto(link)
    page.get_by_role("button", name="I agree and take part").click()
    page.locator("main button.primary").click()


def choose_from_menu(page: Page, name: str) -> None:
    """Open the menu in the header and follow one of its links, with the keyboard alone."""
    page.locator(".menu > summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name=name).focus()
    page.keyboard.press("Enter")


def hold_conversation(page: Page, texts: list[str]) -> None:
    """Say what is to be said, waiting for each reply, and go on."""
    for number, text in enumerate(texts, start=1):
        say(page, text)
        expect(page.locator(".message")).to_have_count(number * 2)
    page.get_by_role("link", name="Continue").click()


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_somebody_chats_with_two_systems_and_compares_them(
    serve_once: Any, link: Any, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    page = new_page(phone=phone, dark=dark)
    seen: list[str] = []
    page.on(
        "response",
        lambda r: seen.append(r.text()) if "text" in r.headers.get("content-type", "") else None,
    )
    page.on("websocket", lambda ws: ws.on("framereceived", lambda frame: seen.append(str(frame))))
    problems: list[str] = []

    def look() -> None:
        problems.extend(axe(page))
        assert not scrolls_sideways(page), page.url

    page.goto(link(serve_once(PAIRED)))
    look()
    page.get_by_role("button", name="I agree and take part").click()
    look()
    page.locator("main button.primary").click()
    for letter in "AB":
        expect(
            page.get_by_role("heading", name=f"Conversation {letter} of two").first
        ).to_be_attached()
        say(page, "Hello.")
        expect(page.locator(".message")).to_have_count(2)
        look()
        say(page, "And you?")
        expect(page.get_by_text("This conversation is complete.")).to_be_visible()
        page.get_by_role("link", name="Continue").click()
    look()
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="Conversation A", exact=True)).to_be_checked()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()
    expect(page.locator("[data-part=code]")).to_have_text(re.compile(r"^[A-Z0-9]{10}$"))
    look()

    assert problems == []
    assert not [text for text in seen if "system_name" in text], (
        "a system's name reached the browser"
    )


def test_the_first_page_asks_within_reach_of_a_thumb(
    serve_once: Any, link: Any, new_page: Any
) -> None:
    page = new_page(phone=True)
    page.goto(link(serve_once(PAIRED)))

    agree = page.get_by_role("button", name="I agree and take part")
    expect(agree).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="No thanks")).to_be_in_viewport(ratio=1)
    parts = [
        page.get_by_role("heading", level=1),
        page.get_by_text("You talk with two partners."),
        *(page.get_by_text(text, exact=True) for text in ("Time", "Pay", "You need")),
        *(page.get_by_role("heading", name=name) for name in ("What happens", "Your rights")),
        page.get_by_role("heading", name="Take part?"),
    ]
    tops = [part.evaluate("part => part.getBoundingClientRect().top") for part in parts]
    assert tops == sorted(tops)
    header = page.locator(".top").bounding_box()
    assert header is not None
    assert header["height"] == 46


@pytest.mark.long
def test_a_title_without_spaces_does_not_widen_a_small_screen(
    serve: Any, link: Any, new_page: Any
) -> None:
    page = new_page(phone=True)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(link(serve(PAIRED.replace("Which partner is better company?", "W" * 300))))

    assert not scrolls_sideways(page)
    page.get_by_role("button", name="I agree and take part").click()
    expect(page.get_by_role("heading", name="What to do")).to_be_visible()
    assert not scrolls_sideways(page)


def test_the_menu_works_without_scripts(serve_once: Any, link: Any, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(link(serve_once(PAIRED)))

    page.locator(".menu > summary").click()
    page.get_by_role("link", name="Withdraw").click()
    expect(page.get_by_role("heading", name="Withdraw from this study")).to_be_visible()
    context.close()


def test_an_unanswered_question_is_named(serve_once: Any, link: Any, new_page: Any) -> None:
    page = new_page()
    begin(page, link(serve_once(PAIRED)))
    for _ in "AB":
        hold_conversation(page, ["Hello.", "Bye."])

    # Before the script runs, the browser names what is missing in its own way.
    expect(page.locator("rating-form form")).to_have_attribute("novalidate", "")
    page.get_by_role("button", name="Send answers").click()

    expect(page.get_by_role("alert")).to_contain_text("Which conversation did you like better?")


def test_two_people_meet_and_talk(serve: Any, link: Any, new_page: Any, axe: Any) -> None:
    server = serve(PEOPLE)
    one, other = new_page(), new_page(phone=True)
    one.goto(link(server))
    expect(one.get_by_role("heading", name="thank you for coming")).to_be_visible()
    assert axe(one) == []
    one.get_by_role("button", name="Start").click()
    expect(one.get_by_role("heading", name="Waiting for a partner")).to_be_visible()
    assert axe(one) == []

    other.goto(link(server))
    other.get_by_role("button", name="Start").click()
    for page in (one, other):
        expect(page.locator("chat-room")).to_be_visible()
    # On a phone the role is folded.
    texts = [page.locator("aside").text_content() or "" for page in (one, other)]
    assert sorted("sea" in text for text in texts) == [False, True], "each sees their own persona"

    say(one, "Hello from one.")
    expect(other.locator(".message .bubble", has_text="Hello from one.")).to_be_visible()
    say(other, "Hello from the other.")
    say(one, "How are you?")
    say(other, "Well.")
    for page in (one, other):
        expect(page.locator(".message")).to_have_count(4)
    other.get_by_role("button", name="Finish").click()
    for page in (one, other):
        expect(page.get_by_text("This conversation is complete.")).to_be_visible()
        assert axe(page) == []


def test_a_killed_server_loses_nothing_that_was_sent(serve: Any, link: Any, new_page: Any) -> None:
    server = serve(PAIRED)
    page = new_page()
    begin(page, link(server))
    say(page, "Before the crash.")
    expect(page.locator(".message")).to_have_count(2)
    port = int(server.base.rpartition(":")[2])

    server.kill()
    expect(page.locator("[data-part=connection-text]")).to_contain_text("Connection lost")
    page.locator("chat-room textarea").focus()
    page.keyboard.type("Written while it was away.")
    page.keyboard.press("Enter")
    serve(PAIRED, port=port)

    expect(page.get_by_text("This conversation is complete.")).to_be_visible()
    said = page.locator(".message .bubble [data-part=text]").all_inner_texts()
    assert [said[0], said[2]] == ["Before the crash.", "Written while it was away."]
    assert len(said) == 4


def test_a_second_tab_takes_over_and_gives_back(serve_once: Any, link: Any, new_page: Any) -> None:
    first = new_page()
    begin(first, link(serve_once(PAIRED)))
    say(first, "From the first tab.")
    expect(first.locator(".message")).to_have_count(2)

    second = first.context.new_page()
    second.goto(first.url)
    expect(first.locator("[data-part=connection-text]")).to_contain_text("open in another tab")
    expect(second.locator(".message")).to_have_count(2)

    first.get_by_role("button", name="Continue here").click()
    expect(second.locator("[data-part=connection-text]")).to_contain_text("open in another tab")
    say(first, "Back again.")
    expect(first.get_by_text("This conversation is complete.")).to_be_visible()


def test_withdrawing_and_reporting_work_with_the_keyboard_alone(
    serve_once: Any, link: Any, new_page: Any, axe: Any
) -> None:
    page = new_page(phone=True)
    page.goto(link(serve_once(PAIRED)))

    choose_from_menu(page, "Something is wrong")
    page.get_by_role("textbox").focus()
    page.keyboard.type("The picture does not load.")
    page.get_by_role("button", name=re.compile("Send")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("Thank you"))).to_be_visible()
    assert axe(page) == []

    page.go_back()
    choose_from_menu(page, "Withdraw")
    page.get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name=re.compile("Withdraw")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="You have withdrawn")).to_be_visible()
    assert axe(page) == []


def test_a_study_in_arabic_is_laid_out_from_right_to_left(
    serve: Any, link: Any, new_page: Any
) -> None:
    page = new_page(phone=True)
    page.goto(link(serve(PAIRED.replace("language: en", "language: ar"))))

    assert page.locator("html").get_attribute("lang") == "ar"
    assert page.locator("html").get_attribute("dir") == "rtl"
    assert not scrolls_sideways(page)


@pytest.mark.long
def test_a_preview_can_be_clicked_through_and_stores_nothing(
    serve: Any, new_page: Any, tmp_path: Path
) -> None:
    server = serve(PAIRED)
    page = new_page(phone=True)

    page.goto(f"{server.base}/s/study")
    expect(page.get_by_text("nothing you do here is stored")).to_be_visible()
    page.get_by_role("button", name="I agree and take part").click()
    page.locator("main button.primary").click()

    expect(page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()
    expect(page.get_by_text("nothing you do here is stored")).to_be_visible()
    store = Store(sqlite_url(tmp_path / "home"))
    try:
        visits = store.read_now(lambda c: c.execute(select(func.count(assignments.c.id))).scalar())
    finally:
        store.close()
    assert visits == 0
