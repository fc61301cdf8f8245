"""Turns a page's context into HTML: the Jinja environment and what templates may call.

Autoescape is on everywhere. The only markup that is not a template comes from three places: Markdown
of researchers, which is cleaned by nh3, Markdown in messages, which is built from a tree of what is
allowed, and icons, which come from the lucide package. `games/NAME/FILE` is a template or a static
file of that game.
"""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import ClassVar, Protocol
from xml.etree import ElementTree
from zipfile import ZipFile

import nh3
from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateNotFound,
)
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from palaver.core.errors import UnknownNameError
from palaver.formats.rich_places import placed_tree
from palaver.formats.rich_text import rich_html
from palaver.games.game import GAMES, Game
from palaver.web.formatting import FILTERS
from palaver.web.participant.rating.fragments import Fragments
from palaver.web.participant.rating.pages import RatePage

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
STATIC = HERE / "static"
# What reports look like as well: the tokens, the elements and the mark.
LOOK = HERE.parent / "look"

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre"),
    *("a", "code", "del", "em", "img", "strong"),
    *("dl", "dt", "dd", "ol", "ul", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "alt", "title"}, "ol": {"start"}}
PREFIX = "games/"


class Page(Protocol):
    """A context that knows its template; see `pages`."""

    template: ClassVar[str]


def show(request: Request, page: Page, status: int = 200) -> Response:
    return HTMLResponse(request.app.state.renderer.render(page), status_code=status)


class Renderer:
    """The templates, ready to render; `root` is the path the application is mounted at."""

    def __init__(self, *, root: str = "") -> None:
        self.root = root.rstrip("/")
        self.environment = Environment(
            loader=ChoiceLoader([FileSystemLoader([TEMPLATES, HERE, LOOK]), GameTemplates()]),
            autoescape=True,
            # Templates are part of the program: looking for changes costs a call per template.
            auto_reload=False,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters.update(
            FILTERS, markdown=markdown, rich=rich_html, placed=placed_tree
        )
        self.environment.globals.update(static=self.static, icon=icon, root=self.root)
        self.fragments = Fragments(self.environment)

    def render(self, page: Page) -> str:
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
def icon(name: str, *, size: int = 20, also: str = "") -> Markup:
    """A lucide icon as inline SVG, hidden from screen readers: the words beside it say it all."""
    svg = ElementTree.fromstring(_icons().read(f"{name}.svg"))
    for node in svg.iter():
        node.tag = node.tag.rpartition("}")[2]
    names = f"icon {also}".rstrip()
    svg.attrib |= {"width": str(size), "height": str(size), "class": names}
    svg.attrib |= {"aria-hidden": "true", "focusable": "false"}
    return Markup(ElementTree.tostring(svg, encoding="unicode"))


@lru_cache(maxsize=1)
def _icons() -> ZipFile:
    """The archive of the lucide package, which that would open anew for each icon."""
    return ZipFile((resources.files("lucide") / "lucide.zip").open("rb"))


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


def game_file(game: Game, name: str) -> str:
    """What a page calls a file of a game; empty where the game has none."""
    return f"{PREFIX}{game.name}/{name}" if name else ""


def static_place(name: str, *, own: Path) -> tuple[Path, str]:
    """The folder a static file lies in and its name there; `own` is the folder of all others."""
    if name in ("tokens.css", "base.css"):
        return LOOK, name
    found = _of_game(name)
    return (own, name) if found is None else (found[0].static, found[1])


class GameTemplates(BaseLoader):
    """Finds the templates of games, each in its game's folder."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The source of a template; TemplateNotFound where no game has it."""
        found = _of_game(template)
        if found is None:
            raise TemplateNotFound(template)
        game, name = found
        return FileSystemLoader(game.templates).get_source(environment, name)


def _of_game(name: str) -> tuple[Game, str] | None:
    if not name.startswith(PREFIX):
        return None
    game, _, rest = name.removeprefix(PREFIX).partition("/")
    try:
        return GAMES.get(game), rest
    except UnknownNameError:
        return None
