"""Situations as lines of JSON: RedditAdvice2019's own, and those that are written here.

A line has `id`, `title`, `selftext`, `subreddit` and `good_comments`, each with `id` and `body`.
Whatever else a line says is kept, so that it can be written again as it was: with the fields in the
order of RedditAdvice2019, others after them, and spaced and escaped as Python writes JSON.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.situations import Advice, Situation
from palaver.formats.datasets.content import open_content

_decode = msgspec.json.Decoder(dict[str, Any]).decode
# The fields of a line and of a comment in their order, and which attribute of ours holds which.
SITUATION_FIELDS = (
    *("created_utc", "subreddit", "author", "num_comments", "score", "upvote_ratio", "title"),
    *("selftext", "id", "gilded", "retrieved_on", "permalink", "notice", "good_comments", "split"),
    "tokens",
)
ADVICE_FIELDS = (
    *("created_utc", "subreddit", "author", "parent_id", "link_id", "score", "body", "id"),
    *("gilded", "retrieved_on"),
)
_OWN = {
    "id": "id",
    "title": "title",
    "selftext": "text",
    "subreddit": "subreddit",
    "author": "author",
    "score": "score",
    "created_utc": "created",
    "permalink": "permalink",
    "notice": "notice",
}
_OWN_ADVICE = {
    "id": "id",
    "body": "body",
    "author": "author",
    "score": "score",
    "created_utc": "created",
}


def read_situations(path: Path) -> Iterator[Situation]:
    """The situations of a file, packed or not; InputError names the line that is wrong."""
    with open_content(path, path.name) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield situation_of(_decode(line))
            except (msgspec.DecodeError, InputError) as error:
                raise InputError(f"{path.name}, line {number}: {error}") from error


def write_situations(path: Path, situations: Iterable[Situation]) -> int:
    """Write situations, and put the file in its place when all are written; how many there are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside, count = path.with_name(f".{path.name}.new"), 0
    with beside.open("w", encoding="ascii", newline="\n") as out:
        for situation in situations:
            out.write(json_text(line_of(situation)) + "\n")
            count += 1
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    return count


def json_text(line: Mapping[str, Any]) -> str:
    """A line as RedditAdvice2019 writes it: ASCII, with spaces after commas and colons."""
    return json.dumps(line)


def situation_of(line: Mapping[str, Any]) -> Situation:
    """What a line says; InputError if it is no situation."""
    for name in ("id", "title", "selftext"):
        if not isinstance(line.get(name), str):
            raise InputError(f"'{name}' must be a text; got {line.get(name)!r}.")
    given = line.get("good_comments", [])
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError("'good_comments' must be a list of comments.")
    return Situation(
        id=line["id"],
        title=line["title"],
        text=line["selftext"],
        subreddit=str(line.get("subreddit") or ""),
        author=line.get("author"),
        score=line.get("score"),
        created=line.get("created_utc"),
        permalink=str(line.get("permalink") or ""),
        notice=str(line.get("notice") or ""),
        advice=tuple(_advice(each) for each in given),
        more=_more(line, {*_OWN, "good_comments"}),
    )


def line_of(situation: Situation) -> dict[str, Any]:
    """A situation as a line says it: the inverse of `situation_of`."""
    told = _told(situation, _OWN) | dict(situation.more)
    told["good_comments"] = [
        _in_order(_told(each, _OWN_ADVICE) | dict(each.more), ADVICE_FIELDS)
        for each in situation.advice
    ]
    return _in_order(told, SITUATION_FIELDS)


def _advice(comment: Mapping[str, Any]) -> Advice:
    for name in ("id", "body"):
        if not isinstance(comment.get(name), str):
            raise InputError(f"'{name}' of a comment must be a text; got {comment.get(name)!r}.")
    return Advice(
        id=comment["id"],
        body=comment["body"],
        author=comment.get("author"),
        score=comment.get("score"),
        created=comment.get("created_utc"),
        more=_more(comment, _OWN_ADVICE),
    )


def _more(line: Mapping[str, Any], own: Iterable[str]) -> dict[str, Any]:
    """What a record has no place for, also fields of its own that are there without a value."""
    has_place = frozenset(own)
    return {
        name: value for name, value in line.items() if name not in has_place or value in (None, "")
    }


def _told(record: Situation | Advice, own: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a record; what is empty is left out unless it must be there."""
    values = {name: getattr(record, attribute) for name, attribute in own.items()}
    needed = {"id", "title", "selftext", "body"}
    return {
        name: value for name, value in values.items() if name in needed or value not in (None, "")
    }


def _in_order(told: Mapping[str, Any], order: Iterable[str]) -> dict[str, Any]:
    return {name: told[name] for name in order if name in told} | dict(told)
