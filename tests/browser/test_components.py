"""The components in a real browser: the table, the figure, and the page that shows them all."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from palaver.evaluation.home import open_evaluation
from palaver.storage.people.accounts import create_account
from support.browsing import scrolls_sideways
from support.desks import PASSWORD, hashed
from support.participants import sqlite_url
from support.runs import NOW
from support.serving import Server, start_server

pytestmark = pytest.mark.browser

HEIGHT = "(figure) => figure.getBoundingClientRect().height"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A home with nothing in it but an owner."""
    home = tmp_path_factory.mktemp("components") / "home"
    with open_evaluation(home, sqlite_url(home)) as opened:
        opened.store.write_now(
            lambda c: create_account(
                c,
                name="olga",
                role="owner",
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )
    started = start_server(home, home=home)
    yield started
    started.stop()


@pytest.fixture
def components(server: Server, new_page: Any) -> Callable[..., Page]:
    """Opens the page of components as somebody who is signed in."""

    def open_page(**options: bool) -> Page:
        page: Page = new_page(**options)
        page.goto(f"{server.base}/desk")
        page.get_by_label("Name").fill("olga")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name=re.compile("Sign in")).click()
        page.wait_for_url("**/desk")
        page.goto(f"{server.base}/desk/components")
        return page

    return open_page


def table(page: Page, name: str) -> Locator:
    return page.locator(f'data-table[data-name="{name}"]')


def names(table: Locator) -> list[str]:
    """The first cell of each row that is shown."""
    return table.locator("tbody tr:not([hidden]) th").all_inner_texts()


def test_a_table_sorts_by_its_heads_and_keeps_the_missing_last(components: Any) -> None:
    systems = table(components(), "components-systems")

    systems.get_by_role("button", name="Change").click()
    assert names(systems) == ["Heron", "Plover", "Wren", "Tern"]
    expect(systems.locator("th", has_text="Change")).to_have_attribute("aria-sort", "descending")
    systems.get_by_role("button", name="Change").click()
    assert names(systems) == ["Wren", "Plover", "Heron", "Tern"]
    systems.get_by_role("button", name="System").click()
    assert names(systems) == ["Heron", "Plover", "Tern", "Wren"]
    expect(systems.locator("th[aria-sort]")).to_have_count(1)


def test_a_search_shows_matching_rows_and_says_how_many(components: Any) -> None:
    systems = table(components(), "components-systems")

    systems.get_by_role("searchbox").fill("delta")
    assert names(systems) == ["Heron"]
    expect(systems.get_by_role("status")).to_have_text("1 of 4")
    systems.get_by_role("searchbox").fill("nobody")
    expect(systems.get_by_text("Nothing matches")).to_be_visible()


def test_a_hidden_column_stays_hidden_and_out_of_the_file(components: Any) -> None:
    page = components()
    systems = table(page, "components-systems")

    systems.get_by_text("Columns").click()
    systems.get_by_role("checkbox", name="95 % interval").uncheck()
    page.reload()
    expect(systems.locator("thead th", has_text="95 % interval")).to_be_hidden()
    systems.get_by_role("searchbox").fill("e")
    with page.expect_download() as caught:
        systems.get_by_role("button", name="CSV").click()

    assert caught.value.suggested_filename == "components-systems.csv"
    lines = Path(caught.value.path()).read_bytes().decode().split("\r\n")
    assert lines[0] == "System,Team,Won,Change,State,"
    assert lines[1] == 'Heron,"Delta, ""the"" team",0.64,3.1,running,Leave out'
    assert lines[2].startswith("Plover,Polder,0.49,-0.6")
    # A spreadsheet must not run what somebody wrote.
    assert lines[4].startswith("Tern,'=1+1,,,waiting")


def test_a_long_table_shows_a_hundred_rows_at_a_time(components: Any) -> None:
    page = components()
    items = table(page, "components-long")
    page.get_by_text("A table of 250 rows").click()

    assert len(names(items)) == 100
    items.get_by_role("button", name="Next").click()
    items.get_by_role("button", name="Next").click()
    expect(items.get_by_role("status")).to_have_text("201 to 250 of 250")
    expect(items.get_by_role("button", name="Next")).to_be_disabled()
    items.get_by_role("button", name="Score").click()
    assert items.locator("tbody tr:not([hidden]) td").first.inner_text() == "250"


def test_a_table_takes_in_rows_that_other_scripts_add(components: Any) -> None:
    page = components()
    systems = table(page, "components-systems")
    systems.get_by_role("button", name="System").click()

    systems.evaluate(
        """(table) => {
          const row = table.querySelector("tbody tr").cloneNode(true);
          row.cells[0].textContent = "Avocet";
          table.querySelector("tbody").append(row);
        }"""
    )

    expect(systems.locator("tbody tr").first).to_contain_text("Avocet")


def test_heads_stay_at_the_top_of_the_window(components: Any) -> None:
    page = components()
    page.get_by_text("A table of 250 rows").click()
    items = table(page, "components-long")

    items.locator("tbody tr").nth(50).scroll_into_view_if_needed()
    items.locator("tbody tr").nth(90).scroll_into_view_if_needed()

    assert items.locator("thead th").first.evaluate("(h) => h.getBoundingClientRect().top") == 0


@pytest.mark.parametrize("phone", [False, True])
def test_a_figure_takes_the_height_that_was_kept_for_it(components: Any, phone: bool) -> None:
    page = components(phone=phone)
    figures = page.locator("interval-figure")
    expect(figures.last.locator("svg.chart")).to_be_visible()

    drawn = [figure.evaluate(HEIGHT) for figure in figures.all()]
    source = page.request.get(page.url).text()
    kept = page.evaluate(
        """(source) => {
          const page = new DOMParser().parseFromString(source, "text/html");
          return [...document.querySelectorAll("interval-figure")].map((figure, place) => {
            const first = page.querySelectorAll("interval-figure")[place];
            figure.replaceChildren(...first.childNodes);
            return figure.getBoundingClientRect().height;
          });
        }""",
        source,
    )

    assert kept == drawn


def test_a_figure_says_what_it_shows_and_can_be_saved(components: Any) -> None:
    page = components()
    won = page.locator("#won")

    said = won.get_by_role("img").get_attribute("aria-label")
    assert said.startswith("Share of comparisons won. Heron: 64 %, 57 to 71; ")
    assert "Not judged: no data; No interval: 55 %;" in said
    with page.expect_download() as caught:
        won.get_by_role("button", name="SVG").click()
    saved = Path(caught.value.path()).read_text(encoding="utf-8")
    assert caught.value.suggested_filename == "won.svg"
    assert 'xmlns="http://www.w3.org/2000/svg"' in saved
    assert "rgb(11, 100, 98)" in saved
    assert "var(" not in saved


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_every_component_is_accessible(components: Any, axe: Any, phone: bool, dark: bool) -> None:
    page = components(phone=phone, dark=dark)
    expect(page.locator("interval-figure svg.chart").last).to_be_visible()

    assert axe(page) == []
    page.set_viewport_size({"width": 320, "height": 740})
    assert not scrolls_sideways(page)
