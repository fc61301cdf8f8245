"""Every page of the desk and of the boards that a link leads to, as each reader may see it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, Response

from support.browsing import scrolls_sideways
from support.lengths import LONG_TIMEOUT
from support.made_home import PASSWORD, rebuild_home
from support.serving import Server, start_server

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(LONG_TIMEOUT)]

STARTS = ("/desk", "/tasks", "/desk/components", "/api/v1/docs")
NOT_PAGES = re.compile(
    r"^/(static|api|s)/|sign-out|export|download|audit/file|\.(csv|json|jsonl|zip|tex|svg|png)$"
)
# Of pages that differ in a name alone, the first few are looked at.
NAMES = re.compile(r"(?<=/)(dialogues|raters|runs|models|submissions|items|data)/[^/]+")
STUDIES = re.compile(r"(?<=/studies)/[^/]+(/questions/[^/]+)?")
ALIKE = 2
LEAST = 60
VIEWS: dict[str, Any] = {
    "a wide window": {"viewport": {"width": 1280, "height": 800}},
    "a phone in the dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
}
# Pixels: a small phone, and a laptop at 200 %.
NARROW = (320, 640)
# Texts that reach beyond a box with a border or a background, other than one that scrolls.
SPILLED = """() => {
  const hidden = ".visually-hidden, script, style, svg, noscript, template, [hidden], select";
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest(hidden) || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const inner = range.getBoundingClientRect();
    for (let box = parent; inner.width && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.textOverflow === "ellipsis" || ["absolute", "fixed"].includes(style.position)) break;
      if (["inline", "contents"].includes(style.display)) continue;
      if (["auto", "scroll"].includes(style.overflowX)) break;
      const isSeen = style.borderRightWidth !== "0px" || style.backgroundColor !== "rgba(0, 0, 0, 0)";
      const outer = box.getBoundingClientRect();
      const beyond = Math.max(inner.right - outer.right, outer.left - inner.left);
      if (beyond > 2 && (isSeen || style.overflowX !== "visible")) {
        found.push(`${text.data.trim().slice(0, 40)} beyond ${box.tagName}.${box.className}`);
        break;
      }
    }
  }
  return found;
}"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    home = rebuild_home(tmp_path / "home")
    started = start_server(home / "judging", home=home)
    yield started
    started.stop()


def signed_in(browser: Browser, server: Server, view: dict[str, Any]) -> Page:
    page = browser.new_context(**view, reduced_motion="reduce").new_page()
    page.goto(f"{server.base}/desk")
    page.fill("[name=name]", "olga")
    page.fill("[type=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url(f"{server.base}/desk")
    return page


def opened(page: Page, url: str) -> Response | None:
    """Go to a page, also from one that is just reloading itself because its results have come."""
    try:
        return page.goto(url)
    except Error as error:
        if "ERR_ABORTED" not in str(error):
            raise
        return page.goto(url)


def linked_pages(page: Page, base: str) -> list[str]:
    """The addresses that links lead to, from the starts on."""
    todo, seen = list(STARTS), dict.fromkeys(STARTS)
    alike: dict[str, int] = {}
    while todo:
        opened(page, f"{base}{todo.pop(0)}")
        hrefs = page.eval_on_selector_all("a[href]", "all => all.map((each) => each.href)")
        for href in hrefs:
            parts = urlsplit(href.split("#")[0])
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            if not href.startswith(base) or NOT_PAGES.search(parts.path) or path in seen:
                continue
            kind = NAMES.sub(r"\1/", parts.path)
            if parts.query:
                kind = STUDIES.sub("/", kind) + "?"
            alike[kind] = alike.get(kind, 0) + 1
            if alike[kind] <= ALIKE:
                seen[path] = None
                todo.append(path)
    return list(seen)


def test_every_page_is_sound_on_every_screen(
    browser: Browser, server: Server, axe: Callable[[Page], list[str]]
) -> None:
    page = signed_in(browser, server, VIEWS["a wide window"])
    paths = linked_pages(page, server.base)
    page.context.close()
    assert len(paths) >= LEAST
    wrong: list[str] = []
    for name, view in VIEWS.items():
        page = signed_in(browser, server, view)
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))  # noqa: B023
        for path in paths:
            answer = opened(page, f"{server.base}{path}")
            if answer is None or answer.status >= 400:
                wrong.append(f"{path}: {answer and answer.status}")
            wrong += [f"{name}: {each}" for each in axe(page)]
            wrong += [f"{name}: {path}: {each}" for each in page.evaluate(SPILLED)]
            for width in (view["viewport"]["width"], *NARROW):
                page.set_viewport_size(view["viewport"] | {"width": width})
                if scrolls_sideways(page):
                    wrong.append(f"{path} is wider than {width} pixels")
            page.set_viewport_size(view["viewport"])
        page.context.close()
    assert wrong == []
