"""The picture of a whole study: one row per question or label, one dot with its interval per system.

Up to six systems have a mark of their own, the same in every figure and on the pages. More of them
would not be told apart by marks: where there is one question each system has a line with its name;
where there are several, each row is a dense band of intervals from low to high, and the table has the
names.
"""

import math
from collections.abc import Mapping, Sequence
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
    marked = len(systems) <= MOST_MARKS
    alone = len(rows) == 1
    if alone:
        # Each system on a line of its own, with its name; the highest value first.
        ((question, points),) = rows.items()
        axis = f"{axis}: {question}"
        order = sorted(points, key=lambda each: -points[each].value)
        rows = {system: {system: points[system]} for system in order}
    lanes = 1 if alone else sum(any(system in of for of in rows.values()) for system in systems)
    lane = LANE if marked else THIN_LANE
    height = max(26 if alone else 34, lanes * lane + ROOM)
    domain = list(ends or _ends(rows, reference))

    def build(width: int) -> Spec:
        narrow = width < 400
        short = distinct(list(rows), 40 if narrow else label_letters(width))
        head = 18 if narrow else 0
        step = height + head
        data = []
        for place, (question, points) in enumerate(rows.items()):
            inside = [system for system in systems if system in points]
            if not marked:
                inside = sorted(inside, key=lambda each: points[each].value)
            top = place * step + head + (height - (len(inside) - 1) * lane) / 2
            for n, system in enumerate(inside):
                if math.isfinite(points[system].value):
                    data.append(_datum(question, system, points[system], top + n * lane, domain))
        whole = len(rows) * step
        y: Spec = {
            "field": "y",
            "type": "quantitative",
            "title": None,
            "scale": {"domain": [whole, 0], "nice": False, "zero": False},
            "axis": _names_axis(list(short.values()), step, width) if not narrow else None,
        }
        x: Spec = {
            "field": "value",
            "type": "quantitative",
            "title": axis,
            "scale": {"domain": domain, "nice": False, "zero": False},
            "axis": {
                "grid": True,
                # Of a long figure the numbers are wanted where reading begins.
                "orient": "top" if len(rows) > LONG else "bottom",
                "tickCount": 3 if narrow else 5,
                **({"format": ".0%"} if percent else {}),
            },
        }
        colour: Spec = {"value": ACCENT}
        shape: Spec = {"value": "circle"}
        if marked:
            scale = {"domain": list(systems), "range": list(MARK_COLOURS[: len(systems)])}
            legend = {
                "orient": "top",
                "title": None,
                "columns": 2 if narrow else 4,
                "symbolOpacity": 1,
                "symbolStrokeWidth": 0,
                "labelLimit": int(width / (2 if narrow else 4)) - 30,
            }
            colour = {
                **{"field": "system", "type": "nominal", "scale": scale},
                "legend": None if alone else legend,
            }
            shape = colour | {
                "scale": {"domain": list(systems), "range": list(SHAPES[: len(systems)])}
            }
        rules = [{"y": place * step} for place in range(1, len(rows))]
        layers: list[Spec] = [
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "color": LINE},
                "encoding": {"y": y},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2 if marked or alone else 1},
                "encoding": {
                    "y": y,
                    "x": x | {"field": "low"},
                    "x2": {"field": "high"},
                    "color": colour,
                },
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "opacity": 1,
                    "size": 46 if marked else 9,
                },
                "encoding": {"y": y, "x": x, "color": colour, "shape": shape},
            },
        ]
        if reference is not None:
            line = {key: x[key] for key in x if key != "field"} | {"datum": reference}
            layers.insert(
                0,
                {
                    "mark": {"type": "rule", "color": STRONG_LINE, "strokeDash": [4, 3]},
                    "encoding": {"x": line},
                },
            )
        if narrow:
            names = [
                {"y": place * step + 12, "name": text} for place, text in enumerate(short.values())
            ]
            layers.append(
                {
                    "data": {"values": names},
                    "mark": {"type": "text", "align": "left", "fontWeight": 600},
                    "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name"}},
                }
            )
        return {"data": {"values": data}, "layer": layers, "height": whole}

    return draw(name, title, f"{title}. {_words(rows, percent)}", build)


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
