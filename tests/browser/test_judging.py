"""Raters in a real browser: a practice that is passed, one that is not, and a judged pair of chats."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from ruamel.yaml import YAML

from palaver.studies import library
from support.browsing import scrolls_sideways

pytestmark = pytest.mark.browser

SCREENED = """
title: How empathetic is it?
consent: {version: "1", text: "You judge conversations."}
stages:
  - screen: {training: empathy}
  - rate: {ask: [empathy, quality_likert], data: data.jsonl, per_visit: 1}
"""
PAIRED = """
title: Two partners
consent: {version: "1", text: "You talk with two partners and judge them."}
systems:
  one: {kind: scripted, lines: ["Hello there.", "I see."]}
  two: {kind: scripted, lines: ["Good day.", "Tell me more."]}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 4}
      conditions: [{systems: [one, two]}]
      pace: {reading: 0, characters_per_second: 10000}
      online: {ask: thumbs, required: true}
  - rate: {ask: [quality_likert, preference], when: after_each}
"""
WORDS = {
    "empathetic": 0,
    "not_empathetic": 1,
    "not_applicable": 2,
}


@pytest.fixture
def study(tmp_path: Path) -> str:
    """The study with one dialogue to judge after the practice."""
    folder = tmp_path / "study"
    folder.mkdir()
    turns = [["user", "I lost my keys."], ["system", "How annoying for you."]]
    (folder / "data.jsonl").write_text(json.dumps({"id": "d", "turns": turns}) + "\n")
    return SCREENED


def right_answers() -> list[list[list[str]]]:
    """The right answers of each turn of each round of the built-in empathy training."""
    file = library.training_file("empathy")
    assert file is not None
    rounds = YAML(typ="safe").load(file.read_text(encoding="utf-8"))["rounds"]
    return [
        [
            [value["empathy"] for value in turn.get("any_of", [turn.get("answer")])]
            for turn in each["turns"]
            if "system" in turn
        ]
        for each in rounds
    ]


def begin_practice(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="I agree and take part").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator("main button.primary").click()


def answer(page: Page, answers: list[str], *, keyboard: bool) -> None:
    """Choose an answer for each judged turn, in order."""
    questions = page.locator("fieldset.step")
    expect(questions).to_have_count(len(answers))
    for n, chosen in enumerate(answers):
        radio = questions.nth(n).locator("input[type=radio]").nth(WORDS[chosen])
        if questions.nth(n).is_hidden():
            page.get_by_role("button", name="Change").first.click()
        if keyboard:
            questions.nth(n).locator("input[type=radio]").first.focus()
            page.keyboard.press(str(WORDS[chosen] + 1))
        else:
            radio.check()
        expect(radio).to_be_checked()
    page.locator("rating-form button.primary").click()


def wrong(accepted: list[str]) -> str:
    return next(name for name in WORDS if name not in accepted)


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_a_practice_with_mistakes_that_is_passed_leads_to_the_work(
    study: str, serve: Any, link: Any, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    page = new_page(phone=phone, dark=dark)
    problems: list[str] = []

    def look() -> None:
        problems.extend(axe(page))
        assert not scrolls_sideways(page), page.url

    first, *others = right_answers()
    page.goto(link(serve(study)))
    page.get_by_role("button", name="I agree and take part").click()
    look()
    page.locator("main button.primary").click()
    look()
    slips = [wrong(first[0]), *(accepted[0] for accepted in first[1:])]
    answer(page, slips, keyboard=not phone)
    expect(page.get_by_text("1 turn left to correct")).to_be_visible()
    look()
    answer(page, [wrong(first[0])], keyboard=False)
    expect(page.get_by_text("1 turn left to correct")).to_be_visible()
    page.reload()
    answer(page, [first[0][0]], keyboard=False)
    for accepted in others:
        expect(page.get_by_text("left to correct")).to_have_count(0)
        answer(page, [each[0] for each in accepted], keyboard=False)
    expect(page.get_by_text("You passed the practice.")).to_be_visible()
    look()
    answer(page, ["empathetic"], keyboard=True)
    look()
    page.locator("fieldset input[type=radio]").nth(3).check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()
    assert problems == []


@pytest.mark.long
def test_whoever_does_not_pass_is_told_kindly(
    study: str, serve: Any, link: Any, new_page: Any, axe: Any
) -> None:
    page = new_page()
    rounds = right_answers()
    begin_practice(page, link(serve(study)))
    for accepted in rounds[:-1]:
        answer(page, [each[0] for each in accepted], keyboard=False)
    answer(page, [wrong(each) for each in rounds[-1]], keyboard=False)
    expect(page.locator("[data-part=code]")).to_be_visible()
    assert axe(page) == []
    page.reload()
    expect(page.locator("[data-part=code]")).to_be_visible()


def say(page: Page, text: str) -> None:
    box = page.locator("chat-room textarea:not([readonly]):not([disabled])")
    box.focus()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


@pytest.mark.parametrize(
    ("phone", "dark"), [(False, True), pytest.param(True, False, marks=pytest.mark.long)]
)
def test_two_chats_are_judged_message_by_message_and_after_each(
    serve_once: Any, link: Any, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    page = new_page(phone=phone, dark=dark)
    problems: list[str] = []

    def look() -> None:
        problems.extend(axe(page))
        assert not scrolls_sideways(page), page.url

    page.goto(link(serve_once(PAIRED)))
    page.get_by_role("button", name="I agree and take part").click()
    for letter in "AB":
        say(page, "Hello.")
        expect(page.locator(".message")).to_have_count(2)
        expect(page.get_by_text("Please judge the last message first.").first).to_be_visible()
        look()
        page.get_by_role("radio", name="Good reply").first.check()
        expect(page.get_by_text("Please judge the last message first.")).to_have_count(0)
        say(page, "And you?")
        expect(page.locator(".message")).to_have_count(4)
        page.get_by_role("radio", name="Bad reply").last.check()
        page.get_by_role("link", name="Continue").click()
        # The conversation is called here what it was called while it ran.
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Judge conversation {letter}")
        expect(page.get_by_role("heading", level=2).first).to_have_text(f"Conversation {letter}")
        look()
        page.locator("fieldset input[type=radio]").nth(2).check()
        page.locator("rating-form button.primary").click()
    expect(page.get_by_role("heading", name=re.compile("Compare"))).to_be_visible()
    look()
    page.locator("fieldset input[type=radio]").first.check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()
    assert problems == []
