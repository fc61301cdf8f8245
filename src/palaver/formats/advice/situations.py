"""Situations as lines of JSON: RedditAdvice2019's own, and those that are written here.

A line has `id`, `title`, `selftext`, `subreddit` and `good_comments`, each with `id` and `body`.
Whatever else a line says is kept, so that it can be written again as it was.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.situations import Advice, Situation
from palaver.formats.datasets.content import open_content

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_OWN = frozenset(
    {"id", "title", "selftext", "subreddit", "author", "score", "created_utc", "permalink"}
    | {"notice", "good_comments"}
)
_OWN_ADVICE = frozenset({"id", "body", "author", "score", "created_utc"})


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
        more={name: value for name, value in line.items() if name not in _OWN},
    )


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
        more={name: value for name, value in comment.items() if name not in _OWN_ADVICE},
    )
