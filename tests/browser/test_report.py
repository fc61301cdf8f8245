"""A report as it is read: from disk, on a phone and a desktop, by light and in the dark, on paper."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.statistics.report_command import command
from support.reporting import reported_study

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a study's report; one of its systems has a long name."""
    folder = tmp_path_factory.mktemp("report")
    systems = ("terse", "a-system-whose-name-is-longer-than-any-column-v2", "chatty")
    home = reported_study(folder / "home", systems=systems, dialogues=3)
    words = ("--question", "quality", "--question", "preference", "--bootstrap", "100")
    result = CliRunner().invoke(
        command, [str(home), "-o", str(folder / "report"), *words], catch_exceptions=False
    )
    assert result.exit_code == 0
    return folder / "report" / "index.html"


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_the_page_fits_and_can_be_read(
    page_path: Path, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    page = new_page(phone=phone, dark=dark)
    page.goto(page_path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = "narrow" if phone else "wide"
    hidden = "wide" if phone else "narrow"
    assert page.locator(f"figure .{shown} svg").first.is_visible()
    assert not page.locator(f"figure .{hidden} svg").first.is_visible()
    for svg in page.locator(f"figure .{shown} svg").all():
        box = svg.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= page.viewport_size["width"]
    assert axe(page) == []


def test_the_figures_follow_the_dark(page_path: Path, new_page: Any) -> None:
    inks = set()
    for dark in (False, True):
        page = new_page(dark=dark)
        page.goto(page_path.as_uri())
        text = page.locator("figure .wide svg text").first
        inks.add(text.evaluate("each => getComputedStyle(each).fill"))
    assert len(inks) == 2


@pytest.mark.long
def test_the_labels_of_a_number_are_one_click_away(
    page_path: Path, new_page: Any, axe: Any
) -> None:
    page = new_page()
    page.goto(page_path.as_uri())
    page.locator("#table-ranking-preference td a").first.click()
    assert "evidence/votes-preference.html#system-" in page.url
    assert page.locator("section:target tbody tr").count() == 30
    assert axe(page) == []


def test_on_paper_it_is_wide_and_without_navigation(page_path: Path, new_page: Any) -> None:
    page = new_page(dark=True)
    page.goto(page_path.as_uri())
    page.emulate_media(media="print")
    assert page.locator("figure .wide svg").first.is_visible()
    assert not page.locator("nav").is_visible()
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
