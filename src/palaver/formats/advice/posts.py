"""Posts and comments as dumps write them: only the fields that matter, whatever else a line says.

A first look reads four short fields; most lines of a dump are not read further. Numbers may be
written as texts, and any field may be missing.
"""

from math import isfinite
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

# Who has left Reddit.
NOBODY = frozenset({None, "", "[deleted]", "[removed]"})
Given = int | float | str | None


class FirstLook(msgspec.Struct, gc=False):
    """What decides about most lines; only comments have a `link_id`."""

    subreddit: str | None = None
    score: Given = None
    link_id: str | None = None
    created_utc: Given = None


class DumpPost(msgspec.Struct, omit_defaults=True):
    """A post that is looked into."""

    id: str
    title: str
    selftext: str | None = None
    subreddit: str = ""
    author: str | None = None
    score: Any = None
    num_comments: Any = None
    created_utc: Any = None
    retrieved_on: Any = None
    retrieved_utc: Any = None
    gilded: Any = None
    stickied: bool | None = None
    pinned: bool | None = None
    upvote_ratio: Any = None
    permalink: str | None = None
    tokens: Raw | UnsetType = UNSET

    @property
    def text(self) -> str:
        """What is asked; empty where the post is a link or a picture."""
        return self.selftext or ""


class DumpComment(msgspec.Struct, omit_defaults=True):
    """A comment that is looked into; `link_id` is its post, `parent_id` what it answers."""

    id: str
    link_id: str
    body: str | None = None
    parent_id: Any = None
    subreddit: str = ""
    author: str | None = None
    score: Any = None
    created_utc: Any = None
    retrieved_on: Any = None
    retrieved_utc: Any = None
    gilded: Any = None
    stickied: bool | None = None
    score_hidden: bool | None = None
    edited: Any = None
    tokens: Raw | UnsetType = UNSET

    @property
    def text(self) -> str:
        """What is advised."""
        return self.body or ""


def bare_id(name: Any) -> str:
    """An id without the prefix that says what it is of.

    >>> bare_id("t3_abc"), bare_id("abc")
    ('abc', 'abc')
    """
    text = "" if name is None else str(name)
    return text[3:] if text[:1] == "t" and text[2:3] == "_" else text


def number_in(given: Any) -> float | None:
    """A number, also one that is written as a text; None for everything else.

    >>> number_in("12"), number_in(None), number_in("many")
    (12.0, None, None)
    """
    if isinstance(given, bool | int | float):
        return float(given) if isfinite(given) else None
    try:
        found = float(given)
    except (TypeError, ValueError):
        return None
    return found if isfinite(found) else None


def whole_number_in(given: Any) -> int | None:
    """A whole number, as fields of the data set have them; None where there is no number."""
    found = number_in(given)
    return None if found is None else int(found)
