"""Pages in a slow phone's browser: first paint, bytes, shifts, and the wait after a tap.

Chromium with a quarter of this machine's speed, 1.6 Mbit/s, 150 ms of latency and an empty cache
opens every page that participants see. The moves of a board's slider are timed at full speed.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

from benchmarks.browser_home import Visitor, link, write_board, write_studies
from benchmarks.processes import palaver
from benchmarks.table import Figure

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PHONE: Any = {"width": 360, "height": 740}
DESKTOP: Any = {"width": 1280, "height": 800}
SLOWER = 4
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
BOARD = "/tasks/sentiment"
# Milliseconds.
PATIENCE = 120_000
AT_REST = 1000
SHORTEST = 16.0
TAPPED = 5
MOST_SECONDS = 1.5
MOST_BYTES = 120_000
MOST_WAIT = 100.0
# Milliseconds of script for one move of a slider, by the number of models.
MOST_SCRIPT = {40: 16.0, 200: 50.0}

# What the page's own clock says, kept from its first moment on.
OBSERVE = """
window.seen = { shift: 0, events: [] };
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) seen.shift += each.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) seen.events.push(each.duration);
}).observe({ type: "event", durationThreshold: 16, buffered: true });
"""
# Resolved when the rows that a slider moves are painted: two frames, with what is put off between.
MOVE = """
(slider, value) => new Promise((done) => {
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => setTimeout(() => requestAnimationFrame(done))));
})
"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that was opened: seconds, bytes, and how far things moved."""

    paint: float
    size: float
    shift: float


