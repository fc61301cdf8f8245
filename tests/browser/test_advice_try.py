"""The page to try a model that advises: asked without leaving the page, failures said."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from palaver.core.protocols import Reply
from palaver.core.situations import AdvisingModel
from palaver.web.advice_server import AdvisingServer, advice_app
from palaver.web.model_server import ServedModel
from support.browsing import scrolls_sideways
from support.judging import running

pytestmark = pytest.mark.browser


class Advisor:
    """A predictor that advises all alike."""

    batch = 1
    concurrency = 1

    async def start(self) -> None:
        return None

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        told = f"Sleep on it, r/{questions[0]['subreddit']}. <b>Then</b> talk."
        return [Reply({"advice": told}, 0.0)]

    def memory(self) -> float | None:
        return None

    async def close(self) -> None:
        return None


@contextmanager
def served() -> Iterator[str]:
    card = AdvisingModel(name="small", title="Small model", team="Some lab", parameters=135e6)
    server = AdvisingServer(model=ServedModel("small", Advisor()), card=card, kind="local_lm")
    with running(advice_app(server)) as base:
        yield base


def test_a_model_is_tried_on_a_phone(new_page: Callable[..., Any], axe: Any) -> None:
    with served() as base:
        page = new_page(phone=True, dark=True)
        page.goto(f"{base}/?title=Loud%20neighbour")
        page.get_by_label("Details").fill("He plays the drums & sings.")
        page.route("**/api/ask", lambda route: route.fulfill(json={"gens": "error"}))
        page.get_by_role("button", name="Generate advice").click()
        expect(page.get_by_role("alert")).to_contain_text("The server's answer has no text in it.")
        page.unroute("**/api/ask")
        page.get_by_label("Subreddit").fill("love")
        page.get_by_role("button", name="Generate advice").click()
        expect(page.locator("output")).to_have_text("Sleep on it, r/love. <b>Then</b> talk.")
        expect(page.get_by_role("alert")).to_be_hidden()
        assert not scrolls_sideways(page)
        assert axe(page) == []
        address = page.url
        page.goto(address)
        expect(page.get_by_label("Details")).to_have_value("He plays the drums & sings.")
        expect(page.get_by_label("Subreddit")).to_have_value("love")
