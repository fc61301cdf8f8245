"""Why Prolific did not do something, as one sentence and one kind of error.

Its errors come in at least three shapes: an object `error` with a title and details that are a text, a
list or an object; an object with `message` and `detail`; and whatever a proxy in between writes.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from palaver.core.errors import (
    PanelBusyError,
    PanelError,
    PanelMissingError,
    PanelRefusedError,
    PanelTokenError,
    PanelUnknownError,
    PanelUnreachableError,
)
from palaver.crowds.prolific.fields import plain_line

MOST_WORDS = 500
_DEEPEST = 4
UNKNOWN = (
    "Whether it happened is not known, and it is not tried again by itself. Look at Prolific first."
)


def refusal(
    status: int, content: bytes, *, wanted: str, changes: bool, wait: float | None, token: str
) -> PanelError:
    """The error for an answer that is not a success; `wanted` is what was asked: "publish study x"."""
    words = words_of(content, token)
    said = f" It says: {words}" if words else ""
    if status in (401, 403):
        return PanelTokenError(
            f"Prolific does not accept the token for this ({status}: {wanted}); nothing was changed."
            f"{said} Check the token at Prolific under Settings, API tokens, and enter it again."
        )
    if status == 404:
        return PanelMissingError(
            f"Prolific has nothing by this id ({wanted}); nothing was changed. It was deleted over "
            f"there, or it belongs to another workspace.{said}"
        )
    if status == 429:
        later = f"in {wait:,.0f} seconds" if wait is not None else "in a few minutes"
        return PanelBusyError(
            f"Prolific takes no more requests for now ({wanted}); nothing was changed. "
            f"Try again {later}.",
            wait=wait,
        )
    if status >= 500 and changes:
        return PanelUnknownError(f"Prolific failed over this ({status}: {wanted}).{said} {UNKNOWN}")
    if status >= 500:
        return PanelUnreachableError(
            f"Prolific fails at the moment ({status}: {wanted}); nothing was changed.{said} "
            "Try again in a few minutes."
        )
    why = words or f"it gave no reason (status {status})."
    return PanelRefusedError(f"Prolific refused ({wanted}); nothing was changed. It says: {why}")


def words_of(content: bytes, token: str = "") -> str:
    """What an error says, in one line; "" where it says nothing. A token in it is left out."""
    text = content[:100_000].decode("utf-8", errors="replace")
    try:
        found = list(dict.fromkeys(_sentences(json.loads(text))))
    except (ValueError, RecursionError):
        # A page of some proxy says nothing that helps.
        found = [] if "<" in text else [text]
    line = plain_line(" ".join(each for each in found if each), MOST_WORDS)
    if token:
        line = line.replace(token, "…")
    return line if not line or line.endswith((".", "!", "?", "…")) else f"{line}."


def _sentences(raw: Any) -> Iterator[str]:
    error = raw.get("error") if isinstance(raw, Mapping) else None
    if isinstance(error, Mapping):
        yield from _part("", error.get("title"))
        yield from _part("", error.get("detail"))
        yield from _part("", error.get("additional_information"))
    elif isinstance(raw, Mapping) and ("message" in raw or "detail" in raw):
        yield from _part("", raw.get("message"))
        yield from _part("", raw.get("detail"))
    else:
        yield from _part("", raw)


def _part(name: str, told: Any, depth: int = 0) -> Iterator[str]:
    """What a detail says, with the names of the fields that it is about."""
    if told is None or depth > _DEEPEST:
        return
    if isinstance(told, Mapping):
        for key, inner in told.items():
            yield from _part(f"{name}.{key}" if name else str(key), inner, depth + 1)
    elif isinstance(told, list):
        for inner in told:
            yield from _part(name, inner, depth + 1)
    elif str(told).strip():
        text = str(told).strip()
        ended = text if text.endswith((".", "!", "?", ":")) else f"{text}."
        yield f"{name}: {ended}" if name else ended


def wait_of(header: str | None, now: float) -> float | None:
    """How many seconds a Retry-After asks for; None where it is missing or not to be read."""
    told = (header or "").strip()
    if told.isascii() and told.isdecimal():
        return float(told[:9])
    try:
        until: datetime = parsedate_to_datetime(told)
        return max(0.0, until.timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None
