"""The picture of a whole study: one row per question or label, one dot with its interval per system.

Up to six systems have a mark of their own, the same in every figure and on the pages. More of them
would not be told apart by marks: where there is one question each system has a line with its name;
where there are several, each row is a dense band of intervals from low to high, and the table has the
names.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from palaver.analysis.figures.figure import (
    ACCENT,
    LETTER,
    LINE,
    MARK_COLOURS,
    STRONG_LINE,
    Figure,
    Spec,
    distinct,
    draw,
    label_letters,
)
from palaver.core.estimates import Interval
from palaver.core.words import counted

# As on the pages: circle, square, diamond, triangle up, triangle down, cross.
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
MOST_MARKS = len(SHAPES)
# Pixels of one system in a row: with a mark of its own, and as a line of a band.
LANE, THIN_LANE = 13, 4
ROOM = 16
# Pixels below which names stand above their rows.
NARROW = 400
# From more rows than these on, the axis stands above them.
LONG = 8
# A description for those who do not see names as many points as one can listen to.
MOST_SAID = 24


@dataclass(frozen=True, slots=True)
class GridPoint:
    """What a system got on a question."""

    value: float
    interval: Interval | None = None


def dot_grid(
    rows: Mapping[str, Mapping[str, GridPoint]],
    systems: Sequence[str],
    *,
    name: str,
    title: str,
    axis: str,
    ends: tuple[float, float] | None = None,
    reference: float | None = None,
    percent: bool = False,
) -> Figure:
    """Questions by systems: `rows` holds the points of each question by system.

    `systems` are all of the study in the order of their marks, whether or not they are in this grid.
    """
    alone = len(rows) == 1
    if alone:
        # Each system on a line of its own, with its name; the highest value first.
        ((question, points),) = rows.items()
        axis = f"{axis}: {question}"
        order = sorted(points, key=lambda each: -points[each].value)
        rows = {system: {system: points[system]} for system in order}
    grid = _Grid(
        rows=rows,
        systems=systems,
        alone=alone,
        axis=axis,
        domain=tuple(ends or _ends(rows, reference)),
        reference=reference,
        percent=percent,
    )
    return draw(name, title, f"{title}. {_words(rows, percent)}", grid.spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """The rows of a grid, how they are marked, and the axis they share."""

    rows: Mapping[str, Mapping[str, GridPoint]]
    systems: Sequence[str]
    # Whether each row is a system instead of a question.
    alone: bool
    axis: str
    domain: tuple[float, ...]
    reference: float | None
    percent: bool

    @property
    def marked(self) -> bool:
        return len(self.systems) <= MOST_MARKS

    @property
    def lane(self) -> int:
        return LANE if self.marked else THIN_LANE

    @property
    def height(self) -> int:
        """Of a row."""
        held = (any(system in of for of in self.rows.values()) for system in self.systems)
        lanes = 1 if self.alone else sum(held)
        return max(26 if self.alone else 34, lanes * self.lane + ROOM)

    def spec(self, width: int) -> Spec:
        """The figure for a page of this width; where it is narrow, names stand above their rows."""
        narrow = width < NARROW
        head = 18 if narrow else 0
        step = self.height + head
        short = list(distinct(list(self.rows), 40 if narrow else label_letters(width)).values())
        y: Spec = {
            "field": "y",
            "type": "quantitative",
            "title": None,
            "scale": {"domain": [len(self.rows) * step, 0], "nice": False, "zero": False},
            "axis": _names_axis(short, step, width) if not narrow else None,
        }
        x = self._values_axis(narrow)
        layers = [_rules_between(len(self.rows), step, y), *self._points(x, y, width)]
        if self.reference is not None:
            layers.insert(0, _reference_line(self.reference, x))
        if narrow:
            layers.append(_names_above(short, step, y))
        data = list(self._data(step, head))
        return {"data": {"values": data}, "layer": layers, "height": len(self.rows) * step}

    def _data(self, step: int, head: int) -> Iterator[Spec]:
        for place, (question, points) in enumerate(self.rows.items()):
            inside = [system for system in self.systems if system in points]
            if not self.marked:
                inside = sorted(inside, key=lambda each: points[each].value)
            top = place * step + head + (self.height - (len(inside) - 1) * self.lane) / 2
            for n, system in enumerate(inside):
                if math.isfinite(points[system].value):
                    y = top + n * self.lane
                    yield _datum(question, system, points[system], y, list(self.domain))

    def _values_axis(self, narrow: bool) -> Spec:
        return {
            "field": "value",
            "type": "quantitative",
            "title": self.axis,
            "scale": {"domain": list(self.domain), "nice": False, "zero": False},
            "axis": {
                "grid": True,
                # Of a long figure the numbers are wanted where reading begins.
                "orient": "top" if len(self.rows) > LONG else "bottom",
                "tickCount": 3 if narrow else 5,
                **({"format": ".0%"} if self.percent else {}),
            },
        }

    def _points(self, x: Spec, y: Spec, width: int) -> list[Spec]:
        colour, shape = self._marks(width)
        line = {"type": "rule", "strokeWidth": 2 if self.marked or self.alone else 1}
        point = {"type": "point", "filled": True, "opacity": 1, "size": 46 if self.marked else 9}
        ends = {"x": x | {"field": "low"}, "x2": {"field": "high"}}
        return [
            {"mark": line, "encoding": {"y": y, **ends, "color": colour}},
            {"mark": point, "encoding": {"y": y, "x": x, "color": colour, "shape": shape}},
        ]

    def _marks(self, width: int) -> tuple[Spec, Spec]:
        """The colour and the shape of systems; all alike where there are too many to tell."""
        if not self.marked:
            return {"value": ACCENT}, {"value": "circle"}
        systems = list(self.systems)
        columns = 2 if width < NARROW else 4
        legend = {
            "orient": "top",
            "title": None,
            "columns": columns,
            "symbolOpacity": 1,
            "symbolStrokeWidth": 0,
            "labelLimit": int(width / columns) - 30,
        }
        colour: Spec = {
            "field": "system",
            "type": "nominal",
            "scale": {"domain": systems, "range": list(MARK_COLOURS[: len(systems)])},
            "legend": None if self.alone else legend,
        }
        shapes = {"domain": systems, "range": list(SHAPES[: len(systems)])}
        return colour, colour | {"scale": shapes}


def _rules_between(rows: int, step: int, y: Spec) -> Spec:
    return {
        "data": {"values": [{"y": place * step} for place in range(1, rows)]},
        "mark": {"type": "rule", "color": LINE},
        "encoding": {"y": y},
    }


def _reference_line(at: float, x: Spec) -> Spec:
    return {
        "mark": {"type": "rule", "color": STRONG_LINE, "strokeDash": [4, 3]},
        "encoding": {"x": {key: x[key] for key in x if key != "field"} | {"datum": at}},
    }


def _names_above(names: Sequence[str], step: int, y: Spec) -> Spec:
    values = [{"y": place * step + 12, "name": text} for place, text in enumerate(names)]
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "fontWeight": 600},
        "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name"}},
    }


def _datum(
    question: str, system: str, point: GridPoint, y: float, domain: Sequence[float]
) -> dict[str, object]:
    ends = point.interval
    low, high = (ends.low, ends.high) if ends else (point.value, point.value)
    return {
        "question": question,
        "system": system,
        "value": point.value,
        "low": min(max(low, domain[0]), domain[1]),
        "high": min(max(high, domain[0]), domain[1]),
        "y": y,
    }


def _names_axis(names: Sequence[str], step: int, width: int) -> Spec:
    middles = [place * step + step / 2 for place in range(len(names))]
    words = ", ".join(
        f"'{middle:g}': '{_plain(text)}'" for middle, text in zip(middles, names, strict=True)
    )
    return {
        "values": middles,
        "grid": False,
        "domain": False,
        "ticks": False,
        "minExtent": int(max((len(text) for text in names), default=0) * LETTER),
        "labelExpr": f"({{{words}}})[toString(datum.value)]",
        "labelLimit": int(label_letters(width) * LETTER) + 20,
    }


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ").replace("\r", " ")


def _ends(
    rows: Mapping[str, Mapping[str, GridPoint]], reference: float | None
) -> tuple[float, float]:
    known = [] if reference is None else [reference]
    for points in rows.values():
        for point in points.values():
            of = point.interval
            known += [point.value, *((of.low, of.high) if of else ())]
    finite = [value for value in known if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    room = (high - low) * 0.05 or 0.5
    return low - room, high + room


def _words(rows: Mapping[str, Mapping[str, GridPoint]], percent: bool) -> str:
    points = [(one, system, each) for one, of in rows.items() for system, each in of.items()]
    if len(points) > MOST_SAID:
        return f"{counted(len(rows), 'row')}; the table lists them all."
    written = "{:.0%}".format if percent else "{:.3g}".format
    return "; ".join(f"{one}, {system} {written(each.value)}" for one, system, each in points) + "."
