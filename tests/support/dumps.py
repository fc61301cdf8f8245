"""Dumps for tests: posts and comments with everything that a line needs, and files of them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

NOW = 1_600_000_000
DAY = 86_400
ASKED = "My friend of many years borrowed my car and brought it back with a large dent in the door."
ADVISED = (
    "Ask for the costs in writing, stay friendly, and give a date by which you would like them."
)


def post(id: str, **given: Any) -> dict[str, Any]:
    """A post that the training set takes."""
    return {
        "id": id,
        "title": "What should I do?",
        "selftext": ASKED,
        "subreddit": "Advice",
        "author": "asker",
        "score": 50,
        "num_comments": 7,
        "created_utc": NOW - 3 * DAY,
        "retrieved_on": NOW,
        "gilded": 0,
        "stickied": False,
        **given,
    }


def comment(id: str, on: str, **given: Any) -> dict[str, Any]:
    """A comment on a post that the training set takes."""
    return {
        "id": id,
        "link_id": f"t3_{on}",
        "parent_id": f"t3_{on}",
        "body": ADVISED,
        "subreddit": "Advice",
        "author": "adviser",
        "score": 30,
        "created_utc": NOW - 2 * DAY,
        "retrieved_on": NOW,
        "gilded": 0,
        "stickied": False,
        **given,
    }


def long_post(id: str, **given: Any) -> dict[str, Any]:
    """A post that a test set takes: long enough, with the share of its upvotes."""
    text = " ".join(["My landlord keeps the deposit although the flat was clean."] * 16)
    return post(id, **({"selftext": text, "upvote_ratio": 0.9} | given))


def long_comment(id: str, on: str, **given: Any) -> dict[str, Any]:
    """A comment that may be best advice."""
    return comment(id, on, **({"body": f"{ADVISED} {ADVISED}", "edited": False} | given))


def write_dump(path: Path, records: Iterable[Mapping[str, Any] | str]) -> Path:
    """Write records as lines; texts are written as they are."""
    lines = (each if isinstance(each, str) else json.dumps(each) for each in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
