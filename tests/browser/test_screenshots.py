"""The pictures of each kind of question in the documentation.

`PALAVER_SCREENSHOTS=1 pytest tests/browser/test_screenshots.py` makes them anew.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from palaver.core.questions import QUESTION_KINDS, Shown
from support.judging import QUESTIONS, page_of, serving

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).parents[2] / "docs" / "images" / "questions"
MOST_BYTES = 60_000
# One less than the width at which what is judged and what is asked move apart.
WIDTH = 719
# Samples that try a page's limits do not make good pictures.
PICTURED: dict[str, dict[str, Any]] = {
    "flow": {"answer": {"facts": ["uses_facts"], "accuracy": "inaccurate"}},
    "spans": {
        "shown": Shown(role="system", text="Oh no! Rome is in Spain, and you sound tired."),
        "answer": [
            {"start": 7, "end": 23, "label": "wrong"},
            {"start": 29, "end": 44, "label": "kind"},
        ],
    },
    "text": {"answer": "Friendly, but Alex asked twice what my dog is called."},
}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    shown = {
        k: page_of(q, **{"answer": a} | PICTURED.get(k, {})) for k, (q, a) in QUESTIONS.items()
    }
    with serving(shown) as address:
        yield address


def picture(page: Page, kind: str) -> bytes:
    """The part of the page where the question stands."""
    page.set_viewport_size({"width": WIDTH, "height": 1400})
    about = QUESTIONS[kind][0].about
    frame = page.locator(".unit-questions" if about == "turn" else ".question")
    box = frame.bounding_box()
    assert box is not None
    clip: Any = {"x": 0, "y": box["y"] - 12, "width": WIDTH, "height": box["height"] + 24}
    return page.screenshot(clip=clip)


@pytest.mark.parametrize("kind", sorted(QUESTION_KINDS.names()))
def test_a_kind_has_a_picture(kind: str, base: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{base}/{kind}")
    taken = picture(page, kind)
    file = PICTURES / f"{kind}.png"
    if os.environ.get("PALAVER_SCREENSHOTS"):
        PICTURES.mkdir(parents=True, exist_ok=True)
        file.write_bytes(taken)

    width, height = struct.unpack(">II", taken[16:24])
    assert width == WIDTH
    assert 60 <= height <= 1400
    assert len(taken) <= MOST_BYTES
    assert file.is_file(), "make the pictures with PALAVER_SCREENSHOTS=1"
    assert file.stat().st_size <= MOST_BYTES
