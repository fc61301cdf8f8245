"""Turns a page's context into HTML: the Jinja environment and what templates may call.

Autoescape is on everywhere. The only markup that is not a template comes from two places: Markdown,
which is cleaned by nh3, and icons, which come from the lucide package.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol

import nh3
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from lucide.jinja import lucide
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from palaver.web.formatting import FILTERS
from palaver.web.fragments import Fragments
from palaver.web.game_files import GameTemplates, static_place
from palaver.web.pages import RatePage

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
STATIC = HERE / "static"

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre"),
    *("a", "code", "del", "em", "img", "strong"),
    *("dl", "dt", "dd", "ol", "ul", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "alt", "title"}, "ol": {"start"}}


class Page(Protocol):
    """A context that knows its template; see `pages`."""

    template: ClassVar[str]


class Renderer:
    """The templates, ready to render; `root` is the path the application is mounted at."""

    def __init__(self, *, root: str = "", folders: Sequence[Path] = ()) -> None:
        self.root = root.rstrip("/")
        self.environment = Environment(
            loader=ChoiceLoader([FileSystemLoader([TEMPLATES, *folders]), GameTemplates()]),
            autoescape=True,
            # Templates are part of the program: looking for changes costs a call per template.
            auto_reload=False,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters.update(FILTERS, markdown=markdown)
        self.environment.globals.update(static=self.static, icon=icon, root=self.root)
        self.fragments = Fragments(self.environment)

    def render(self, page: Page) -> str:
        """The page as HTML."""
        known = self.fragments.page(page) if isinstance(page, RatePage) else None
        if known is not None:
            return known
        return self.environment.get_template(page.template).render(page=page)

    def static(self, name: str) -> str:
        """The address of a static file; it changes when the file's content changes."""
        return f"{self.root}/static/{name}?v={_digest(name)}"


@lru_cache(maxsize=256)
def _digest(name: str) -> str:
    folder, file = static_place(name, own=STATIC)
    return hashlib.sha256((folder / file).read_bytes()).hexdigest()[:12]


@lru_cache(maxsize=256)
def icon(name: str, *, size: int = 20) -> Markup:
    """A lucide icon as inline SVG, hidden from screen readers: the words beside it say it all."""
    attributes: dict[str, Any] = {"class": "icon", "aria-hidden": "true", "focusable": "false"}
    return Markup(lucide(name, size=size, **attributes))


@lru_cache(maxsize=256)
def markdown(source: str) -> Markup:
    """Markdown as clean HTML; its headings start below the page's own, links open beside it."""
    tokens = _parser().parse(source)
    html = _parser().renderer.render(_demoted(tokens), _parser().options, {})
    return Markup(
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            set_tag_attribute_values={"a": {"target": "_blank"}},
            url_schemes={"http", "https", "mailto", "tel"},
            link_rel="noopener noreferrer",
        )
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _demoted(tokens: list[Token]) -> list[Token]:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + 1)}"
    return tokens
