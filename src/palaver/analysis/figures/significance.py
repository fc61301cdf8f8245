"""Which runs differ, as a picture: means with intervals, and bars over what cannot be told apart.

It is read like a critical-difference diagram that stands upright: runs best first from top to bottom,
the measure from left to right, and at the right one bar for each set, with a point at every member.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palaver.analysis.figures.figure import (
    ACCENT,
    INK,
    LINE,
    SOFT,
    Figure,
    Spec,
    distinct,
    draw,
    label_letters,
)
from palaver.core.estimates import Interval

# Up to so many runs a line is this high; what has more than the last has no names but places.
STEPS = ((12, 28), (30, 22), (60, 16))
CROWDED = 5
# What share of the width the bars may take, and how far apart two of them stand at most, in pixels.
BAR_SHARE, BAR_APART = 0.3, 12.0
# How many runs the words name.
MOST_SAID = 12


@dataclass(frozen=True, slots=True)
class SignificanceRow:
    """One run; `kind` says how it is marked, and those that have one are drawn hollow."""

    name: str
    value: float
    interval: Interval | None = None
    kind: str = ""


def significance(
    rows: Sequence[SignificanceRow],
    sets: Sequence[Sequence[str]],
    *,
    name: str,
    title: str,
    axis: str,
) -> Figure:
    """Runs in the order given, with a bar over each of the `sets` that has more than one run."""
    places = {row.name: n for n, row in enumerate(rows)}
    lanes = _lanes([sorted(places[each] for each in one) for one in sets if len(one) > 1])
    step = _step(len(rows))
    low, high = _ends(rows)

    def build(width: int) -> Spec:
        names = _labels(rows, width)
        taken = _label_room(names, step, width)
        # Bars stand beside the means, in an empty part of the same axis.
        drawing = max(80.0, width - taken)
        apart = min(BAR_APART, BAR_SHARE * drawing / max(1, len(lanes)))
        share = apart * (len(lanes) + 1) / drawing if lanes else 0.0
        span = (high - low) / (1 - share)
        per_pixel = span / drawing
        x: Spec = {
            "type": "quantitative",
            "title": axis,
            "scale": {"domain": [low, low + span], "zero": False, "nice": False},
            "axis": {"grid": True, "values": _ticks(low, high, 5 if width > 400 else 3)},
        }
        y: Spec = {
            "type": "quantitative",
            "title": None if step > CROWDED else "place",
            "scale": {"domain": [len(rows) - 0.5, -0.5], "zero": False, "nice": False},
            "axis": _name_axis(names, step, width),
        }
        bars: list[dict[str, Any]] = [
            {
                "at": high + (lane + 1) * apart * per_pixel,
                "first": members[0] - 0.3 * (step > CROWDED),
                "last": members[-1] + 0.3 * (step > CROWDED),
                "members": members,
            }
            for lane, held in enumerate(lanes)
            for members in held
        ]
        thick = max(1.0, min(3.0, apart / 3))
        layers = _mean_layers(rows, x, y, low, is_roomy=step > CROWDED)
        if bars:
            layers += _bar_layers(bars, x, y, high, thick, is_roomy=step > CROWDED)
        return {"layer": layers, "height": max(step * len(rows), 40)}

    return draw(name, title, f"{title}. {_words(rows)} {_set_words(lanes)}", build)


def _mean_layers(
    rows: Sequence[SignificanceRow], x: Spec, y: Spec, low: float, *, is_roomy: bool
) -> list[Spec]:
    """Each run's mean on its interval; hollow where it is marked, a word where it is undefined."""
    data: Spec = {"values": [_datum(n, row) for n, row in enumerate(rows)]}
    place = y | {"field": "place"}
    means: list[Spec] = [
        {
            "data": data,
            "transform": [{"filter": f"datum.marked == {json.dumps(marked)}"}],
            "mark": {
                "type": "point",
                "filled": not marked,
                "shape": "diamond" if marked else "circle",
                "size": 70 if is_roomy else 12,
                "color": SOFT if marked else ACCENT,
                "opacity": 1,
            },
            "encoding": {"x": x | {"field": "value"}, "y": place},
        }
        for marked in (False, True)
    ]
    return [
        {
            "data": data,
            "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 2 if is_roomy else 1},
            "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": place},
        },
        *means,
        {
            "data": data,
            "transform": [{"filter": "datum.missing"}],
            "mark": {"type": "text", "align": "left", "dx": 6, "color": INK},
            "encoding": {"x": x | {"datum": low}, "y": place, "text": {"value": "undefined"}},
        },
    ]


