"""Recruiting at the desk in a real browser: sound on every screen, ticking, counting, looking first."""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from palaver.core.clock import WallClock
from palaver.storage import Store
from palaver.studies.run.deployment import Deployment
from support.browsing import scrolls_sideways, sign_in_at_desk
from support.databases import new_sqlite
from support.prolific import serve_stand_in
from support.recruiting import Recruiting, write_study
from support.recruiting_desk import add_accounts, fill
from support.serving import Server, start_server

from .conftest import NewPage

pytestmark = pytest.mark.browser
RECRUITING = "/desk/studies/birds/recruiting"
# 20 people, of whom many did all steps, and room for more.
TERMS = {
    "pay": {"amount": 2.0, "currency": "GBP", "practice": 0.2, "budget": 400},
    "stages": [
        {
            "chat": {
                "turns": {"exactly": 4},
                "conditions": [{"systems": ["tern"], "needed": 80}],
            }
        }
    ],
}
RECRUIT = {"description": "You talk with a program for ten minutes.", "at_once": 100}


@dataclass
class Home:
    """A server with a recruitment full of people, and an empty one in another study."""

    server: Server
    key: str


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder: Path = tmp_path_factory.mktemp("recruiting")
    with serve_stand_in(clock=WallClock()) as stand_in:
        told = {
            "PALAVER_PROLIFIC_TOKEN": stand_in.token,
            "PALAVER_PROLIFIC_URL": stand_in.base,
            "PALAVER_SECRETS": str(folder / "secrets"),
        }

        async def seed() -> str:
            studies = [
                write_study(folder / name, name=name, recruit=RECRUIT, **TERMS)
                for name in ("birds", "fish")
            ]
            store = Store(new_sqlite(folder / "palaver.db"))
            add_accounts(store)
            deployment = Deployment(store, studies[:1], folder=folder)
            await deployment.start()
            recruitment = await fill(Recruiting(deployment, stand_in), people=20)
            await deployment.stop()
            store.close()
            return recruitment.key

        before = dict(os.environ)
        os.environ.update(told)
        try:
            # Playwright has an event loop in this thread.
            with ThreadPoolExecutor(1) as threads:
                key = threads.submit(asyncio.run, seed()).result()
        finally:
            os.environ.clear()
            os.environ.update(before)
        server = start_server(folder, home=folder, environment=told)
        yield Home(server, key)
        server.stop()


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_every_page_is_sound(
    home: Home, new_page: NewPage, axe: Callable[[Page], list[str]], phone: bool, dark: bool
) -> None:
    page = sign_in_at_desk(new_page(phone=phone, dark=dark), home.server.base, "olga")
    mine, wrong = f"{RECRUITING}/{home.key}", []
    paths = [
        *(RECRUITING, f"{RECRUITING}/offer", f"{RECRUITING}/hooks", "/desk/settings/recruiting"),
        *(f"{RECRUITING}/filters", f"{RECRUITING}/filters?search=zebra"),
        *(f"{mine}/confirm/stop", f"{mine}/confirm/places", f"{mine}/submissions"),
        f"{mine}/submissions?only=mismatch",
        f"{mine}/payments",
        "/desk/studies/fish/recruiting",
        "/desk/studies/fish/recruiting/offer",
    ]
    page.goto(f"{home.server.base}{mine}/payments")
    order = page.get_by_role("link", name="Say what was found").get_attribute("href")
    assert order is not None
    for path in (*paths, order):
        answer = page.goto(f"{home.server.base}{path}")
        assert answer is not None
        assert answer.status == 200, path
        wrong += looked_over(page, axe)
    assert wrong == []


def looked_over(page: Page, axe: Callable[[Page], list[str]]) -> list[str]:
    """What is wrong with a page as it is shown now."""
    sideways = [f"{page.url} scrolls sideways"] if scrolls_sideways(page) else []
    return [*axe(page), *sideways]


def test_ticking_looking_and_counting(home: Home, new_page: NewPage) -> None:
    page = sign_in_at_desk(new_page(), home.server.base, "olga")
    page.goto(f"{home.server.base}{RECRUITING}/{home.key}/submissions")
    page.get_by_label("Tick all on this page").check()
    expect(page.get_by_text("20 ticked")).to_be_visible()
    page.get_by_label("Tick all on this page").uncheck()
    page.locator("input[name=piece]").nth(0).check()
    expect(page.get_by_text("1 ticked")).to_be_visible()
    page.get_by_label("What to do with those that are ticked").select_option("reject")
    page.get_by_role("button", name="Look first").click()
    expect(page.get_by_role("heading", name="Reject: 1 submission?")).to_be_visible()
    field = page.get_by_label("What the person reads")
    field.fill("x" * 99)
    expect(page.get_by_text("99 characters; 1 more is needed")).to_be_visible()
    field.fill("x" * 100)
    expect(page.get_by_text("100 characters, which is enough")).to_be_visible()


def test_the_pay_of_an_hour_is_drawn(home: Home, new_page: NewPage) -> None:
    page = sign_in_at_desk(new_page(), home.server.base, "olga")
    page.goto(f"{home.server.base}{RECRUITING}")
    drawn = page.locator("interval-figure svg[role=img]")
    expect(drawn).to_be_visible()
    for name in ("Real", "Promised", "Recommended", "Minimum"):
        expect(page.locator("interval-figure text.name", has_text=name)).to_be_visible()
