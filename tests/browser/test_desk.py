"""Researchers in a real browser: signing in, watching, reading, and the public board."""

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browsing import scrolls_sideways
from support.serving import Server

pytestmark = pytest.mark.browser

STUDY = """
title: Which partner is better company?
systems:
  one: {kind: scripted, lines: ["Hello there.", "I see."]}
  two: {kind: scripted, lines: ["Good day.", "Go on."]}
questions:
  preference: {kind: comparative, text: "Which conversation did you like better?"}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 2}
      conditions: [{systems: [one, two], needed: 3}]
      pace: {reading: 0, characters_per_second: 10000}
  - rate: {ask: [preference]}
board: {public: true}
"""
PASSWORD = "a password for the test"


def sign_in(page: Page, server: Server) -> None:
    """Sign in with the one-time password that was printed, and replace it."""
    found = re.search(r"one-time password: (\S+)", server.output())
    assert found is not None
    page.goto(f"{server.base}/desk")
    page.get_by_label("Name").fill("owner")
    page.get_by_label("Password").fill(found.group(1))
    page.get_by_role("button", name=re.compile("Sign in")).click()
    page.wait_for_url("**/desk/new-password*")
    for box in page.locator("input[type=password]").all():
        box.fill(PASSWORD)
    page.locator("main button").first.click()
    page.wait_for_url("**/desk")


def take_part(page: Page, link: str) -> None:
    """Chat with both systems and prefer the first."""
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    for _ in "AB":
        box = page.locator("chat-room textarea:not([readonly]):not([disabled])")
        box.fill("Hello.")
        box.press("Enter")
        page.get_by_role("link", name="Continue").click()
    page.get_by_role("radio", name="Conversation A", exact=True).check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_a_researcher_watches_a_study_and_reads_its_dialogues(
    serve: Any, link: Any, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    server = serve(STUDY)
    desk = new_page(phone=phone, dark=dark)
    sign_in(desk, server)
    desk.goto(f"{server.base}/desk/studies/study")
    expect(desk.locator("#study-state")).to_contain_text("0 of 3")

    take_part(new_page(), link(server))

    expect(desk.locator("#study-state")).to_contain_text("1 of 3")
    expect(desk.locator('[data-field="progress"]')).to_have_text("1 of 3")
    problems: list[str] = []
    paths = ["", "/studies/study", "/studies/study/participants", "/studies/study/links"]
    paths += ["/studies/study/judgements"]
    paths += ["/dialogues", "/raters", "/boards", "/settings"]
    for path in paths:
        desk.goto(f"{server.base}/desk{path}")
        problems += axe(desk)
        assert not scrolls_sideways(desk), path
    desk.goto(f"{server.base}/desk/dialogues")
    desk.locator("tbody a").first.click()
    expect(desk.get_by_text("Hello.").first).to_be_visible()
    problems += axe(desk)
    assert problems == []


@pytest.mark.long
def test_whoever_is_signed_out_finds_the_way_back(serve: Any, new_page: Any) -> None:
    server = serve(STUDY)
    desk = new_page()
    sign_in(desk, server)
    study = f"{server.base}/desk/studies/study"
    desk.goto(study)
    desk.context.clear_cookies()
    desk.locator("live-progress").get_by_role("link", name="Sign in").click()
    desk.get_by_label("Name").fill("owner")
    desk.get_by_label("Password").fill(PASSWORD)
    desk.get_by_role("button", name="Sign in").click()
    desk.wait_for_url(study)


@pytest.mark.long
def test_the_export_downloads(serve: Any, link: Any, new_page: Any, tmp_path: Path) -> None:
    server = serve(STUDY)
    take_part(new_page(), link(server))
    desk = new_page()
    sign_in(desk, server)
    desk.goto(f"{server.base}/desk/studies/study")

    with desk.expect_download() as caught:
        desk.get_by_role("button", name="Download the study").click()

    with zipfile.ZipFile(caught.value.path()) as archive:
        dialogues = archive.read("dialogues.jsonl").decode().splitlines()
    assert len(dialogues) == 2
    assert all("Hello." in dialogue for dialogue in dialogues)


def test_the_board_follows_the_votes(serve: Any, link: Any, new_page: Any, axe: Any) -> None:
    server = serve(STUDY)
    board = new_page(phone=True)
    board.goto(f"{server.base}/boards/study")
    progress = board.locator(".page-head")
    expect(board.get_by_role("heading", level=1)).to_have_text("No comparisons yet")
    expect(progress).to_contain_text("0 of 3")
    assert axe(board) == []

    take_part(new_page(), link(server))

    expect(progress).to_contain_text("1 of 3")
    expect(board.locator("interval-figure svg.chart")).to_be_visible()
    assert axe(board) == []
    assert not scrolls_sideways(board)
