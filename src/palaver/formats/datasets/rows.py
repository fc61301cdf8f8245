"""Records out of a file, whether it is JSON or a table with a header."""

import csv
import io
from collections.abc import Iterator
from pathlib import PurePath

from palaver.core.errors import InputError
from palaver.formats.datasets.content import Content, first_bytes, open_content
from palaver.formats.datasets.records import Record, read_records

# A context may be a whole book; csv stops at 128 KB unless it is told otherwise.
LONGEST_CELL = 1 << 27


def read_rows(content: Content, name: str) -> Iterator[tuple[int, Record]]:
    """Each record with the line it begins in: JSON in any shape, CSV, or tab-separated text."""
    head = first_bytes(content, name)
    if not head.strip():
        return iter(())
    if head.lstrip()[:1] in b"{[":
        return read_records(content, name)
    return _table_rows(content, name, tabs=_has_tabs(head, name))


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
