"""The evaluation server in a real browser: runs that get on while one looks, on every width."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.storage.people.accounts import create_account
from support.browsing import scrolls_sideways
from support.desks import PASSWORD, hashed
from support.endpoints import Endpoint, right_or_wrong, serving
from support.participants import sqlite_url
from support.runs import NOW, Bench
from support.serving import Server, start_server
from support.task_desks import refusing

pytestmark = pytest.mark.browser

ITEMS = 50
LONG = "a-model-with-a-name-that-is-as-long-as-the-name-of-one-may-be"


@pytest.fixture
def slow() -> Iterator[Endpoint]:
    """A model that answers well, and stops in the middle until it is told to go on."""
    with serving(right_or_wrong) as endpoint:
        endpoint.left = ITEMS // 2
        yield endpoint


@contextmanager
def at_work(folder: Path, slow: Endpoint) -> Iterator[Server]:
    """A home with one task, whose runs the server works on."""
    home = folder / "home"
    with serving(refusing) as odd:
        with open_evaluation(home, sqlite_url(home)) as opened:
            fill(opened, folder, odd=odd, slow=slow)
        started = start_server(home, home=home)
        yield started
        started.stop()


@pytest.fixture
def server(tmp_path: Path, slow: Endpoint) -> Iterator[Server]:
    """A server whose runs stop in the middle until they are told to go on."""
    with at_work(tmp_path, slow) as started:
        yield started


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose runs end by themselves, for tests that read what came of them."""
    with (
        serving(right_or_wrong) as endpoint,
        at_work(tmp_path_factory.mktemp("done"), endpoint) as started,
    ):
        yield started


def fill(opened: EvaluationHome, folder: Path, *, odd: Endpoint, slow: Endpoint) -> None:
    """A data set, variants of it, a model whose answers are refused, a slow one, and an owner."""
    bench = Bench(opened, folder)
    bench.dataset("dev", ITEMS)
    bench.variants("dev", "robustness", 10)
    bench.model("odd", odd.url)
    bench.model(LONG, slow.url, concurrency=2)
    opened.store.write_now(
        lambda c: create_account(
            c, name="olga", role="owner", password_hash=hashed(PASSWORD), one_time=False, now=NOW
        )
    )


def sign_in(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/desk")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name=re.compile("Sign in")).click()
    page.wait_for_url("**/desk")


def cell(page: Page, model: str) -> Locator:
    """What the matrix says of a model on the data set."""
    row = page.locator(".run-matrix tbody tr").filter(has_text=model)
    return row.locator('td[data-label="dev"]')


def test_a_run_is_watched_without_a_reload(server: Server, slow: Endpoint, new_page: Any) -> None:
    desk = new_page()
    sign_in(desk, server)
    desk.goto(f"{server.base}/desk/tasks/nli")
    desk.evaluate("document.querySelector('.run-matrix').dataset.kept = 'yes'")

    answering = cell(desk, LONG)
    expect(answering.locator("a")).to_have_text(re.compile(rf"\d+/{ITEMS}"))
    expect(answering.locator("progress")).to_be_visible()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("answering")
    slow.left = None
    expect(answering.locator("a")).to_have_text("100.0 %")
    expect(answering.locator("progress")).to_have_count(0)
    expect(answering).to_contain_text("to 100.0")
    expect(desk).to_have_title(re.compile("runs done"))
    expect(cell(desk, "odd")).to_contain_text("failed")
    expect(cell(desk, "odd")).to_contain_text("2 of 50 answers were refused")
    expect(desk.get_by_role("heading", name="What failed")).to_be_visible()
    assert desk.evaluate("document.querySelector('.run-matrix').dataset.kept") == "yes"


def test_a_run_is_cancelled_and_goes_on(server: Server, slow: Endpoint, new_page: Any) -> None:
    desk = new_page()
    sign_in(desk, server)
    desk.goto(f"{server.base}/desk/tasks/nli")
    cell(desk, LONG).get_by_role("link").click()
    heading = desk.get_by_role("heading", level=1)
    expect(heading).to_contain_text(re.compile(rf"answering \d+ of {ITEMS}"))
    desk.get_by_role("button", name="Cancel").click()
    expect(heading).to_contain_text("cancelled")
    desk.get_by_role("button", name="Try again").click()
    expect(heading).to_contain_text(re.compile("waiting|answering"))
    slow.left = None
    link = desk.get_by_role("link", name="Reload")
    expect(heading).to_contain_text("done")
    link.click()
    expect(desk.get_by_role("rowheader", name="Accuracy")).to_be_visible()
    with desk.expect_download() as caught:
        desk.get_by_role("link", name="Predictions (JSONL)").click()
    assert len(Path(caught.value.path()).read_text(encoding="utf-8").splitlines()) == ITEMS


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_every_page_is_read_by_everybody_on_every_width(
    done: Server, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    desk = new_page(phone=phone, dark=dark)
    sign_in(desk, done)
    desk.goto(f"{done.base}/desk/tasks/nli?sets=all")
    expect(cell(desk, LONG).locator("a")).to_have_text("100.0 %")
    runs = [cell(desk, name).locator("a").get_attribute("href") for name in ("odd", LONG)]
    task = "/desk/tasks/nli"
    paths = ["/desk/tasks", f"{task}?sets=all", f"{task}/settings", *runs]
    paths += [f"{task}/models/{LONG}", f"{task}/data/dev"]
    problems: list[str] = []
    for path in paths:
        desk.goto(f"{done.base}{path}")
        expect(desk.get_by_role("heading", level=1)).to_be_visible()
        problems += axe(desk)
        assert not scrolls_sideways(desk), path
    assert problems == []


def test_without_scripts_a_reload_shows_the_same(done: Server, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, done)
    for _ in range(100):
        page.goto(f"{done.base}/desk/tasks/nli")
        if "failed" in cell(page, "odd").inner_text():
            break
    expect(cell(page, "odd")).to_contain_text("2 of 50 answers were refused")
    page.goto(f"{done.base}/desk/tasks/nli/settings")
    page.get_by_label("Team", exact=True).fill("Team A")
    page.get_by_role("button", name="Add the team").click()
    expect(page.get_by_role("heading", name="The token of Team A")).to_be_visible()
    context.close()
