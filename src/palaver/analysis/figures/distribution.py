"""Distribution bars: how often each answer was given, for each system or for all."""

import textwrap
from collections.abc import Mapping, Sequence

from palaver.analysis.figures.figure import (
    ACCENT,
    INK,
    LETTER,
    STRONG_LINE,
    Figure,
    Spec,
    distinct,
    draw,
    label_letters,
    shortened,
)
from palaver.core.words import percent

ROW = 74
MOST_ANSWERS = 11
OTHERS = "others"


def distribution(
    counts: Mapping[str, Mapping[str, int]],
    *,
    name: str,
    title: str,
    answers: Sequence[str] = (),
) -> Figure:
    """One line of bars per group (a system, say), one bar per answer; its height is the share.

    `answers` gives their order, and answers that nobody gave; without it, they stand as they occur.
    Beyond eleven answers the rarest are counted together.
    """
    shown = _shown(counts, answers)
    shares = {group: _shares(given, shown) for group, given in counts.items()}
    tallest = max((share for each in shares.values() for share in each.values()), default=0) or 1.0

    def build(width: int) -> Spec:
        short = distinct(list(counts), label_letters(width) - 4)
        taken = max((len(each) for each in short.values()), default=0) * LETTER
        room = (width - taken - 24) / max(1, len(shown))
        values = [
            {
                "answer": answer,
                "from": -place,
                "to": -place + 0.72 * share / tallest,
                "words": _percent(share, room),
            }
            for place, group in enumerate(counts)
            for answer, share in shares[group].items()
        ]
        x = {
            "field": "answer",
            "type": "nominal",
            "sort": shown,
            "title": None,
            "axis": {
                "domain": False,
                "ticks": False,
                "labelAngle": 0,
                "labelExpr": _lookup({each: _wrapped(each, room) for each in shown}, "datum.value"),
                "labelLimit": int(room) + 8,
            },
        }
        names = {
            str(-place): [short[group], f"n = {sum(given.values()):,}"]
            for place, (group, given) in enumerate(counts.items())
        }
        y = {
            "field": "from",
            "type": "quantitative",
            "title": None,
            "scale": {"domain": [-len(counts) + 0.9, 1.0], "nice": False, "zero": False},
            "axis": {
                "values": [-place for place in range(len(counts))],
                "grid": False,
                "domain": False,
                "ticks": False,
                "labelExpr": _lookup(names, "toString(datum.value)"),
                "labelBaseline": "line-bottom",
                "labelOffset": -14,
                "labelLimit": int(width * 0.4),
            },
        }
        rules = [{"base": -place} for place in range(len(counts))]
        layers: list[Spec] = [
            {
                "mark": {"type": "bar", "color": ACCENT, "width": {"band": 0.72}},
                "encoding": {"x": x, "y": y, "y2": {"field": "to"}},
            },
            {
                "mark": {"type": "text", "dy": -7, "color": INK, "fontSize": 11},
                "encoding": {"x": x, "y": y | {"field": "to"}, "text": {"field": "words"}},
            },
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "color": STRONG_LINE},
                "encoding": {"y": y | {"field": "base"}},
            },
        ]
        height = max(1, len(counts)) * ROW
        return {"data": {"values": values}, "layer": layers, "height": height}

    return draw(name, title, f"{title}. {_words(shares)}", build)


def _shown(counts: Mapping[str, Mapping[str, int]], answers: Sequence[str]) -> list[str]:
    totals: dict[str, int] = dict.fromkeys(answers, 0)
    for given in counts.values():
        for answer, count in given.items():
            totals[answer] = totals.get(answer, 0) + count
    if len(totals) <= MOST_ANSWERS:
        return list(totals)
    often = sorted(totals, key=lambda answer: -totals[answer])[: MOST_ANSWERS - 1]
    return [*(answer for answer in totals if answer in often), OTHERS]


def _shares(given: Mapping[str, int], shown: Sequence[str]) -> dict[str, float]:
    total = sum(given.values())
    counted = dict.fromkeys(shown, 0)
    for answer, count in given.items():
        counted[answer if answer in counted else OTHERS] += count
    return {answer: count / total if total else 0.0 for answer, count in counted.items()}


def _percent(share: float, room: float) -> str:
    if share == 0:
        return "0"
    text = "<1" if share < 0.005 else f"{share * 100:.0f}"
    return f"{text} %" if room > 44 else text


def _wrapped(answer: str, room: float) -> list[str]:
    letters = max(3, int(room / LETTER))
    lines = textwrap.wrap(answer, letters) or [answer]
    if len(lines) > 3:
        lines = [*lines[:2], shortened(" ".join(lines[2:]), letters)]
    return lines


def _lookup(words: Mapping[str, list[str]], key: str) -> str:
    """An expression of Vega that finds the lines of a label."""
    pairs = ", ".join(f"{_quoted(each)}: [{_listed(lines)}]" for each, lines in words.items())
    return f"({{{pairs}}})[{key}]"


def _listed(lines: Sequence[str]) -> str:
    return ", ".join(_quoted(line) for line in lines)


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ").replace("\r", " ")
    return f"'{plain}'"


def _words(shares: Mapping[str, Mapping[str, float]]) -> str:
    said = [
        f"{group}: " + ", ".join(f"{answer} {percent(share, 0)}" for answer, share in each.items())
        for group, each in shares.items()
    ]
    return "; ".join(said) + "."
