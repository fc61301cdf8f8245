"""Situations with two pieces of advice each, as lines of pairs, and a study that has them judged."""

import json
from pathlib import Path
from typing import Any

TITLE = "My <b>housemate</b> bent my wheel 🚲 *and* says it was so"
SITUATION = """She borrowed my bike and the back wheel came back **bent**.

- A repair is 85 euro.
- We have another year on the contract.

How do I bring it up, number {number}?"""
ADVICE = {
    "people": "Show her the receipt **first**, then offer a split. (P{number})",
    "tern": "Honesty is the basis of every relationship. (T{number})",
}


def side(number: int, system: str, *, long: bool = False) -> dict[str, Any]:
    """One of the two dialogues of a line: a title, a text, and a piece of advice."""
    advice = ADVICE[system].format(number=number)
    if long:
        advice = "\n\n".join(
            [advice, *(f"Point {n}: " + "be patient and kind. " * 16 for n in range(24))]
        )
    return {
        "id": f"s{number}/{system}",
        "system": system,
        "turns": [
            ["user", TITLE],
            ["user", SITUATION.format(number=number)],
            ["system", advice],
        ],
    }


def write_pairs(
    path: Path, count: int, *, notices: dict[int, str] | None = None, long: bool = False
) -> None:
    """So many situations, each with the advice of people and of a model."""
    lines = [
        {
            "id": f"s{number}/tern",
            "group": f"s{number}",
            "pair": [side(number, "people"), side(number, "tern", long=long)],
            "notice": (notices or {}).get(number, ""),
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def judging(**rate: Any) -> dict[str, Any]:
    """A study whose raters compare two pieces of advice."""
    given = {
        "data": "pairs.jsonl",
        "layout": "texts",
        "ask": ["advice_better", "advice_worse", "advice_comment"],
        **rate,
    }
    return {
        "title": "Which advice helps more?",
        "consent": {"version": "1", "text": "Do you agree?"},
        "pay": {"amount": 1.0, "currency": "GBP"},
        "minutes": 5,
        "stages": [{"rate": given}],
    }
