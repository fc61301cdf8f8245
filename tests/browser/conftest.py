"""A real Chromium against a real server."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from support.participants import link_for, sqlite_url
from support.serving import Server, start_server

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

# How long to wait for what is sure to be shown, however slow the machine, in milliseconds.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

NewPage = Callable[..., Page]


def find_chromium() -> str:
    """Where Chromium is; in CI its absence is a failure, elsewhere a skip with a reason."""
    found = os.environ.get("PALAVER_CHROMIUM") or shutil.which("chromium") or ""
    if not found:
        message = "no Chromium to test with; install it or set PALAVER_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of a module.

    No longer: while Playwright is started, its event loop runs in this thread, and the asyncio tests of
    other modules could not start theirs.
    """
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes pages that fail the test if anything is written to their console."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def make(*, phone: bool = False, dark: bool = False) -> Page:
        context = browser.new_context(
            viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("console", lambda m: _note(problems, m.type, f"{page.url}: {m.text}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert problems == []


def _note(problems: list[str], kind: str, text: str) -> None:
    # The browser itself reports a server that was stopped, and who was signed out, on purpose.
    on_purpose = ("WebSocket connection to", "ERR_", "status of 401 (Unauthorized)")
    if kind in {"error", "warning"} and not any(each in text for each in on_purpose):
        problems.append(text)


@pytest.fixture
def axe() -> Callable[[Page], list[str]]:
    """What axe finds wrong with a page, by the rules of WCAG 2.2 AA."""

    def check(page: Page) -> list[str]:
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        rules = {"type": "tag", "values": tags}
        # Listing all that is right takes longer on a large page than finding what is wrong.
        found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
        return [
            f"{page.url}: {violation['id']}: {node['html'][:160]}"
            for violation in found.response["violations"]
            for node in violation["nodes"]
        ]

    return check


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers for study texts, and stops them."""
    servers: list[Server] = []

    def start(study: str, *, port: int | None = None) -> Server:
        folder = tmp_path / "study"
        folder.mkdir(exist_ok=True)
        (folder / "study.yaml").write_text(study, encoding="utf-8")
        server = start_server(folder, home=tmp_path / "home", port=port)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def serve_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Starts one server per study text, for the tests of a module that need new people only."""
    servers: dict[str, Server] = {}

    def start(study: str) -> Server:
        if study not in servers:
            folder = tmp_path_factory.mktemp("served")
            (folder / "study").mkdir()
            (folder / "study" / "study.yaml").write_text(study, encoding="utf-8")
            servers[study] = start_server(folder / "study", home=folder / "home")
        return servers[study]

    yield start
    for server in servers.values():
        server.stop()


@pytest.fixture
def link() -> Callable[[Server], str]:
    """Makes a signed link for a new person."""

    def make(server: Server, person: str | None = None) -> str:
        return link_for(server.base, "study", sqlite_url(server.home), person)

    return make
