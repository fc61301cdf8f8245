"""Studies whose raters judge, each small enough to be told in a few lines."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.houses import House, study, write_study

SAD = "I am sad today."
GOOD, BAD = "Oh no, you poor old sailor.", "I like trains."


def line(name: str, *replies: str, **given: Any) -> dict[str, Any]:
    """A dialogue in which the person says they are sad and the system replies, again and again."""
    turns = [turn for reply in replies for turn in (["user", SAD], ["system", reply])]
    return {"id": name, "turns": turns, **given}


def training() -> dict[str, Any]:
    """Three rounds of two turns each: the first is empathetic, the second is not."""
    rounds = [
        {
            "id": f"round-{n}",
            "turns": [
                {"user": SAD},
                {"system": GOOD, "answer": {"empathy": "empathetic"}, "why": f"It cares, {n}."},
                {"user": SAD},
                {"system": BAD, "answer": {"empathy": "not_empathetic"}, "why": f"Trains, {n}."},
            ],
        }
        for n in (1, 2, 3)
    ]
    return {
        "question": "empathy",
        "pass": {"rounds": [3], "mistakes": 0},
        "introduction": "Look for care.",
        "rounds": rounds,
    }


def gold(name: str) -> dict[str, Any]:
    """A dialogue whose one right answer is known."""
    right = {"empathy": "empathetic"}
    return {"id": name, "turns": [["user", SAD], ["system", GOOD, right, None]]}


def rating(data: str = "data.jsonl", **given: Any) -> dict[str, Any]:
    """A study that only judges what a file lists."""
    return {
        "title": "Judge",
        "consent": {"version": "1", "text": "Do you agree?"},
        "pay": {"amount": 1.0, "currency": "GBP"},
        "stages": [{"rate": {"ask": ["empathy"], "data": data, **given}}],
    }


READS = {
    "kind": "likert",
    "text": "Please choose 4 here.",
    "expected": 4,
}

STUDIES: dict[str, dict[str, Any]] = {
    "judged-twice": rating(raters=2, order="file"),
    "two-questions": rating(ask=["empathy", "quality_likert", "grammatical_likert"], per_visit=1),
    "pairs": rating("pairs.jsonl", ask=["quality_comparative"], raters=8),
    "pairs-stopping": rating("pairs.jsonl", ask=["quality_comparative"], raters=8),
    "golden": rating(
        "many.jsonl", gold={"file": "gold.jsonl", "after": 1, "on_fail": "bar"}, order="file"
    ),
    "attentive": rating(
        "many.jsonl", attention={"ask": ["reads"], "after": 1, "on_fail": "bar"}, order="file"
    )
    | {"questions": {"reads": READS}},
    "screened": {
        **rating("many.jsonl"),
        "stages": [
            {"screen": {"training": "training.json", "ask": "empathy"}},
            {"rate": {"ask": ["empathy"], "data": "many.jsonl", "per_visit": 1, "raters": 9}},
        ],
    },
    "two-tries": {
        **rating("many.jsonl"),
        "stages": [
            {"screen": {"training": "training.json", "attempts": 2, "at_most": 2}},
            {"rate": {"ask": ["empathy"], "data": "many.jsonl", "per_visit": 1, "raters": 9}},
        ],
    },
    "short-limit": rating(time_limit=3600, order="file"),
    "chatters": study({"turns": {"exactly": 2}, "conditions": "tern"}, instructions=None),
    "judge-chatters": {
        **rating(),
        "stages": [{"rate": {"ask": ["empathy"], "from": "chatters"}}],
    },
    "silent": study({"turns": {"exactly": 2}, "conditions": "tern"}),
    "judge-silent": {**rating(), "stages": [{"rate": {"ask": ["empathy"], "from": "silent"}}]},
    "own-questions": study(
        {"arrangement": "paired", "turns": {"exactly": 2}, "conditions": "plover|tern"},
        stages=[
            {
                "chat": {
                    "pace": None,
                    "arrangement": "paired",
                    "turns": {"exactly": 2},
                    "conditions": "plover|tern",
                    "online": {"ask": "thumbs", "required": True},
                }
            },
            {
                "rate": {
                    "ask": ["quality_likert", "preference", "overall_comment"],
                    "when": "after_each",
                }
            },
        ],
    ),
}

FILES: Mapping[str, Sequence[Any]] = {
    "data.jsonl": [line("one", GOOD), line("two", BAD)],
    "many.jsonl": [line(f"d{n}", GOOD) for n in range(6)],
    "gold.jsonl": [gold("g1"), gold("g2")],
    "pairs.jsonl": [{"id": "p", "pair": [line("left", GOOD), line("right", BAD)]}],
}


def build_judging_house(folder: Path, url: str) -> House:
    """All of them, written with the files they name."""
    for name, definition in STUDIES.items():
        here = write_study(folder / "studies" / name, definition)
        for file, lines in FILES.items():
            text = "".join(json.dumps(each) + "\n" for each in lines)
            (here / file).write_text(text, encoding="utf-8")
        (here / "training.json").write_text(json.dumps(training()), encoding="utf-8")
    return House(folder / "studies", folder / "home", url)
