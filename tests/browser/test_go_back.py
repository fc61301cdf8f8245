"""Whoever has finished is taken back to the panel after a while, unless they would rather stay."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from palaver.web.participant.pages import DonePage
from palaver.web.shell import Shell
from support.judging import serving
from support.recruiting import write_study

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    study = write_study(tmp_path_factory.mktemp("panel"))
    done = DonePage(shell=Shell(), study=study, code="C0DE", back_url="/panel?cc=C0DE")

    async def panel(request: Request) -> HTMLResponse:
        return HTMLResponse(
            "<!doctype html><html lang=en><title>Panel</title><h1>Welcome back</h1>"
        )

    with serving({"done": done}, [Route("/panel", panel)]) as found:
        yield found


def test_they_are_taken_back_by_themselves(base: str, new_page: Callable[..., Any]) -> None:
    page = new_page(own_clock=True)
    page.clock.install()
    page.goto(f"{base}/done")
    expect(page.get_by_text("in 20 seconds")).to_be_visible()
    page.clock.run_for(5_000)
    expect(page.get_by_text("in 15 seconds")).to_be_visible()
    page.clock.run_for(15_000)
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()


def test_whoever_would_rather_stay_stays(base: str, new_page: Callable[..., Any]) -> None:
    page = new_page(own_clock=True)
    page.clock.install()
    page.goto(f"{base}/done")
    page.get_by_role("button", name="Stay on this page").click()
    expect(page.get_by_text("by itself")).to_be_hidden()
    page.clock.run_for(60_000)
    expect(page.get_by_role("heading", name="Thank you. You have finished.")).to_be_visible()
    expect(page.get_by_role("link", name="Back to Prolific")).to_be_focused()
