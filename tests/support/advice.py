"""Rounds of advice to try things on: made-up situations, answers of made-up models, a study."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from palaver.formats.advice.answers import write_answers
from support.houses import write_study

ASK = ["advice_better", "advice_worse", "advice_comment"]
SUBREDDITS = ("relationships", "legaladvice", "Advice", "techsupport")


def situation(number: int, *, advice: int = 3, **given: Any) -> dict[str, Any]:
    """A line of a file of situations; its best advice is the last one."""
    return {
        "id": f"s{number:02}",
        "subreddit": SUBREDDITS[number % len(SUBREDDITS)],
        "title": f"What about boiler {number}? 🔥 <b>&</b>",
        "selftext": f"It has been cold for {number} days.",
        "good_comments": [
            {"id": f"s{number:02}-{n}", "body": f"People's advice {number}.{n}.", "score": 10 * n}
            for n in range(1, advice + 1)
        ],
        **given,
    }


def write_situations(path: Path, lines: list[dict[str, Any]]) -> Path:
    """A file of situations."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def write_round(
    folder: Path,
    count: int = 4,
    models: tuple[str, ...] = ("heron", "snipe"),
    *,
    study: Mapping[str, Any] | None = None,
    **rate: Any,
) -> Path:
    """The folder of a round whose models have answered everything."""
    write_situations(folder / "situations.jsonl", [situation(n) for n in range(count)])
    for model in models:
        said = {f"s{n:02}": f"{model} on boiler {n}" for n in range(count)}
        write_answers(folder / "answers", model, said)
    return write_study(folder, {**judging(**rate), **(study or {})})


def judging(**rate: Any) -> dict[str, Any]:
    """A study whose raters judge advice."""
    given = {
        "format": "advice",
        "situations": "situations.jsonl",
        "data": "answers/*.jsonl",
        "ask": ASK,
        **rate,
    }
    return {
        "title": "Which advice helps more?",
        "name": "round",
        "consent": {"version": "1", "text": "Do you agree?"},
        "pay": {"amount": 1.0, "currency": "GBP"},
        "minutes": 5,
        "stages": [{"rate": given}],
    }
