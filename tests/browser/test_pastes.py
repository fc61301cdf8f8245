"""What a page counts while somebody writes: how often they paste and how much, never what."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from sqlalchemy import text

from palaver.storage import Store
from support.participants import sqlite_url

pytestmark = pytest.mark.browser

STUDY = """
title: Judge
questions:
  why: {kind: text, text: Why?}
  more: {kind: text, text: Anything else?, required: false}
stages:
  - rate: {ask: [why, more], data: data.jsonl}
"""


def keeps_the_paste(response: Any) -> bool:
    """Whether a page has kept the text with what was pasted into it, not one before."""
    return response.url.endswith("/keep") and "then+pasted" in (response.request.post_data or "")


@pytest.mark.long
def test_pastes_are_counted_also_over_a_reload(
    tmp_path: Path, serve: Any, link: Any, new_page: Any
) -> None:
    (tmp_path / "study").mkdir()
    dialogue = json.dumps({"id": "d", "turns": [["user", "Hello."], ["system", "Hi."]]})
    (tmp_path / "study" / "data.jsonl").write_text(dialogue + "\n")
    server = serve(STUDY)
    page = new_page()
    page.goto(link(server, "ann"))
    page.locator("button.primary").click()
    why = page.locator("#answer-why").get_by_role("textbox")
    # What is written before the page counts has no count.
    expect(page.locator("[name='answer-why:pastes']")).to_have_value("0")

    why.press_sequentially("pasted")
    why.press("Control+a")
    why.press("Control+x")
    why.press_sequentially("Typed, then ")
    with page.expect_response(keeps_the_paste):
        why.press("Control+v")
    expect(why).to_have_value("Typed, then pasted")
    page.reload()
    expect(why).to_have_value("Typed, then pasted")
    why.press("Control+End")
    why.press_sequentially(" and ")
    why.press("Control+v")
    expect(why).to_have_value("Typed, then pasted and pasted")
    page.locator("#answer-more").get_by_role("textbox").press_sequentially("All typed.")
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Thank you")

    store = Store(sqlite_url(server.home))
    try:
        rows = store.read_now(
            lambda c: c.execute(
                text("SELECT question, pastes, pasted FROM labels ORDER BY question")
            ).all()
        )
    finally:
        store.close()
    assert [tuple(row) for row in rows] == [("more", 0, 0), ("why", 2, 12)]
