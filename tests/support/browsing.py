"""Looking at a page as a person would."""

from playwright.sync_api import Page


def scrolls_sideways(page: Page) -> bool:
    """Whether the page is wider than its window."""
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )
