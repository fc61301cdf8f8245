"""The bytes of a data file: unpacked where it is gzip, without a byte-order mark.

What is no data at all (a web page, a zip archive, UTF-16) is named here, before anybody tries to read
records in it.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from palaver.core.errors import InputError

Content = Path | bytes

BLOCK = 1 << 18
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_NO_DATA = {
    b"PK\x03\x04": "a zip archive; unpack it and give the file inside",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"PAR1": "a Parquet file; write it as JSON lines first",
    b"<!": "a web page; give the address of the file itself",
    b"<html": "a web page; give the address of the file itself",
}


@contextmanager
def open_content(content: Content, name: str) -> Iterator[BinaryIO]:
    """The content as a stream; InputError if it cannot be read or ends in the middle."""
    try:
        with _opened(content) as raw:
            stream = _unpacked(raw)
            head = _peek(stream, 8)
            for mark, what in _NO_DATA.items():
                if head.lower().startswith(mark) or head.startswith(mark):
                    raise InputError(f"{name} is {what}.")
            if head.startswith(_MARK):
                stream.read(len(_MARK))
            yield cast(BinaryIO, stream)
    except EOFError as error:
        raise InputError(f"{name} is cut off: its gzip content ends in the middle.") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{name} is damaged gzip: {error}.") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from error


def first_bytes(content: Content, name: str, size: int = 1 << 16) -> bytes:
    with open_content(content, name) as stream:
        return stream.read(size)


def _opened(content: Content) -> io.BufferedReader:
    if isinstance(content, bytes):
        return io.BufferedReader(cast(io.RawIOBase, io.BytesIO(content)))
    return io.BufferedReader(content.open("rb", buffering=0), BLOCK)


def _unpacked(raw: io.BufferedReader) -> io.BufferedReader:
    if raw.peek(2)[:2] != _GZIP:
        return raw
    return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw)), BLOCK)


def _peek(stream: io.BufferedReader, size: int) -> bytes:
    return stream.peek(size)[:size]