def _bar_layers(
    bars: Sequence[dict[str, Any]], x: Spec, y: Spec, high: float, thick: float, *, is_roomy: bool
) -> list[Spec]:
    """A bar over each set, right of the means, with a point at every member where there is room."""
    at = x | {"field": "at"}
    layers: list[Spec] = [
        {
            "data": {"values": [{"at": high}]},
            "mark": {"type": "rule", "color": LINE},
            "encoding": {"x": at},
        },
        {
            "data": {"values": bars},
            "mark": {"type": "rule", "color": INK, "strokeWidth": thick},
            "encoding": {"x": at, "y": y | {"field": "first"}, "y2": {"field": "last"}},
        },
    ]
    if is_roomy:
        points = [{"at": bar["at"], "place": place} for bar in bars for place in bar["members"]]
        layers.append(
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "color": INK, "size": 22, "opacity": 1},
                "encoding": {"x": at, "y": y | {"field": "place"}},
            }
        )
    return layers


def _step(count: int) -> int:
    return next((step for most, step in STEPS if count <= most), CROWDED)


def _labels(rows: Sequence[SignificanceRow], width: int) -> list[str]:
    if _step(len(rows)) == CROWDED:
        return []
    # The mark of a run stays whole; what is cut is its name.
    room = label_letters(width) - max(len(_marked(row)) - len(row.name) for row in rows)
    short = distinct([row.name for row in rows], max(8, room))
    return [_marked(replace(row, name=short[row.name])) for row in rows]


def _marked(row: SignificanceRow) -> str:
    return f"{row.name} ({row.kind})" if row.kind else row.name


def _label_room(names: Sequence[str], step: int, width: int) -> float:
    if step == CROWDED:
        return 60.0
    return min(width * 0.4, max((len(name) for name in names), default=0) * 6.2) + 16


def _name_axis(names: Sequence[str], step: int, width: int) -> Spec:
    axis: Spec = {"grid": False, "domain": False, "ticks": False, "labelLimit": int(width * 0.4)}
    if step == CROWDED:
        return axis | {"ticks": True, "labelExpr": "datum.value + 1", "tickCount": 10}
    return axis | {
        "values": list(range(len(names))),
        "labelExpr": f"{json.dumps(list(names))}[datum.value]",
        "labelFontSize": 12 if step > 16 else 11,
        "labelOverlap": False,
    }


def _lanes(sets: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """Sets side by side: one that begins below the end of another stands under it."""
    lanes: list[list[list[int]]] = []
    for members in sorted(map(list, sets)):
        lane = next((held for held in lanes if held[-1][-1] < members[0]), None)
        if lane is None:
            lanes.append([members])
        else:
            lane.append(members)
    return lanes


def _ends(rows: Sequence[SignificanceRow]) -> tuple[float, float]:
    known = [
        number
        for row in rows
        for number in (row.value, *((row.interval.low, row.interval.high) if row.interval else ()))
        if math.isfinite(number)
    ]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * 0.06 or 0.05
    return low - room, high + room


def _ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers between two ends, about so many of them.

    >>> _ticks(0.13, 0.47, 5)
    [0.2, 0.3, 0.4]
    """
    rough = (high - low) / count
    scale = 10.0 ** math.floor(math.log10(rough))
    apart = next(scale * each for each in (1, 2, 5, 10) if scale * each >= rough * 0.99)
    first = math.ceil(low / apart)
    return [round(n * apart, 12) for n in range(first, math.floor(high / apart) + 1)]


def _datum(place: int, row: SignificanceRow) -> Mapping[str, Any]:
    defined = math.isfinite(row.value)
    ends = (row.interval.low, row.interval.high) if row.interval else (row.value, row.value)
    low, high = (end if math.isfinite(end) else None for end in ends)
    return {
        "place": place,
        "value": row.value if defined else None,
        "low": low,
        "high": high,
        "marked": bool(row.kind),
        "missing": not defined,
    }


def _words(rows: Sequence[SignificanceRow]) -> str:
    said = [
        f"{_marked(row)} {row.value:.3g}"
        + (f" ({row.interval.low:.3g} to {row.interval.high:.3g})" if row.interval else "")
        if math.isfinite(row.value)
        else f"{_marked(row)} undefined"
        for row in rows[:MOST_SAID]
    ]
    more = f"; and {len(rows) - MOST_SAID} more" if len(rows) > MOST_SAID else ""
    return "; ".join(said) + more + "." if said else "There are no runs."


def _set_words(lanes: Sequence[Sequence[Sequence[int]]]) -> str:
    count = sum(map(len, lanes))
    if not count:
        return ""
    return f"Bars mark {count} {'set' if count == 1 else 'sets'} that cannot be distinguished."
