"""Responses in their contexts in a real browser: what is judged is marked, at any width."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from support.browsing import scrolls_sideways
from support.responses import write_outputs

pytestmark = pytest.mark.browser

STUDY = """
title: Which message fits?
consent: {version: "1", text: "You judge messages."}
stages:
  - rate:
      ask: [response_problems, response_appropriateness]
      data: outputs/*.json
      format: cocoa-outputs
      per_visit: 1
  - rate:
      ask: [better_response]
      data: outputs/*.json
      format: cocoa-outputs
      per_visit: 1
"""


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_a_response_and_a_pair_of_them_are_judged(
    tmp_path: Path, serve: Any, link: Any, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    write_outputs(tmp_path / "study" / "outputs", 2)
    page = new_page(phone=phone, dark=dark)
    page.goto(link(serve(STUDY)))
    page.get_by_role("button", name="I agree and take part").click()
    expect(page.get_by_role("heading", name="Judge the marked message")).to_be_visible()
    expect(page.locator("li.marked")).to_have_count(1)
    expect(page.locator("li.message")).to_have_count(4)
    assert axe(page) == []
    assert not scrolls_sideways(page)
    page.get_by_label("None of these").check()
    page.get_by_label("Rather appropriate").check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", name="Compare the two messages")).to_be_visible()
    # The context once, then a card for each response.
    expect(page.get_by_text("would you take PRICE?")).to_have_count(1)
    expect(page.locator(".of-messages .pair-side")).to_have_count(2)
    for card in page.locator(".of-messages .pair-side").all():
        expect(card.locator("li.marked")).to_be_visible()
    assert axe(page) == []
    assert not scrolls_sideways(page)
    page.get_by_label("Neither is fine").check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", name="Compare the two messages")).to_have_count(0)
