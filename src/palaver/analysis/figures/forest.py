"""Forest plots: one estimate per line, as a dot with its interval; of times and of ranks, too."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from palaver.analysis.figures.figure import (
    ACCENT,
    INK,
    STRONG_LINE,
    Figure,
    Spec,
    distinct,
    draw,
    label_letters,
)
from palaver.analysis.ranking.result import SystemStanding
from palaver.core import words
from palaver.core.estimates import Interval

ROW = 30


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One line: what is estimated, the value (NaN if undefined), its interval, a note at the right."""

    name: str
    value: float
    interval: Interval | None = None
    note: str = ""


def forest(
    rows: Sequence[ForestRow],
    *,
    name: str,
    title: str,
    axis: str,
    reference: float | None = None,
    ends: tuple[float, float] | None = None,
    percent: bool = False,
) -> Figure:
    """Estimates one below the other, in the order given.

    `reference` draws a line where a value means "no difference"; `ends` are the ends of the axis, so
    that figures can be compared. A row without a value keeps its place and says so.
    """
    shown = ends or _ends(rows, reference)

    def build(width: int) -> Spec:
        short = distinct([row.name for row in rows], label_letters(width))
        order = [short[row.name] for row in rows]
        values = [_datum(row, short[row.name], shown) for row in rows]
        y = {
            "field": "name",
            "type": "nominal",
            "sort": order,
            "title": None,
            "axis": {"domain": False, "ticks": False, "labelLimit": int(width * 0.4)},
        }
        x: Spec = {
            "field": "value",
            "type": "quantitative",
            "title": axis,
            "scale": {"domain": list(shown), "zero": False, "nice": False},
            "axis": {
                "grid": True,
                "tickCount": 5 if width > 400 else 3,
                **({"format": ".0%"} if percent else {}),
            },
        }
        layers: list[Spec] = [
            {
                "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 2},
                "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 70,
                    "color": ACCENT,
                    "opacity": 1,
                },
                "encoding": {"y": y, "x": x},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 6, "color": INK},
                "transform": [{"filter": "datum.missing != ''"}],
                "encoding": {"y": y, "x": {"datum": shown[0]}, "text": {"field": "missing"}},
            },
        ]
        if reference is not None:
            line = {"type": "rule", "color": STRONG_LINE, "strokeDash": [4, 3]}
            layers.insert(
                0,
                {
                    "mark": line,
                    "encoding": {
                        "x": {key: x[key] for key in x if key != "field"} | {"datum": reference}
                    },
                },
            )
        if any(row.note for row in rows):
            text = {"type": "text", "align": "left", "color": INK}
            at = {"value": "width"}
            layers.append(
                {
                    "mark": text | {"dx": 8},
                    "encoding": {"y": y, "x": at, "text": {"field": "note"}},
                }
            )
        return {"data": {"values": values}, "layer": layers, "height": {"step": ROW}}

    return draw(name, title, f"{title}. {_words(rows, percent)}", build)


def answer_times(rows: Sequence[ForestRow], *, title: str) -> Figure:
    """The median seconds of each question as a dot, the middle half of the times as a line."""
    ends = [row.interval.high if row.interval else row.value for row in rows]
    most = max((end for end in ends if end == end), default=1.0) * 1.06 or 1.0
    return forest(
        rows,
        name="time",
        title=title,
        axis="Seconds per answer: median and middle half",
        ends=(0.0, most),
    )


def rank_plot(
    standings: Sequence[SystemStanding],
    *,
    title: str,
    axis: str = "Strength (log-odds, mean 0)",
    reference: float | None = 0.0,
) -> Figure:
    """Strengths with their intervals, best first, and each system's ranks at the right."""
    lines = [
        ForestRow(
            standing.system,
            standing.strength,
            standing.interval,
            note=rank_words(standing.rank_interval),
        )
        for standing in standings
    ]
    return forest(lines, name="ranks", title=title, axis=axis, reference=reference)


def rank_words(ranks: tuple[int, int] | None) -> str:
    """A range of ranks: "rank 1", "rank 2–3"; empty where it is not known.

    >>> rank_words((1, 1)), rank_words((2, 3))
    ('rank 1', 'rank 2–3')
    """
    if ranks is None:
        return ""
    best, worst = ranks
    return f"rank {best}" if best == worst else f"rank {best}–{worst}"


def _ends(rows: Sequence[ForestRow], reference: float | None) -> tuple[float, float]:
    known = [row.value for row in rows if math.isfinite(row.value)]
    known += [
        end
        for row in rows
        if row.interval is not None
        for end in (row.interval.low, row.interval.high)
        if math.isfinite(end)
    ]
    known += [] if reference is None else [reference]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * 0.06 or 0.5
    return low - room, high + room


def _datum(row: ForestRow, name: str, ends: tuple[float, float]) -> dict[str, Any]:
    defined = math.isfinite(row.value)
    low, high = (row.interval.low, row.interval.high) if row.interval else (row.value, row.value)
    return {
        "name": name,
        "value": row.value if defined else None,
        "low": _within(low, ends) if defined else None,
        "high": _within(high, ends) if defined else None,
        "note": row.note,
        "missing": "" if defined else "undefined",
    }


def _within(value: float, ends: tuple[float, float]) -> float:
    """An end of an interval that leaves the axis is drawn up to its border."""
    if math.isnan(value):
        return value
    return min(max(value, ends[0]), ends[1])


def _words(rows: Sequence[ForestRow], percent: bool) -> str:
    return "; ".join(f"{row.name} {_value(row, percent)}" for row in rows) + "."


def _value(row: ForestRow, percent: bool) -> str:
    if not math.isfinite(row.value):
        return "undefined"
    written = partial(words.percent, digits=0) if percent else "{:.3g}".format
    ends = ""
    if row.interval is not None:
        ends = f" ({written(row.interval.low)} to {written(row.interval.high)})"
    return written(row.value) + ends
