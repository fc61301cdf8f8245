"""The pages of a challenge in a browser: sound at every width, by keyboard, and in the reader's zone."""

from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from palaver.web.app import create_app
from support.browsing import scrolls_sideways
from support.desks import PASSWORD, PATIENT
from support.held_challenges import HeldChallenge, answers, hold_challenge
from support.lengths import LONG_TIMEOUT
from support.public_boards import running

pytestmark = pytest.mark.browser

PUBLIC = ("", "/schedule", "/data", "/rules", "/board", "/register", "/submit")
DESK = ("", "/teams", "/entries", "/announcements", "/close")


@asynccontextmanager
async def started(app: Any) -> Any:
    """The deployment runs already."""
    yield


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(tmp_path) as made:
        made.team("Terns", members=("Ada",), affiliation="Coast")
        made.team("A team with quite a long name that nobody can say in one breath")
        made.hand_in("Terns", "english", wrong=range(5))
        made.hand_in(list(made.tokens)[1], "english", wrong=range(2))
        made.team("Newcomers", approve=False)
        yield made


@pytest.fixture
def base(held: HeldChallenge) -> Iterator[str]:
    app = create_app(held.desk.deployment, PATIENT)
    app.router.lifespan_context = started
    with running(app) as address:
        yield address


@pytest.mark.long
@pytest.mark.timeout(LONG_TIMEOUT)
def test_every_page_is_sound(
    held: HeldChallenge, base: str, browser: Browser, axe: Callable[[Page], list[str]]
) -> None:
    wrong: list[str] = []
    for width, scheme in ((1280, "light"), (360, "dark")):
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        paths = ["/challenges", *(held.url + path for path in PUBLIC)]
        for path in paths:
            look(page, base + path, wrong, axe)
        context.add_cookies(
            [{"name": "palaver_team_owl-cup", "value": held.tokens["Terns"], "url": base}]
        )
        for path in ("/submit", "/register", "/board", "/data"):
            look(page, base + held.url + path, wrong, axe)
        page.goto(f"{base}/desk/sign-in")
        page.fill("[name=name]", "olga")
        page.fill("[type=password]", PASSWORD)
        page.click("main button")
        page.wait_for_url(f"{base}/desk")
        for path in ("/desk/challenges", *(f"/desk/challenges/owl-cup{each}" for each in DESK)):
            look(page, base + path, wrong, axe)
        context.close()
    assert wrong == []


def look(page: Page, url: str, wrong: list[str], axe: Callable[[Page], list[str]]) -> None:
    answer = page.goto(url)
    if answer is None or answer.status >= 400:
        wrong.append(f"{url}: {answer and answer.status}")
    wrong += axe(page)
    if scrolls_sideways(page):
        wrong.append(f"{url} scrolls sideways")


def test_a_team_hands_in_by_keyboard_alone(
    held: HeldChallenge, base: str, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = new_page()
    page.goto(f"{base}{held.url}/submit")
    page.locator("#token").focus()
    page.keyboard.type(held.tokens["Terns"])
    page.keyboard.press("Enter")
    file = tmp_path / "run2.jsonl"
    file.write_bytes(answers("practice-en"))
    page.get_by_label("File with the answers").set_input_files(file)
    page.get_by_role("button", name="Check only").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("run2.jsonl is valid")).to_be_visible()
    page.get_by_label("File with the answers").set_input_files(file)
    page.get_by_role("button", name="Hand in").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Handed in. It is listed below.")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Run 2")).to_be_visible()


def test_times_are_told_in_the_readers_zone(
    held: HeldChallenge, base: str, browser: Browser
) -> None:
    for script, shown in ((True, True), (False, False)):
        context = browser.new_context(
            timezone_id="Asia/Tokyo", locale="en-GB", java_script_enabled=script
        )
        page = context.new_page()
        page.goto(f"{base}{held.url}/schedule")
        own = page.get_by_text("26 Sept 2026, 23:13")
        assert (own.count() > 0) == shown
        assert page.get_by_text("2026-09-26 14:13:20 UTC").first.is_visible()
        assert page.get_by_text("2026-09-26 02:13:20 AoE").first.is_visible()
        context.close()
