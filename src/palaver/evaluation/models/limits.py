"""What a model may be called, and what may be told about it."""

import re
from collections.abc import Sequence

from palaver.core.errors import InputError

LONGEST_NAME = 62
MOST_ABOUT = 2000
MOST_LINK = 500
MOST_TAGS = 30
MOST_TAG = 60
_NAME = re.compile(r"[a-z0-9-]+")


def check_name(name: str) -> str:
    """The name; InputError if it is not one."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise InputError(
            f"A model's name takes lower-case letters, digits and '-', at most {LONGEST_NAME} "
            f"characters; got '{name[:80]}'."
        )
    return name


def check_told(
    *, about: str | None = None, link: str | None = None, tags: Sequence[str] | None = None
) -> None:
    """Raise InputError unless this may be told about a model; None is not told."""
    if about is not None and len(about) > MOST_ABOUT:
        raise InputError(
            f"'about' has at most {MOST_ABOUT:,} characters; got {len(about):,}. Put the rest "
            "behind the link."
        )
    check_link(link or "")
    if tags is not None and len(tags) > MOST_TAGS:
        raise InputError(f"A model has at most {MOST_TAGS} tags; got {len(tags)}.")
    for tag in tags or ():
        if not tag.strip() or len(tag) > MOST_TAG:
            raise InputError(f"A tag has 1 to {MOST_TAG} characters; got '{tag[:80]}'.")


def check_link(link: str) -> None:
    """Raise InputError unless a link is empty or one that a browser may follow from here."""
    if link and not link.startswith(("http://", "https://")):
        raise InputError(f"A link begins with https:// or http://; got '{link[:60]}'.")
    if len(link) > MOST_LINK:
        raise InputError(f"A link has at most {MOST_LINK} characters; got {len(link):,}.")
