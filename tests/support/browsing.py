"""Looking at a page as a person would."""

from playwright.sync_api import Page

from support.served_home import Browser


def scrolls_sideways(page: Page) -> bool:
    """Whether the page is wider than its window."""
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )


def sign_in_at_desk(page: Page, base: str, name: str) -> Page:
    """The page in a window of somebody who has signed in at the desk of a server."""
    elsewhere = Browser(base)
    elsewhere.sign_in(name)
    for each in elsewhere.cookie().split("; "):
        key, _, value = each.partition("=")
        page.context.add_cookies([{"name": key, "value": value, "url": base}])
    return page
