"""Makes the pictures of the README and the documentation anew, from a home that is seeded here.

Run: python tests/pictures.py (or `make pictures`, which also takes those of the kinds of question)
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from benchmarks.browser_home import Visitor, link, write_studies  # noqa: E402

from palaver.cli.statistics.report_command import command  # noqa: E402
from palaver.storage import Store  # noqa: E402
from palaver.storage.people.accounts import create_account  # noqa: E402
from palaver.studies.run.deployment import Deployment  # noqa: E402
from support.desks import PASSWORD, hashed  # noqa: E402
from support.public_boards import PublicBoard  # noqa: E402
from support.reporting import reported_study  # noqa: E402
from support.reviewing import STUDY  # noqa: E402
from support.seeding import NOW  # noqa: E402
from support.serving import Server, start_server  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 200_000
expect.set_options(timeout=60_000)
DESKTOP: Any = {"width": 1280, "height": 800}
PHONE: Any = {"width": 390, "height": 780}
# Pages of the desk and of boards, and whether they are shown in the dark.
PAGES = {
    "study": ("/desk/studies/judged", False),
    "results": ("/desk/studies/judged/results", False),
    "raters": ("/desk/studies/judged/raters", False),
    "components": ("/desk/components", False),
    "board": ("/tasks/nli", False),
    "board-dark": ("/tasks/nli", True),
}


def main() -> None:
    """Take every picture."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "src/palaver/web/static/mark.svg", IMAGES / "mark.svg")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        path = os.environ.get("PALAVER_CHROMIUM") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with _serving(folder) as server:
            _participants(browser, server)
            _readers(browser, server)
        _report(browser, folder)
        browser.close()


@contextmanager
def _serving(folder: Path) -> Iterator[Server]:
    """Studies to take part in, one that was judged, a board, and somebody who may see it all."""
    home = reported_study(folder / "home", dialogues=12)
    studies = write_studies(folder / "studies")
    (studies / "judged").mkdir()
    study = STUDY.replace("title: Judged", "title: Which partner is better company?")
    study = study.replace("needed: 10", "needed: 180")
    (studies / "judged" / "study.yaml").write_text(study, encoding="utf-8")
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    try:
        store.write_now(
            lambda c: create_account(
                c,
                name="olga",
                role="owner",
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )
        PublicBoard(Deployment(store, [], folder=home).evaluation).fill()
    finally:
        store.close()
    server = start_server(studies, home=home)
    try:
        yield server
    finally:
        server.stop()


def _participants(browser: Browser, server: Server) -> None:
    def come(study: str, size: Any, *, dark: bool = False) -> tuple[Visitor, Page]:
        scheme: Any = "dark" if dark else "light"
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        return Visitor(context, link(server.base, server.home, study)), context.new_page()

    def take(name: str, visitor: Visitor, page: Page, act: Callable[[Page], None]) -> None:
        page.goto(visitor.visit)
        act(page)
        _save(page, name)
        visitor.context.close()

    take("first", *come("talk", PHONE), lambda page: None)
    for name, dark in (("chat", False), ("chat-dark", True)):
        visitor, page = come("talk", DESKTOP if dark else PHONE, dark=dark)
        visitor.send("consent", consent="agree")
        if '/start"' in visitor.html:
            visitor.send("start")
        take(name, visitor, page, _talk)
    for name, study in (("rating-turns", "turns"), ("comparison", "compare")):
        visitor, page = come(study, DESKTOP)
        visitor.wait_for('action="')
        if '/start"' in visitor.html:
            visitor.send("start")
        visitor.wait_for("<rating-form")
        take(name, visitor, page, _choose)


def _talk(page: Page) -> None:
    replies = {"What can I do at the weekend?": "harbour", "And if it rains?": "museum"}
    for text, reply in replies.items():
        page.locator("chat-room textarea:enabled").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(".log").get_by_text(reply).last).to_be_visible()


def _choose(page: Page) -> None:
    page.locator("rating-form input[type=radio][name^=answer-]").nth(1).locator("xpath=..").click()


def _readers(browser: Browser, server: Server) -> None:
    for name, (path, dark) in PAGES.items():
        scheme: Any = "dark" if dark else "light"
        page = browser.new_page(viewport=DESKTOP, color_scheme=scheme, reduced_motion="reduce")
        page.goto(f"{server.base}/desk")
        page.fill("[name=name]", "olga")
        page.fill("[type=password]", PASSWORD)
        page.press("[type=password]", "Enter")
        page.wait_for_url(f"{server.base}/desk")
        page.goto(server.base + path, wait_until="networkidle")
        while page.get_by_role("heading", name="Computing").count():
            page.wait_for_timeout(1000)
            page.reload(wait_until="networkidle")
        _save(page, name)
        page.close()


def _report(browser: Browser, folder: Path) -> None:
    words = [str(folder / "home"), "-o", str(folder / "report"), "--bootstrap", "500"]
    CliRunner().invoke(command, words, catch_exceptions=False)
    page = browser.new_page(viewport=DESKTOP)
    page.goto((folder / "report" / "index.html").as_uri())
    _save(page, "report")
    page.close()


def _save(page: Page, name: str) -> None:
    file = IMAGES / f"{name}.png"
    file.write_bytes(page.screenshot())
    assert file.stat().st_size < MOST_BYTES, f"{file.name} is too large"
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
