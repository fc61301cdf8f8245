"""A diagnosis as one page that needs nothing else."""

from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from palaver.models.diagnosis.record import Diagnosis, FigureTable
from palaver.models.learner import Figure
from palaver.models.training.curve import shown

_TEMPLATES = Path(__file__).parent / "templates"
_LOOK = Path(__file__).parents[2] / "look"


def diagnosis_page(diagnosis: Diagnosis) -> str:
    """The page as HTML."""
    return _environment().get_template("diagnosis.html").render(diagnosis=diagnosis, css=_css())


def between(figure: Figure) -> str:
    """The interval of a figure; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    return f"[{shown(figure.low)}, {shown(figure.high)}]"


def first_figure(table: FigureTable, name: str) -> Figure:
    """The first row's figure of a column, which says what is counted."""
    return next(row.figures[name] for row in table.rows if name in row.figures)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "value": lambda figure: shown(figure.value),
        "between": between,
        "first_figure": first_figure,
        "percent": lambda share: f"{100 * share:.1f} %",
    }
    return environment


@lru_cache(maxsize=1)
def _css() -> Markup:
    sheets = (_LOOK / "tokens.css", _LOOK / "base.css")
    return Markup("\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets))
