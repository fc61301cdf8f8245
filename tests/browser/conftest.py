"""A real Chromium against a real server."""

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    Page,
    expect,
    sync_playwright,
)

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


@dataclass(frozen=True)
class Look:
    """What a person looks with."""

    phone: bool
    dark: bool


@dataclass(frozen=True)
class Profile:
    """What a person browses with; an empty tab stays open, so that its next page opens fast."""

    look: Look
    context: BrowserContext
    tab: Page
    storage: CDPSession

    def forget(self) -> None:
        """Close the pages, and remove what they kept; only the scripts and styles stay cached."""
        for page in self.context.pages:
            if page is not self.tab:
                page.close()
        self.context.clear_cookies()
        everything = {"origin": "*", "storageTypes": "all"}
        self.storage.send("Storage.clearDataForOrigin", everything)


class Profiles:
    """The profiles of a module: those that nobody uses, by their look."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.free: dict[Look, list[Profile]] = defaultdict(list)

    def take(self, look: Look) -> Profile:
        """A profile that knows of nobody."""
        return self.free[look].pop() if self.free[look] else self.make(look)

    def make(self, look: Look) -> Profile:
        """A new profile."""
        context = self.browser.new_context(
            viewport=PHONE if look.phone else DESKTOP,  # type: ignore[arg-type]
            color_scheme="dark" if look.dark else "light",
            reduced_motion="reduce",
        )
        tab = context.new_page()
        return Profile(look, context, tab, context.new_cdp_session(tab))

    def give_back(self, profile: Profile) -> None:
        """Make it ready for the next person, unless a test has closed it."""
        if not profile.tab.is_closed():
            profile.forget()
            self.free[profile.look].append(profile)


@pytest.fixture(scope="module")
def profiles(browser: Browser) -> Profiles:
    """Loading every script anew takes longer than most tests, so those of a module share them."""
    return Profiles(browser)


@pytest.fixture
def new_page(profiles: Profiles) -> Iterator[NewPage]:
    """Makes pages of different people, that fail the test if anything is written to their console.

    A page whose clock a test sets needs a profile of its own: no other test could set it back.
    """
    shared: list[Profile] = []
    own: list[Profile] = []
    problems: list[str] = []

    def make(*, phone: bool = False, dark: bool = False, own_clock: bool = False) -> Page:
        look = Look(phone, dark)
        profile = profiles.make(look) if own_clock else profiles.take(look)
        (own if own_clock else shared).append(profile)
        page = profile.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("console", lambda m: _note(problems, m.type, f"{page.url}: {m.text}"))
        return page

    yield make
    for profile in own:
        profile.context.close()
    for profile in shared:
        profiles.give_back(profile)
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
