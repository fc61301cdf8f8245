"""Where JSON documents begin and end in a stream of blocks, whatever line breaks stand between.

Only braces, brackets and texts are followed; what stands inside a document is decoded by msgspec. An
array at the top is taken apart into its elements, so that it need not fit into memory.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from palaver.core.errors import InputError

# Up to the next brace or bracket, whole texts included; a text that does not end here stops it.
_OUTSIDE = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")*+(["{}\[\]])')
_INSIDE = re.compile(rb'(["\\\n])')
_BETWEEN = re.compile(rb"[\s,]*")
_SPACE = re.compile(rb"\s*")
_ID = re.compile(rb'"(?:uid|id)"\s*:\s*(?:"([^"]*)"|(-?\d+))')
_NOT_A_NUMBER = re.compile(rb"[:,\[]\s*-?(NaN|Infinity)\b")
_SHOWN = 40

_decode = msgspec.json.Decoder().decode


def split_documents(
    blocks: Iterable[bytes], name: str, *, first_line: int = 1, odd_numbers: bool = False
) -> Iterator[tuple[int, Any]]:
    """Each document with the line it begins in; the elements of an array one by one.

    With `odd_numbers` NaN and Infinity, which Python writes and JSON does not know, are read, for
    whoever refuses them by the key they stand under.
    """
    splitter = _Splitter(name, first_line, odd_numbers=odd_numbers)
    for block in blocks:
        yield from splitter.feed(block)
    splitter.finish()


def with_odd_numbers(text: bytes) -> Any:
    """The document in which NaN or Infinity stands for a number; None if that is not what is wrong."""
    if not _NOT_A_NUMBER.search(text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def broken(name: str, line: int, text: bytes, error: Exception) -> InputError:
    """The error that names a document that is not JSON."""
    found = _ID.search(text)
    known = f" (id {(found[1] or found[2]).decode('utf-8', 'replace')})" if found else ""
    if isinstance(error, RecursionError):
        return InputError(f"{name}:{line}: nested too deeply{known}.")
    reason = re.sub(r" \(byte \d+\)$", "", str(error).removeprefix("JSON is malformed: "))
    if number := _NOT_A_NUMBER.search(text):
        reason = f"{number[1].decode()} is not a number; write null where there is none"
    cut = text.strip()[-1:] not in b"}]" or "truncated" in reason or "ends inside" in reason
    hint = " It looks cut off." if cut else ""
    return InputError(f"{name}:{line}: not JSON{known}: {reason}.{hint}")


class _Splitter:
    """What is known between two blocks: the bytes from `start` on are not given out yet."""

    def __init__(self, name: str, line: int, *, odd_numbers: bool = False) -> None:
        self.name = name
        self.odd_numbers = odd_numbers
        self.line = line  # where `start` stands
        self.buffer = bytearray()
        self.start = 0
        self.at = 0  # how far the buffer was looked at
        self.depth = 0
        self.in_text = False
        self.in_array = False
        self.closed = False  # the array at the top has ended

    def feed(self, block: bytes) -> Iterator[tuple[int, Any]]:
        """The documents that end in this block."""
        del self.buffer[: self.start]
        self.at -= self.start
        self.start = 0
        self.buffer += block
        while (self.depth or self._enter()) and self._reach_end():
            text = bytes(self.buffer[self.start : self.at])
            yield self.line, self._decoded(text)
            self._move(self.at)

    def finish(self) -> None:
        """InputError if the content ends inside a document."""
        if self.depth:
            wrong = ValueError("the file ends inside this record")
            raise broken(self.name, self.line, bytes(self.buffer[self.start :]), wrong)
        if self.in_array and not self.closed:
            raise InputError(f"{self.name}:{self.line}: the array that begins the file never ends.")

    def _enter(self) -> bool:
        """Go to the beginning of the next document; False if it is not here yet."""
        while True:
            found = (_BETWEEN if self.in_array else _SPACE).match(self.buffer, self.start)
            self._move(found.end() if found else self.start)
            first = self.buffer[self.start : self.start + 1]
            if not first:
                return False
            if self.closed:
                raise InputError(f"{self._here()}: {self._shown()} follows the end of the array.")
            if first == b"{":
                self.at, self.depth = self.start + 1, 1
                return True
            if first == b"[" and not self.in_array:
                self.in_array = True
            elif first == b"]" and self.in_array:
                self.closed = True
            else:
                raise InputError(f"{self._here()}: expected a JSON object; got {self._shown()}.")
            self._move(self.start + 1)

    def _move(self, to: int) -> None:
        self.line += self.buffer.count(b"\n", self.start, to)
        self.start = self.at = to

    def _reach_end(self) -> bool:
        """Go behind the end of the document; False if it is not here yet."""
        while True:
            if self.in_text:
                found = _INSIDE.search(self.buffer, self.at)
            else:
                found = _OUTSIDE.match(self.buffer, self.at)
            if found is None:
                self.at = len(self.buffer)
                return False
            mark, self.at = found[1], found.end()
            if mark == b"\\":
                if self.at == len(self.buffer):
                    self.at -= 1  # what it escapes comes with the next block
                    return False
                self.at += 1
            elif mark == b"\n":
                line = self.line + self.buffer.count(b"\n", self.start, self.at - 1)
                wrong = ValueError("a text does not end on its line")
                raise broken(self.name, line, bytes(self.buffer[self.start : self.at]), wrong)
            elif mark == b'"':
                self.in_text = not self.in_text
            else:
                self.depth += 1 if mark in b"{[" else -1
                if not self.depth:
                    return True

    def _decoded(self, text: bytes) -> Any:
        try:
            return _decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            odd = with_odd_numbers(text) if self.odd_numbers else None
            if odd is not None:
                return odd
            raise broken(self.name, self.line, text, error) from None

    def _here(self) -> str:
        return f"{self.name}:{self.line}"

    def _shown(self) -> str:
        text = bytes(self.buffer[self.start : self.start + _SHOWN]).splitlines()[0]
        return f"'{text.decode('utf-8', 'replace')}'"
