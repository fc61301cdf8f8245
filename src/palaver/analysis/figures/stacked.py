"""Stacked shares: one bar per group that is divided into its parts, which are the same for all."""

from collections.abc import Mapping, Sequence

from palaver.analysis.figures.figure import (
    INK,
    LETTER,
    MARK_COLOURS,
    Figure,
    Spec,
    distinct,
    draw,
    label_letters,
)
from palaver.core.errors import InputError
from palaver.core.words import percent

ROW = 34
# A part of a bar that is narrower than its words stays without them.
PADDING = 8


def stacked_shares(
    shares: Mapping[str, Mapping[str, float]],
    parts: Sequence[str],
    *,
    name: str,
    title: str,
    axis: str,
    notes: Mapping[str, str] | None = None,
) -> Figure:
    """A bar from 0 to 1 for each group, divided by the shares of its `parts` in their order.

    `notes` stand at the right of the bars: of how many they are, say.
    """
    if len(parts) > len(MARK_COLOURS):
        raise InputError(
            f"Bars are divided into at most {len(MARK_COLOURS)} parts; got {len(parts)}."
        )
    said = notes or {}
    right = max((len(note) for note in said.values()), default=0) * LETTER

    def build(width: int) -> Spec:
        short = distinct(list(shares), label_letters(width))
        taken = max((len(each) for each in short.values()), default=0) * LETTER
        room = max(60.0, width - taken - right - 24)
        values = list(_data(shares, parts, short, room))
        y = {
            "field": "group",
            "type": "nominal",
            "sort": [short[group] for group in shares],
            "title": None,
            "axis": {"domain": False, "ticks": False, "labelLimit": int(width * 0.4)},
        }
        x: Spec = {
            "field": "from",
            "type": "quantitative",
            "title": axis,
            "scale": {"domain": [0, 1], "nice": False},
            "axis": {"format": ".0%", "grid": False, "tickCount": 5 if width > 400 else 3},
        }
        colour = {
            "field": "part",
            "type": "nominal",
            "title": None,
            "scale": {"domain": list(parts), "range": list(MARK_COLOURS[: len(parts)])},
            "legend": {"orient": "top", "columns": 4 if width > 400 else 1, "symbolType": "square"},
        }
        bars = {"type": "bar", "fillOpacity": 0.32, "strokeWidth": 1.5, "height": {"band": 0.62}}
        layers: list[Spec] = [
            {
                "mark": bars,
                "encoding": {
                    "y": y,
                    "x": x,
                    "x2": {"field": "to"},
                    "color": colour,
                    "stroke": colour | {"legend": None},
                },
            },
            {
                "mark": {"type": "text", "color": INK, "fontSize": 11},
                "encoding": {"y": y, "x": x | {"field": "middle"}, "text": {"field": "words"}},
            },
        ]
        if said:
            ends = [{"group": short[group], "note": said.get(group, "")} for group in shares]
            layers.append(
                {
                    "data": {"values": ends},
                    "mark": {"type": "text", "align": "left", "dx": 8, "color": INK},
                    "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "note"}},
                }
            )
        return {"data": {"values": values}, "layer": layers, "height": {"step": ROW}}

    return draw(name, title, f"{title}. {_words(shares, parts)}", build)


def _data(
    shares: Mapping[str, Mapping[str, float]],
    parts: Sequence[str],
    short: Mapping[str, str],
    room: float,
) -> list[Spec]:
    values: list[Spec] = []
    for group, given in shares.items():
        start = 0.0
        for part in parts:
            share = given.get(part, 0.0)
            words = percent(share, 0)
            values.append(
                {
                    "group": short[group],
                    "part": part,
                    "from": start,
                    "to": start + share,
                    "middle": start + share / 2,
                    "words": words if share * room > len(words) * LETTER + PADDING else "",
                }
            )
            start += share
    return values


def _words(shares: Mapping[str, Mapping[str, float]], parts: Sequence[str]) -> str:
    said = [
        f"{group}: " + ", ".join(f"{part} {percent(given.get(part, 0.0), 0)}" for part in parts)
        for group, given in shares.items()
    ]
    return "; ".join(said) + "."
