"""Files of JSON: one document per line, with errors that name the line, or one array."""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TypeVar

import msgspec

from palaver.core.errors import InputError

T = TypeVar("T")

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_encode = msgspec.json.Encoder().encode


def read_lines(
    stream: BinaryIO | Iterable[bytes], decode: Callable[[bytes], T], *, name: str
) -> Iterator[tuple[int, T]]:
    """Each line's number and document; empty lines are skipped.

    InputError names the file and the line where the first wrong document stands.
    """
    for number, line in enumerate(stream, start=1):
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if text.isspace() or not text:
            continue
        try:
            yield number, decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise at_line(name, number, str(error)) from error


def at_line(name: str, number: int, message: str) -> InputError:
    """The error that says what is wrong with a line."""
    return InputError(f"{name}:{number}: {message}")


def write_array(entries: Iterable[msgspec.Struct], stream: BinaryIO) -> int:
    """Write the entries as one JSON array, one per line, without holding them all; how many."""
    count = 0
    stream.write(b"[")
    for entry in entries:
        stream.write(b",\n" if count else b"\n")
        stream.write(_encode(entry))
        count += 1
    stream.write(b"\n]\n")
    return count
