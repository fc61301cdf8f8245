"""Pages that need nothing but themselves, the figures inside of them, and figures as files."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from palaver.analysis.figures import Figure
from palaver.core.words import unturned

TEMPLATES = Path(__file__).parent / "templates"
LOOK = Path(__file__).parents[1] / "look"
SHEETS = (LOOK / "tokens.css", LOOK / "base.css", TEMPLATES / "report.css")


def render(template: str, **given: Any) -> str:
    """A template of the reports as a page; `css` is the web pages' style and its own."""
    return _environment().get_template(template).render(css=_css(), **given)


def viewer_template() -> Template:
    """The template of the viewer, which brings styles and scripts of its own."""
    return _environment().get_template("viewer.html")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure as a page shows it: wide, and narrow on a phone; both follow the page's colours."""

    figure: Figure
    wide: Markup
    narrow: Markup


def drawing(figure: Figure) -> Drawing:
    """The figure without its title, which the page writes above it."""
    return Drawing(
        figure,
        Markup(figure.to_svg(palette="page", titled=False)),
        Markup(figure.to_svg(palette="page", titled=False, narrow=True)),
    )


def draw_all(figures: Sequence[Figure], folder: Path, *, beside: bool) -> dict[str, Drawing]:
    """Write figures as files into a folder, and draw them for a page; by name.

    What draws them holds a hundred megabytes from then on. With `beside`, that is another process's.
    """
    if not beside:
        return {figure.name: _drawn(figure, folder) for figure in figures}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        drawings = list(process.map(_drawn, figures, repeat(folder)))
    return {each.figure.name: each for each in drawings}


def _drawn(figure: Figure, folder: Path) -> Drawing:
    write_figure(figure, folder)
    return drawing(figure)


def write_figure(figure: Figure, folder: Path) -> None:
    """The figure as `<name>.svg` (no ground, light colours) and `<name>.png` (on white)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{figure.name}.svg").write_text(figure.to_svg(), encoding="utf-8")
    (folder / f"{figure.name}.png").write_bytes(figure.to_png())


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, LOOK]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["unturned"] = unturned
    return environment


@lru_cache(maxsize=1)
def _css() -> Markup:
    return Markup("\n".join(sheet.read_text(encoding="utf-8") for sheet in SHEETS))
