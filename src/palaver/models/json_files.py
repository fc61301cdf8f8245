"""Files of JSON as training reads them: an array, or one value after the other, plain or packed."""

import gzip
import json
import re
import zlib
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError

_NEXT = re.compile(r"\S")


def json_records(path: Path, *, what: str = "a file of chats") -> list[Any]:
    """The values of a file: those of its array, or one after the other; InputError where it is cut
    off, mixed up or missing."""
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error}).") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    text = text.removeprefix("\ufeff")
    try:
        if text.lstrip()[:1] == "[":
            return list(json.loads(text))
        # From one object to the next in the whole text, so that an error names its line.
        found, end, decoder = [], 0, json.JSONDecoder()
        while start := _NEXT.search(text, end):
            value, end = decoder.raw_decode(text, start.start())
            found.append(value)
        return found
    # ValueError: malformed, or a number of more digits than Python reads.
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not {what}: expected a JSON array, or an object per line ({error})."
        ) from error
