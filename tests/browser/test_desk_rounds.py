"""A round of writing at the desk in a real browser: its picture, its filters and a verdict."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from palaver.core.evaluation.rounds import RoundTerms
from palaver.evaluation.home import open_evaluation
from palaver.storage.people.accounts import create_account
from support.browsing import scrolls_sideways
from support.desks import PASSWORD, hashed
from support.held_rounds import HeldRound
from support.participants import sqlite_url
from support.serving import Server, start_server
from support.written_rounds import NOW, Sent

pytestmark = pytest.mark.browser
ROUND = "/desk/tasks/nli/rounds/1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("rounds") / "home"
    with open_evaluation(home, sqlite_url(home)) as opened:
        held = HeldRound(opened, terms=RoundTerms(goals={"entailed": None}))
        for n, person in enumerate(("ann", "ben", "eva")):
            visit = held.visit(person)
            held.session(visit, Sent(f"The train was late, {n}.", "entailed", "neutral"))
            held.session(visit, Sent(f"It had {n} cars.", "neutral", "neutral"))
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


def signed_in(page: Page, server: Server) -> Page:
    page.goto(f"{server.base}/desk")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/desk")
    return page


@pytest.mark.parametrize("phone", [False, True])
def test_an_owner_finds_an_example_and_settles_it(
    server: Server, new_page: Any, axe: Any, phone: bool
) -> None:
    page = signed_in(new_page(phone=phone), server)
    page.goto(server.base + ROUND)
    answer = page.get_by_role("heading", level=2).first
    expect(answer).to_contain_text("3 of 6 tries fooled the model and were kept")
    expect(page.locator("interval-figure svg").first).to_be_visible()
    assert not scrolls_sideways(page)
    assert axe(page) == []

    page.get_by_role("link", name="See 6 examples").click()
    filters = page.get_by_role("search")
    filters.get_by_label("What became of it").select_option("waiting")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(f"{server.base}{ROUND}/examples?q=&state=waiting&label=&writer=")
    page.get_by_role("link", name="c1, try 1").first.click()
    assert axe(page) == []
    assert not scrolls_sideways(page)
    page.get_by_label("Right", exact=True).check()
    page.get_by_role("button", name="Save the verdict").click()
    expect(page.get_by_role("status").first).to_contain_text("Your verdict settles this example.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("verified")
