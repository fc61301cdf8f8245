"""Heat maps: a number for each pair of things, as shade and as figure.

The shade is one colour more or less dense, so that it reads the same in print and in the dark; the
number stands in its cell wherever there is room.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from palaver.analysis.figures.figure import (
    ACCENT,
    INK,
    LETTER,
    LINE,
    Figure,
    Spec,
    distinct,
    draw,
    label_letters,
)
from palaver.core.errors import InputError

# The densest shade that a number can still be read on, in light and in dark.
DENSEST = 0.5
MOST_NAMES = 40
# Names above the cells lie where a cell is this wide, lean where it is that wide, and else stand.
LYING, LEANING = 80, 34


@dataclass(frozen=True, slots=True)
class HeatCell:
    """What stands where two things meet; NaN where nothing is known. `note` is for those who listen."""

    row: str
    column: str
    value: float
    note: str = ""


def heat_map(
    cells: Sequence[HeatCell],
    *,
    name: str,
    title: str,
    rows: str = "",
    columns: str = "",
    ends: tuple[float, float] | None = None,
    digits: int = 2,
) -> Figure:
    """Cells with a number each; `ends` are the values of no shade and of the densest.

    `rows` and `columns` say what the two sides are. At most 40 names to a side can be told apart.
    """
    down = list(dict.fromkeys(cell.row for cell in cells))
    across = list(dict.fromkeys(cell.column for cell in cells))
    if max(len(down), len(across), 1) > MOST_NAMES:
        raise InputError(
            f"A heat map shows at most {MOST_NAMES} names to a side; "
            f"got {len(down)} and {len(across)}."
        )
    low, high = ends or _ends(cells)

    def build(width: int) -> Spec:
        beside = distinct(down, min(label_letters(width), 20))
        taken = max((len(each) for each in beside.values()), default=0) * LETTER + 24
        room = (width - taken) / max(1, len(across))
        above = distinct(across, 14 if room < LYING else 20)
        leaning = LEANING <= room < LYING
        if leaning:
            # The last name leans out over the right border, and the cells make place for it.
            longest = max(len(each) for each in above.values()) * LETTER * 0.8
            room = (width - taken - max(0.0, longest - room / 2)) / len(across)
        height = max(18, min(44, int(room)))
        numbered = room >= LETTER * (digits + 2) + 2
        x = _side("column", list(above.values()), columns)
        y = _side("row", list(beside.values()), rows)
        angle = -40 if leaning else 0 if room >= LYING else -90
        x["axis"] |= {"orient": "top", "labelAngle": angle, "titlePadding": 8}
        shade = {
            "field": "value",
            "type": "quantitative",
            "scale": {"domain": [low, high], "range": [0.0, DENSEST], "clamp": True},
            "legend": None,
        }
        layers: list[Spec] = [
            {
                "mark": {"type": "rect", "fill": ACCENT, "stroke": None},
                "encoding": {"x": x, "y": y, "fillOpacity": shade},
            },
            {
                "mark": {"type": "rect", "fill": None, "stroke": LINE},
                "encoding": {"x": x, "y": y},
            },
        ]
        if numbered:
            text = {"type": "text", "color": INK, "fontSize": 12}
            layers.append({"mark": text, "encoding": {"x": x, "y": y, "text": {"field": "shown"}}})
        values = [
            {
                "row": beside[cell.row],
                "column": above[cell.column],
                "value": cell.value if math.isfinite(cell.value) else low,
                "shown": _number(cell.value, digits),
            }
            for cell in cells
        ]
        return {"data": {"values": values}, "layer": layers, "height": {"step": height}}

    return draw(name, title, f"{title}. {_words(cells, digits)}", build)


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−") if math.isfinite(value) else "–"


def _side(field: str, order: list[str], title: str) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "sort": order,
        "title": title or None,
        "axis": {"domain": False, "ticks": False, "labelLimit": 240, "titlePadding": 10},
    }


def _ends(cells: Sequence[HeatCell]) -> tuple[float, float]:
    known = [cell.value for cell in cells if math.isfinite(cell.value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return (low, high) if low < high else (min(0.0, low), max(1.0, high))


def _words(cells: Sequence[HeatCell], digits: int) -> str:
    """The first cells in words; the table beside the figure has them all."""
    known = [cell for cell in cells if math.isfinite(cell.value)]
    said = [
        f"{cell.row} and {cell.column} {cell.value:.{digits}f}"
        + (f" ({cell.note})" if cell.note else "")
        for cell in known[:12]
    ]
    more = f"; and {len(known) - 12} more" if len(known) > 12 else ""
    return "; ".join(said) + more + "." if said else "No value is defined."
