"""Two pieces of advice beside a situation in a real browser, at any width."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import expect

from support.advised import judging, write_pairs
from support.browsing import scrolls_sideways

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_two_pieces_of_advice_are_compared(
    tmp_path: Path, serve: Any, link: Any, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    (tmp_path / "study").mkdir(exist_ok=True)
    notices = {0: "an accident"}
    write_pairs(tmp_path / "study" / "pairs.jsonl", 2, notices=notices, long=True)
    page = new_page(phone=phone, dark=dark)
    page.goto(link(serve(yaml.safe_dump(judging(order="file", per_visit=2)))))
    page.get_by_role("button", name="I agree and take part").click()
    expect(page.get_by_text("This one is about an accident.")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("link", name="Read it").click()
    expect(page.get_by_text("How do I bring it up, number 0?")).to_be_visible()
    # The second question waits for the first, which numbers answer; it names the worse one.
    worse = page.get_by_role("group", name="What about")
    expect(worse).to_be_hidden()
    page.keyboard.press("1")
    expect(page.get_by_label("Advice A definitely")).to_be_checked()
    expect(worse.get_by_text("How helpful is Advice B still?")).to_be_visible()
    worse.get_by_role("radio", name="Not helpful").check()
    worse.get_by_role("radio", name="Possibly").check()
    expect(page.get_by_text("2 of 2 answered")).to_have_count(1)
    if phone:
        page.locator("label:has([name=shown-text][value=b])").click()
        expect(page.get_by_text("How do I bring it up")).to_be_hidden()
    tag = page.locator("[data-worse-tag=b]")
    expect(tag).to_be_visible()
    assert axe(page) == []
    assert not scrolls_sideways(page)
    # The other one is worse: what was said of this one is not said of it.
    page.get_by_label("Advice B slightly").check()
    expect(tag).to_be_hidden()
    expect(worse.get_by_text("How helpful is Advice A still?")).to_be_visible()
    expect(worse.locator("input:checked")).to_have_count(0)
    worse.get_by_role("radio", name="Helpful, only less so").check()
    worse.get_by_role("radio", name="Yes: the idea").check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_text("number 1?")).to_have_count(1)
    page.get_by_text("Help and settings").first.click(force=True)
    page.get_by_role("button", name="Skip this one").first.click()
    expect(page.get_by_text("number 1?")).to_have_count(0)
