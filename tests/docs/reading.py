"""Reading the documentation: sections of a page, and the tables in them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")


def page(name: str) -> str:
    """The text of a page in docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """What stands under the heading `title`, up to the next of its rank or above."""
    prose = FENCE.sub("", text)
    headings = list(HEADING.finditer(prose))
    for n, heading in enumerate(headings):
        if heading[2] == title:
            ends = (h.start() for h in headings[n + 1 :] if len(h[1]) <= len(heading[1]))
            return prose[heading.end() : next(ends, len(prose))]
    raise AssertionError(f"there is no heading '{title}'")


def own_section(text: str, title: str) -> str:
    """The same without the sections inside it."""
    return re.split(r"^#+ ", section(text, title), maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> dict[str, list[str]]:
    """The rows of every table in a text, by each name in code in their first cell."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith("| `"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        for name in CODE.findall(cells[0]):
            found[name] = cells
    return found
