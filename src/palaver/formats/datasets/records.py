"""Records out of JSON as people write it: one per line, pretty-printed, or one array.

Lines are decoded as they come, which is fast. A file whose first line is no whole document is taken
apart by `json_stream`, which follows braces and texts and therefore finds the end of every record,
also of the last one, wherever line breaks stand.
"""

from collections.abc import Iterator
from io import BufferedReader
from itertools import chain
from typing import Any, BinaryIO, cast

import msgspec

from palaver.core.errors import InputError
from palaver.formats.datasets.content import BLOCK, Content, open_content
from palaver.formats.datasets.json_stream import broken, split_documents

Record = dict[str, Any]

_decode = msgspec.json.Decoder().decode


def read_records(content: Content, name: str) -> Iterator[tuple[int, Record]]:
    """Each JSON object of the content with the line it begins in, none of them lost.

    InputError names the file, the line and, where it is known, the id of a record that is broken.
    """
    with open_content(content, name) as stream:
        for line, record in _documents(stream, name):
            if not isinstance(record, dict):
                given = repr(record) if len(repr(record)) <= 60 else f"{record!r:.59}…"
                raise InputError(f"{name}:{line}: expected a JSON object; got {given}.")
            yield line, record


def _documents(stream: BinaryIO, name: str) -> Iterator[tuple[int, Any]]:
    """The documents: line by line as long as every line is one, in blocks from there on."""
    number = 0
    # An array on one line may be as long as the file; an object never is.
    limit = BLOCK if _begins_array(stream) else -1
    while line := stream.readline(limit):
        number += 1
        if line.isspace():
            continue
        if limit > 0:
            yield from split_documents(chain([line], _blocks(stream)), name, first_line=number)
            return
        try:
            document = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            following = stream.readline()
            if number > 1 and _is_whole(following):
                # The file goes on with whole lines: this one is broken by itself.
                raise broken(name, number, line, error) from None
            rest = chain([line, following], _blocks(stream))
            yield from split_documents(rest, name, first_line=number)
            return
        yield number, document


def _begins_array(stream: BinaryIO) -> bool:
    # open_content gives a reader that can be looked into.
    return cast(BufferedReader, stream).peek(BLOCK).lstrip().startswith(b"[")


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: stream.read(BLOCK), b"")


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(_decode(line), dict)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
