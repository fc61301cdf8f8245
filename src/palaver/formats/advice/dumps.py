"""The lines of dumps, packed with gzip or Zstandard or not at all, a block at a time.

Files are told apart by their first bytes, not by their names. A packed file that ends in the middle
is refused, unless the caller keeps a list of damages: then its whole lines count.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from palaver.core.errors import InputError, MissingExtraError

# Reddit's dumps are packed with the largest window that Zstandard knows.
LARGEST_WINDOW = 2**31
# A line that is longer is no post; it counts as broken.
LONGEST_LINE = 1 << 24
BLOCK = 1 << 20
PACKED_BLOCK = 1 << 16

_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_NO_DUMP = {
    b"PK\x03\x04": "a zip archive; unpack it and give the files inside",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"<!": "a web page; give the file itself",
    b"<html": "a web page; give the file itself",
}


class _Unpacker(Protocol):
    """What zlib and zstandard unpack one stream or frame with."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def check_dump(path: Path) -> None:
    """InputError if a file cannot be read at all: what takes long is not begun in vain."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file. Write the dump to a file first.")
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    for mark, what in _NO_DUMP.items():
        if head.lower().startswith(mark.lower()):
            raise InputError(f"{path} is {what}.")
    if _is_zstd(head):
        _zstandard()


def dump_lines(path: Path, *, damages: list[str] | None = None) -> Iterator[list[bytes]]:
    """The lines of a dump, some at a time, without their ends.

    Where a packed file is cut off or damaged: InputError, or, with a list of `damages`, a sentence in
    that list and the end of the lines.
    """
    rest, seen = b"", 0
    try:
        for block in _blocks(path):
            lines = block.split(b"\n")
            if len(lines) == 1:
                rest = rest if len(rest) > LONGEST_LINE else rest + block
                continue
            lines[0] = rest + lines[0]
            rest = lines.pop()
            seen += len(lines)
            yield lines
    except _Damage as damage:
        told = f"{path} is damaged after line {seen:,}: {damage}."
        if damages is None:
            hint = "Fetch it again, or take its whole lines with --partial."
            raise InputError(f"{told} {hint}") from damage
        damages.append(told)
        return
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if rest:
        yield [rest]


class _Damage(Exception):
    """Why packed content cannot be unpacked to its end."""


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as stream:
        head = stream.read(4)
        stream.seek(len(_MARK) if head.startswith(_MARK) else 0)
        if head.startswith(_GZIP):
            yield from _unpacked(_read(stream.read, PACKED_BLOCK), _new_gzip, zlib.error)
        elif _is_zstd(head):
            library = _zstandard()
            new = library.ZstdDecompressor(max_window_size=LARGEST_WINDOW).decompressobj
            yield from _unpacked(_read(stream.read, PACKED_BLOCK), new, library.ZstdError)
        else:
            yield from _read(stream.read, BLOCK)


def _read(read: Callable[[int], bytes | None], size: int) -> Iterator[bytes]:
    while block := read(size):
        yield block


def _unpacked(
    blocks: Iterator[bytes], new: Callable[[], _Unpacker], failure: type[Exception]
) -> Iterator[bytes]:
    """What packed blocks hold; streams or frames that follow each other are one file."""
    unpacker, is_open = new(), False
    for packed in blocks:
        while packed:
            if not is_open:
                unpacker, is_open = new(), True
            try:
                content = unpacker.decompress(packed)
            except failure as error:
                raise _Damage(f"its content cannot be unpacked ({error})") from error
            if content:
                yield content
            if not unpacker.eof:
                break
            # Padding of zeros may stand behind a gzip stream.
            packed, is_open = unpacker.unused_data.lstrip(b"\0"), False
    if is_open:
        raise _Damage("its packed content ends in the middle")


def _new_gzip() -> _Unpacker:
    return zlib.decompressobj(wbits=31)


def _is_zstd(head: bytes) -> bool:
    # A frame, or one to be skipped, with which packers of several threads begin.
    return head[:4] == _ZSTD or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F)


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("Reading .zst files", "advice") from error
    return zstandard
