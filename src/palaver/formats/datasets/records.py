"""Records out of a file: a table with a header, or JSON as people write it.

JSON is one record per line, pretty-printed, or one array. Lines are decoded as they come, which is
fast. A file whose first line is no whole document is taken apart by `json_stream`, which follows braces
and texts and therefore finds the end of every record, also of the last one, wherever line breaks stand.
"""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO, cast

import msgspec

from palaver.core.errors import InputError
from palaver.formats.datasets.content import BLOCK, Content, first_bytes, open_content
from palaver.formats.datasets.json_stream import broken, split_documents, with_odd_numbers

Record = dict[str, Any]

# A context may be a whole book; csv stops at 128 KB unless it is told otherwise.
LONGEST_CELL = 1 << 27

# An array of up to so many bytes is decoded as a whole.
MOST_AT_ONCE = 1 << 26

_decode = msgspec.json.Decoder().decode
_decode_array = msgspec.json.Decoder(list[msgspec.Raw]).decode


def read_rows(content: Content, name: str) -> Iterator[tuple[int, Record]]:
    """Each record with the line it begins in: JSON in any shape, CSV, or tab-separated text."""
    head = first_bytes(content, name)
    if not head.strip():
        return iter(())
    if head.lstrip()[:1] in b"{[":
        return read_records(content, name)
    return _table_rows(content, name, tabs=_has_tabs(head, name))


def read_records(
    content: Content, name: str, *, odd_numbers: bool = False
) -> Iterator[tuple[int, Record]]:
    """Each JSON object of the content with the line it begins in, none of them lost.

    With `odd_numbers` NaN and Infinity are read, for whoever refuses them by their key.

    InputError names the file, the line and, where it is known, the id of a record that is broken.
    """
    with open_content(content, name) as stream:
        for line, record in _documents(stream, name, odd_numbers):
            if not isinstance(record, dict):
                given = repr(record) if len(repr(record)) <= 60 else f"{record!r:.59}…"
                raise InputError(f"{name}:{line}: expected a JSON object; got {given}.")
            yield line, record


def _documents(stream: BinaryIO, name: str, odd_numbers: bool = False) -> Iterator[tuple[int, Any]]:
    """The documents: line by line as long as every line is one, in blocks from there on."""
    number = 0
    # An array on one line may be as long as the file; an object never is.
    limit = BLOCK if _begins_array(stream) else -1
    while line := stream.readline(limit):
        number += 1
        if line.isspace():
            continue
        if limit > 0:
            begun = [line, stream.read(MOST_AT_ONCE)]
            if len(begun[1]) < MOST_AT_ONCE and (whole := _array(b"".join(begun))) is not None:
                yield from ((number + below, document) for below, document in whole)
                return
            blocks = chain(begun, _blocks(stream))
            yield from split_documents(blocks, name, first_line=number, odd_numbers=odd_numbers)
            return
        try:
            document = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            odd = with_odd_numbers(line) if odd_numbers else None
            if odd is not None:
                yield number, odd
                continue
            following = stream.readline()
            if number > 1 and _is_whole(following):
                # The file goes on with whole lines: this one is broken by itself.
                raise broken(name, number, line, error) from None
            rest = chain([line, following], _blocks(stream))
            yield from split_documents(rest, name, first_line=number, odd_numbers=odd_numbers)
            return
        yield number, document


def _array(content: bytes) -> list[tuple[int, Any]] | None:
    """The elements of an array with the lines they begin in; None if it is not a whole array."""
    try:
        elements = _decode_array(content)
        found, line, place = [], 0, 0
        for element in elements:
            written = bytes(element)
            begins = content.index(written, place)
            line += content.count(b"\n", place, begins)
            if not written.startswith(b"{"):
                return None  # named with what stands around it
            found.append((line, _decode(written)))
            line += written.count(b"\n")
            place = begins + len(written)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found


def _begins_array(stream: BinaryIO) -> bool:
    # open_content gives a reader that can be looked into.
    return cast(io.BufferedReader, stream).peek(BLOCK).lstrip().startswith(b"[")


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: stream.read(BLOCK), b"")


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(_decode(line), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _has_tabs(head: bytes, name: str) -> bool:
    first = head.lstrip().split(b"\n", 1)[0]
    if b"\t" in first:
        return True
    if b"," in first or PurePath(name.removesuffix(".gz")).suffix.lower() == ".csv":
        return False
    raise InputError(
        f"{name}:1: neither JSON nor a table with a header; it begins with "
        f"'{first[:40].decode('utf-8', 'replace').strip()}'."
    )


def _table_rows(content: Content, name: str, *, tabs: bool) -> Iterator[tuple[int, Record]]:
    csv.field_size_limit(LONGEST_CELL)
    with open_content(content, name) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        # Quotes in tab-separated files are part of the text.
        reader = (
            csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(text)
        )
        try:
            columns = [column.strip() for column in next(reader, [])]
            line = reader.line_num + 1
            for cells in reader:
                if cells:
                    yield line, _record(columns, cells, f"{name}:{line}")
                line = reader.line_num + 1
        except UnicodeDecodeError as error:
            raise InputError(f"{name} is not UTF-8 text: {error}.") from error
        except csv.Error as error:
            raise InputError(f"{name}:{reader.line_num}: {error}.") from error
        finally:
            text.detach()


def _record(columns: list[str], cells: list[str], where: str) -> Record:
    if len(cells) != len(columns):
        raise InputError(
            f"{where}: the header has {len(columns)} columns, this line has {len(cells)}."
        )
    record: Record = dict(zip(columns, cells, strict=True))
    if "tags" in record:
        # A cell holds several tags with semicolons between them.
        record["tags"] = [tag.strip() for tag in record["tags"].split(";") if tag.strip()]
    return record
