"""The viewer as it is read: opened from disk, filtered, searched, by keyboard and on a phone."""

import io
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from palaver.core.records import LabelRecord
from palaver.formats.cocoa.examples import example_record
from palaver.formats.cocoa.surveys import survey_label
from palaver.reports.viewer.page import ViewerPage
from support.browsing import scrolls_sideways
from support.cocoa import EXAMPLES, changed

pytestmark = pytest.mark.browser

HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">\u2028"
MANY = 450


def examples() -> list[dict[str, Any]]:
    """Some hundred dialogues of three games, one of them with hostile words."""
    made = []
    for n in range(MANY):
        kind = EXAMPLES[n % 3]
        example = {**kind, "uuid": f"C_{n:04}"}
        if n % 3 == 1 and n % 2:
            example["outcome"] = {"reward": 0, "offer": {"price": 30.0}}
        if n % 3 == 0:
            example = changed(example, "events", 2, "data", to=f"Number {n} speaking")
        made.append(example)
    made[1] = changed(made[1], "events", 0, "data", to=HOSTILE)
    return made


def labels_of(example: dict[str, Any], n: int) -> list[LabelRecord]:
    if n % 3:
        return []
    said = {"humanlike": n % 5 + 1, "comments": f"Partner {n}"}
    return [
        survey_label(example["uuid"], 1, question, answer, rater_type="human")
        for question, answer in said.items()
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    stream = io.BytesIO()
    page = ViewerPage(stream, title="Some games")
    for n, example in enumerate(examples()):
        page.add(example_record(example), labels_of(example, n))
    page.finish()
    file = tmp_path_factory.mktemp("viewer") / "viewer.html"
    file.write_bytes(stream.getvalue())
    return file


def opened(new_page: Any, path: Path, place: str = "", **options: Any) -> Page:
    page: Page = new_page(**options)
    page.goto(f"{path.as_uri()}{place}")
    page.wait_for_selector("body[data-ready]")
    return page


def count(page: Page) -> Any:
    return page.locator("#count")


def test_a_dialogue_is_read_with_both_sides_and_its_moves(new_page: Any, path: Path) -> None:
    page = opened(new_page, path)
    expect(count(page)).to_have_text("450 dialogues: 225 agreed, 150 found, 75 rejected")
    expect(page.locator("#opened h2")).to_have_text("C_0000")
    expect(page.locator("#opened .known-side")).to_have_count(2)
    expect(page.locator("#opened tr.match")).to_have_count(2)
    expect(page.locator("#opened .done .viewer-said")).to_have_text(["selects Ada, Chess"] * 2)
    expect(page.locator("#opened .viewer-answers tbody tr")).to_have_count(2)
    # Of 450 rows those in sight exist.
    assert page.locator("[role=option]").count() < 40


def test_filters_and_search_narrow_the_list_and_the_address_keeps_them(
    new_page: Any, path: Path
) -> None:
    page = opened(new_page, path)
    page.select_option("[name=outcome]", "rejected")
    expect(count(page)).to_have_text("75 of 450 dialogues: 75 rejected")
    page.select_option("[name=outcome]", "")
    page.select_option("[name=agent]", "fb-neural")
    expect(count(page)).to_have_text("150 of 450 dialogues: 150 agreed")
    page.locator("#clear").click()
    page.select_option("[name=question]", "humanlike")
    page.fill("[name=least]", "5")
    expect(count(page)).to_have_text("30 of 450 dialogues: 30 found")
    page.fill("[name=scenario]", "s_bargain")
    expect(page.locator("#none")).to_contain_text("No dialogue fits.")
    page.locator("#none button").click()
    page.fill("[name=q]", '"number 300" speaking')
    expect(page.locator("[role=option]")).to_have_count(1)
    page.locator("[role=option]").click()
    expect(page.locator("#opened mark").first).to_have_text("Number 300")
    again = opened(new_page, path, f"#{page.url.partition('#')[2]}")
    expect(again.locator("#opened h2")).to_have_text("C_0300")
    expect(count(again)).to_have_text("1 of 450 dialogues: 1 found")


def test_search_finds_knowledge_and_answers(new_page: Any, path: Path) -> None:
    page = opened(new_page, path)
    page.fill("[name=q]", "judo")
    expect(count(page)).to_contain_text("150 of 450")
    page.fill("[name=q]", "partner 399")
    expect(count(page)).to_contain_text("1 of 450")


def test_the_list_is_sorted(new_page: Any, path: Path) -> None:
    page = opened(new_page, path)
    page.select_option("[name=sort]", "-humanlike")
    expect(page.locator("[role=option]").first).to_contain_text("humanlike 5")
    page.select_option("[name=sort]", "+humanlike")
    expect(page.locator("[role=option]").first).to_contain_text("humanlike 1")


def test_the_keyboard_alone_reads_everything(new_page: Any, path: Path) -> None:
    page = opened(new_page, path)
    heading = page.locator("#opened h2")
    page.keyboard.press("j")
    expect(heading).to_have_text("C_0001")
    page.keyboard.press("k")
    expect(heading).to_have_text("C_0000")
    page.keyboard.press("/")
    page.keyboard.type("fb-neural")
    expect(count(page)).to_contain_text("150 of 450")
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    expect(heading).to_have_text("C_0449")
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_have_attribute("aria-posinset", "150")
    page.keyboard.press("ArrowUp")
    expect(heading).to_have_text("C_0446")
    page.keyboard.press("Enter")
    expect(page.locator("#opened")).to_be_focused()


def test_on_a_phone_the_list_and_the_dialogue_take_turns(new_page: Any, path: Path) -> None:
    page = opened(new_page, path, phone=True, dark=True)
    expect(page.locator("#opened")).not_to_be_visible()
    page.locator("[role=option]").nth(2).click()
    expect(page.locator("#opened h2")).to_have_text("C_0002")
    expect(page.locator("dialogue-list")).not_to_be_visible()
    assert not scrolls_sideways(page)
    page.go_back()
    expect(page.locator("dialogue-list")).to_be_visible()
    assert not scrolls_sideways(page)


def test_hostile_words_are_shown_and_do_nothing(new_page: Any, path: Path) -> None:
    page = opened(new_page, path, "#d=C_0001")
    expect(page.locator(".viewer-said").first).to_contain_text("<img src=x")
    assert page.title() == "Some games · Palaver"
    assert page.locator("#opened img").count() == 0


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_anybody_can_use_it(new_page: Any, path: Path, axe: Any, phone: bool, dark: bool) -> None:
    page = opened(new_page, path, "#d=C_0001" if phone else "", phone=phone, dark=dark)
    assert axe(page) == []


def test_a_file_without_dialogues_says_so(new_page: Any, tmp_path: Path, axe: Any) -> None:
    stream = io.BytesIO()
    ViewerPage(stream).finish()
    (tmp_path / "none.html").write_bytes(stream.getvalue())
    page = opened(new_page, tmp_path / "none.html")
    expect(page.locator("#none")).to_have_text("This file holds no dialogues.")
    assert axe(page) == []
