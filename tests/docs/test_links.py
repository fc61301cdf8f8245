"""Every link between the pages leads somewhere, to the heading it names."""

import re
from pathlib import Path

import pytest

from .reading import FENCE, HEADING, ROOT

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = [link for link in LINK.findall(text) if not _leads_somewhere(page, link)]
    assert broken == []


def _leads_somewhere(page: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return True  # another site; tests stay on this machine
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    if not anchor:
        return True
    headings = HEADING.findall(FENCE.sub("", target.read_text(encoding="utf-8")))
    return anchor in {_anchor(title) for _, title in headings}


def _anchor(title: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_every_page_can_be_reached() -> None:
    pages = {page.resolve() for page in PAGES}
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in seen:
            continue
        seen.add(page)
        links = LINK.findall(page.read_text(encoding="utf-8"))
        targets = (page.parent / link.partition("#")[0] for link in links if ":" not in link)
        waiting += [target for target in targets if target.suffix == ".md" and target.is_file()]
    assert {str(page.relative_to(ROOT)) for page in pages - seen} == set()
