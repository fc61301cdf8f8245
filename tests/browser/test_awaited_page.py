"""A page that waits for its results shows them by itself when they are ready."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from support.judging import serving

pytestmark = pytest.mark.browser

SCRIPT = '<script type="module" src="/static/awaited-page.js"></script>'


def test_results_come_into_an_open_page_when_they_are_ready(new_page: Callable[..., Any]) -> None:
    asked = 0

    async def results(request: Request) -> HTMLResponse:
        nonlocal asked
        asked += 1
        told = "<h1>Results</h1>" if asked > 3 else "<awaited-page>Not ready.</awaited-page>"
        head = "<!doctype html><html lang=en><title>Results</title>"
        return HTMLResponse(f"{head}{SCRIPT}<body>{told}")

    with serving({}, [Route("/results", results)]) as base:
        page = new_page()
        page.goto(f"{base}/results")
        expect(page.get_by_text("Not ready.")).to_be_visible()
        expect(page.get_by_role("heading", name="Results")).to_be_visible()
    # Once when it was opened, twice in vain, once with success, and once to show it.
    assert asked == 5
