"""What a reader finds in a file, piece by piece: a record, something wrong, or something left out.

A reader that raises at the first mistake can tell of one only; these go on to the next piece.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.formats.datasets.json_stream import split_documents

_BLOCK = 1 << 18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record, and where it stands."""

    place: str
    record: Any


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that is not what the format says, and where."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Unconverted:
    """Something that the format has and a conversion does not take over."""

    place: str
    why: str


Found = FoundRecord | Mistake | Unconverted


def read_documents(
    stream: BinaryIO, name: str, read: Callable[[dict[str, Any], int], Any], *, noun: str
) -> Iterator[Found]:
    """What `read` makes of each document of an array, or of JSON lines, and its number.

    InputError where the file is not JSON: nothing behind such a place can be told apart.
    """
    number = 0
    try:
        for number, (line, raw) in enumerate(split_documents(_blocks(stream), name), start=1):
            named = f" ({raw['uuid']})" if isinstance(raw.get("uuid"), str) else ""
            place = f"{name}:{line}: {noun} {number}{named}"
            yield _found(place, read, raw, number)
    except InputError as error:
        raise InputError(f"{error} Read so far: {number} whole.") from error


def read_text_lines(
    stream: Iterable[bytes], name: str, read: Callable[[bytes, int], Any]
) -> Iterator[Found]:
    """What `read` makes of each line and its number; empty lines are skipped."""
    for number, line in enumerate(stream, start=1):
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if text.strip():
            yield _found(f"{name}:{number}", read, text, number)


def records_of(found: Iterable[Found]) -> Iterator[Any]:
    """The records alone; InputError at the first mistake."""
    for each in found:
        if isinstance(each, Mistake):
            raise InputError(str(each))
        if isinstance(each, FoundRecord):
            yield each.record


def _found(place: str, read: Callable[[Any, int], Any], raw: Any, number: int) -> Found:
    try:
        record = read(raw, number)
    except (InputError, msgspec.DecodeError, UnicodeDecodeError) as error:
        return Mistake(place, str(error))
    return (
        Unconverted(place, record.why)
        if isinstance(record, Unconverted)
        else FoundRecord(place, record)
    )


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    block = stream.read(_BLOCK).removeprefix(_BYTE_ORDER_MARK)
    while block:
        yield block
        block = stream.read(_BLOCK)
