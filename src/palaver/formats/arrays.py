"""Files that are one JSON array, written entry by entry so that memory does not grow with them."""

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

_encode = msgspec.json.Encoder().encode


def write_array(entries: Iterable[msgspec.Struct], stream: BinaryIO) -> int:
    """Write the entries as one JSON array, one per line; how many."""
    count = 0
    stream.write(b"[")
    for entry in entries:
        stream.write(b",\n" if count else b"\n")
        stream.write(_encode(entry))
        count += 1
    stream.write(b"\n]\n")
    return count