def run(*, rounds: int, boards: tuple[int, ...], moves: int) -> tuple[list[Figure], Any]:
    """Every page of participants, the taps on some of them, and the sliders of boards."""
    chromium = os.environ.get("PALAVER_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        print("No Chromium: the browser is not measured. Install it, or set PALAVER_CHROMIUM.")
        return [], {}
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name, sync_playwright() as driver:
        folder = Path(name)
        studies = write_studies(folder / "studies")
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        for models in boards:
            home = folder / f"home-{models}"
            write_board(home, models)
            with palaver(studies, home) as serving:
                base = f"http://127.0.0.1:{serving.port}"
                if models == boards[0]:
                    figures += _participants(browser, base, home, rounds, details)
                    figures.append(_tap_on_board(browser, base, models))
                figures.append(_slider(browser, base, models, moves))
        browser.close()
    return figures, details


def _participants(
    browser: Browser, base: str, home: Path, rounds: int, details: dict[str, Any]
) -> list[Figure]:
    figures: list[Figure] = []
    taps: list[Figure] = []
    for name, address, visitor in _screens(browser, base, home):
        found = [_load(visitor.context, address) for _ in range(rounds)]
        details[name] = [(each.paint, each.size, each.shift) for each in found]
        figures += _figures(name, found)
        if name in TAPS:
            taps.append(_tap(visitor.context, address, name, TAPS[name]))
        visitor.context.close()
    return figures + taps


def _screens(browser: Browser, base: str, home: Path) -> Iterator[tuple[str, str, Visitor]]:
    """The name and the address of every screen, and who sees it."""

    def come(study: str) -> Visitor:
        context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
        context.set_default_timeout(PATIENCE)
        return Visitor(context, link(base, home, study))

    def judge(study: str) -> Visitor:
        visitor = come(study)
        visitor.wait_for('action="')
        if '/start"' in visitor.html:
            visitor.send("start")
        visitor.wait_for("<rating-form")
        return visitor

    visitor = come("talk")
    yield "first screen", visitor.visit, visitor
    visitor = come("talk")
    visitor.send("consent", consent="agree")
    if '/start"' in visitor.html:
        yield "instructions", visitor.visit, visitor
        visitor = come("talk")
        visitor.send("consent", consent="agree")
        visitor.send("start")
    yield "chat", visitor.visit, visitor
    visitor = come("meet")
    if '/start"' in visitor.html:
        visitor.send("start")
    visitor.wait_for("<waiting-room")
    yield "waiting", visitor.visit, visitor
    yield "rating of a whole", (visitor := judge("whole")).visit, visitor
    yield "rating turn by turn", (visitor := judge("turns")).visit, visitor
    yield "comparison", (visitor := judge("compare")).visit, visitor
    visitor = judge("compare")
    visitor.send("rate", **{"answer-preference": "a"})
    visitor.wait_for('data-part="code"')
    yield "done", visitor.visit, visitor
    visitor = come("talk")
    yield "problem", f"{visitor.visit}/problem", visitor


def _figures(name: str, found: list[Loaded]) -> list[Figure]:
    return [
        Figure(
            f"{name}: first paint",
            median(each.paint for each in found),
            None,
            "s",
            goal=f"≤ {MOST_SECONDS} s",
            met=lambda f: f.ours <= MOST_SECONDS,
        ),
        Figure(
            f"{name}: over the wire",
            median(each.size for each in found) / 1000,
            None,
            "kB",
            goal=f"≤ {MOST_BYTES // 1000} kB",
            met=lambda f: f.ours <= MOST_BYTES / 1000,
        ),
        Figure(
            f"{name}: layout shift",
            max(each.shift for each in found),
            None,
            "",
            goal="0",
            met=lambda f: f.ours == 0,
        ),
    ]


@contextmanager
def _slow(context: BrowserContext) -> Iterator[tuple[Page, Callable[[], float]]]:
    """A page of a slow phone, and the bytes that came to it so far."""
    page = context.new_page()
    page.add_init_script(OBSERVE)
    session = context.new_cdp_session(page)
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda each: sizes.append(each["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    try:
        yield page, lambda: sum(sizes)
    finally:
        page.close()


def _load(context: BrowserContext, address: str) -> Loaded:
    with _slow(context) as (page, size):
        page.goto(address, wait_until="networkidle")
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        return Loaded(paint / 1000, size(), page.evaluate("seen.shift"))


def _touch(page: Page, where: Locator, *, at: float = 0.5) -> None:
    """One finger on the middle of something, or elsewhere along it, when the page is at rest."""
    where.scroll_into_view_if_needed()
    box = where.bounding_box()
    assert box is not None
    page.wait_for_timeout(AT_REST)
    page.evaluate("seen.events.length = 0")
    page.touchscreen.tap(box["x"] + at * box["width"], box["y"] + box["height"] / 2)


def _send(page: Page) -> None:
    page.locator("chat-room textarea:enabled").fill("What can I do at the weekend?")
    _touch(page, page.locator("chat-room form button:enabled").first)


def _choose(page: Page) -> None:
    first = page.locator("rating-form input[type=radio][name^=answer-]").nth(1)
    _touch(page, first.locator("xpath=.."))


def _slide(page: Page) -> None:
    _touch(page, page.locator("input[type=range]:visible").first, at=0.05)


# What is tapped on some of the screens.
TAPS: dict[str, Callable[[Page], None]] = {
    "chat": _send,
    "rating of a whole": _choose,
    "rating turn by turn": _choose,
    "comparison": _choose,
}


def _tap(context: BrowserContext, address: str, name: str, act: Callable[[Page], None]) -> Figure:
    """From the finger to the next paint: the longest event of a tap, the median of several taps."""
    longest: list[float] = []
    for _ in range(TAPPED):
        with _slow(context) as (page, _size):
            page.goto(address, wait_until="networkidle")
            act(page)
            page.wait_for_timeout(AT_REST)
            # Events that took less are not told.
            longest.append(max([SHORTEST, *page.evaluate("seen.events")]))
    return Figure(
        f"{name}: tap to paint",
        median(longest),
        None,
        "ms",
        goal=f"≤ {MOST_WAIT:.0f} ms",
        met=lambda f: f.ours <= MOST_WAIT,
    )


def _tap_on_board(browser: Browser, base: str, models: int) -> Figure:
    context = browser.new_context(viewport=DESKTOP, has_touch=True)
    context.set_default_timeout(PATIENCE)
    try:
        name = f"board of {models} models, a slider"
        return _tap(context, f"{base}{BOARD}", name, _slide)
    finally:
        context.close()


def _slider(browser: Browser, base: str, models: int, moves: int) -> Figure:
    """The median of several moves, each to another place, at full speed."""
    page = browser.new_page(viewport=DESKTOP)
    page.set_default_timeout(PATIENCE)
    page.goto(f"{base}{BOARD}", wait_until="networkidle")
    slider = page.locator("input[type=range]").first
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def scripted() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(each["value"] for each in metrics if each["name"] == "ScriptDuration")

    spent: list[float] = []
    for move in range(moves):
        before = scripted()
        slider.evaluate(MOVE, str(move % 5))
        spent.append(scripted() - before)
    page.close()
    most = MOST_SCRIPT[models]
    return Figure(
        f"board of {models} models: script of a slider's move",
        median(spent),
        None,
        "ms",
        goal=f"≤ {most:.0f} ms",
        met=lambda f: f.ours <= most,
    )
