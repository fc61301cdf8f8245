"""The page of the API in a browser: readable at both widths, by keyboard, without scripts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.serving import Server, start_server

pytestmark = pytest.mark.browser

OPERATION = "#post-tasks-task-datasets-dataset"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("api") / "home"
    home.mkdir()
    (home / "palaver.yaml").write_text("objects: objects\n")
    found = start_server(home, home=home)
    yield found
    found.stop()


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_every_operation_can_be_read(
    server: Server, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    page = new_page(phone=phone, dark=dark)
    page.goto(f"{server.base}/api/v1/docs")
    page.locator(f"{OPERATION} summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(f"{OPERATION} pre").inner_text().startswith("curl -H ")
    page.locator(f"{OPERATION} a", has_text="AddedDataset").first.click()
    assert page.url.endswith("#shape-AddedDataset")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"]
    assert axe(page) == []
