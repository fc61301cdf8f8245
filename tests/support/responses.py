"""Outputs of made-up systems in CoCoA's files, and the studies that have them judged."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SAID = {
    "rule": "i could go down a little , when can you come ?",
    "neural": "i i the lamp of of the .",
}
REFERENCE = ["<go-s>", "i", "could", "do", ["$90", [90, "price"]], ".", "it", "'s", "new"]


def output(number: int, response: Sequence[Any], **given: Any) -> dict[str, Any]:
    """One entry of outputs.json: a buyer asks for a lamp with this number."""
    return {
        "ex_id": f"C_{number:02}",
        "prev_turns": [
            ["<go-b>", "hello", "!"],
            ["<go-b>", "is", "lamp", str(number), "still", "there", "?"],
            ["<go-s>", "yes", ",", "it", "is", "."],
            ["<go-b>", "would", "you", "take", ["80", [80, "price"]], "?", "</s>"],
        ],
        "reference": [*REFERENCE, f"r{number}"],
        "response": ["<go-s>", *response, "</s>"],
        **given,
    }


def write_outputs(
    folder: Path, count: int, said: Mapping[str, str] | None = None
) -> dict[str, Path]:
    """A file of outputs for each system, with so many contexts; each response has its number."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for system, words in (said or SAID).items():
        entries = [output(n, [*words.split(), f"no{n}"]) for n in range(count)]
        found[system] = folder / f"{system}.json"
        found[system].write_text(json.dumps(entries), encoding="utf-8")
    return found


def judging(**rate: Any) -> dict[str, Any]:
    """A study whose raters judge responses."""
    given = {"data": "outputs/*.json", "format": "cocoa-outputs", **rate}
    return {
        "title": "Which message fits?",
        "consent": {"version": "1", "text": "Do you agree?"},
        "pay": {"amount": 1.0, "currency": "GBP"},
        "minutes": 5,
        "stages": [{"rate": given}],
    }
