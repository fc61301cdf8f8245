"""Pages that need nothing but themselves: their templates, and the style that stands in each."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **given: Any) -> str:
    """A template of the reports as a page; `css` is our own style sheet."""
    return _environment().get_template(template).render(css=_css(), **given)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@lru_cache(maxsize=1)
def _css() -> Markup:
    return Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))
