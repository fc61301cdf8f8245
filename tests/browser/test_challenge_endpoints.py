"""A team's endpoint in a browser: tested and registered by keyboard, on a phone and in the dark."""

from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from palaver.web.app import create_app
from support.browsing import scrolls_sideways
from support.desks import PATIENT
from support.endpoints import serving
from support.held_challenges import HeldChallenge, asking_tracks, hold_challenge
from support.public_boards import running

pytestmark = pytest.mark.browser


@asynccontextmanager
async def started(app: Any) -> Any:
    """The deployment runs already."""
    yield


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldChallenge]:
    with hold_challenge(
        tmp_path, settings="private_endpoints: true\n", tracks=asking_tracks()
    ) as made:
        made.team("Terns")
        yield made


@pytest.fixture
def base(held: HeldChallenge) -> Iterator[str]:
    app = create_app(held.desk.deployment, PATIENT)
    app.router.lifespan_context = started
    with running(app) as address:
        yield address


def test_a_team_tests_and_registers_on_a_phone_in_the_dark(
    held: HeldChallenge, base: str, browser: Browser, axe: Callable[[Page], list[str]]
) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, color_scheme="dark", reduced_motion="reduce"
    )
    context.add_cookies(
        [{"name": "palaver_team_owl-cup", "value": held.tokens["Terns"], "url": base}]
    )
    page = context.new_page()
    page.goto(f"{base}{held.url}/submit")
    assert axe(page) == []
    with serving() as served:
        for act, told in (("Test it now", "The endpoint answers"), ("Register", "is registered")):
            page.get_by_label("English").first.check()
            page.get_by_label("Kind").select_option("http")
            page.get_by_label("Address").fill(served.url)
            page.get_by_role("button", name=act).focus()
            page.keyboard.press("Enter")
            expect(page.get_by_text(told)).to_be_visible()
            assert axe(page) == []
            assert not scrolls_sideways(page)
    expect(page.get_by_text("0 of 24 asked")).to_be_visible()
    context.close()
