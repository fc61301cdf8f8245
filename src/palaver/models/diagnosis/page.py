"""A diagnosis as one page that needs nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from palaver.core.words import percent
from palaver.models.diagnosis.graph_drawing import drawn_graph
from palaver.models.diagnosis.record import Diagnosis, FigureColumn, FigureTable
from palaver.models.measured import MeasuredFigure

_TEMPLATES = Path(__file__).parent / "templates"
_LOOK = Path(__file__).parents[2] / "look"
# Room after the largest number of a picture.
_ROOM = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class DotRow:
    """A row of a picture of figures: where its dot and its interval lie, in percent of the width."""

    title: str
    text: str
    at: float
    low: float
    high: float
    is_published: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DotPicture:
    """One column of a table as dots with intervals, from 0 on."""

    heading: str
    rows: tuple[DotRow, ...]


def diagnosis_page(diagnosis: Diagnosis) -> str:
    """The page as HTML."""
    return _environment().get_template("diagnosis.html").render(diagnosis=diagnosis, css=_css())


def dot_pictures(table: FigureTable) -> Iterator[DotPicture]:
    """The columns of a table that are drawn."""
    for column, _ in table.known_columns():
        if column.name in table.drawn:
            yield DotPicture(heading=column.heading, rows=tuple(_dots(table, column)))


def _dots(table: FigureTable, column: FigureColumn) -> Iterator[DotRow]:
    name = column.name
    own = [(row.title, row.figures[name]) for row in table.rows if name in row.figures]
    published = [
        (row.title, MeasuredFigure(name=name, value=row.values[name]))
        for row in table.published
        if name in row.values
    ]
    ends = [each.value if each.high is None else each.high for _, each in (*own, *published)]
    scale = 100 / (_ROOM * max(ends)) if max(ends) > 0 else 0.0
    for n, (title, figure) in enumerate((*own, *published)):
        low, high = figure.low, figure.high
        is_published = n >= len(own)
        yield DotRow(
            title=title,
            text=column.text_of(figure.value) if is_published else column.text(figure),
            at=scale * figure.value,
            low=scale * (figure.value if low is None else low),
            high=scale * (figure.value if high is None else high),
            is_published=is_published,
        )


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
        "dot_pictures": dot_pictures,
        "drawn_graph": drawn_graph,
        "percent": percent,
    }
    return environment


@lru_cache(maxsize=1)
def _css() -> Markup:
    sheets = (_LOOK / "tokens.css", _LOOK / "base.css", _TEMPLATES / "diagnosis.css")
    return Markup("\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets))
