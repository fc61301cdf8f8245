"""The table of docs/design/blind-in-time.md is what the rules do today."""

import re

from support.disguises import CASES, measured

from .reading import page

PAGE = page("design/blind-in-time.md")


def test_the_table_is_measured() -> None:
    written = {
        kind: (int(right), int(of))
        for kind, right, of in re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    }
    assert written == measured()
    assert f"on {len(CASES)} sentences" in PAGE
