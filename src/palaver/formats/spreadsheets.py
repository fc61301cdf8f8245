"""CSV that a spreadsheet may open: no cell of somebody else's words is taken for a formula.

A cell that begins with a sign by which a formula begins gets an apostrophe before it, which a
spreadsheet takes for "this is text". Numbers stay numbers. Our own reader takes the apostrophe away
again, so that a table reads the same either way.
"""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

# By which a formula begins, the wide forms of East Asian keyboards included; apostrophes that stand
# before one get another, so that each is undone by taking one away.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_QUOTE = '"'
_QUOTED = re.compile(r'[",\r\n]')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def escaped(cell: str) -> str:
    """A cell as a spreadsheet takes it for what it is.

    >>> [escaped(each) for each in ("=1+1", "-3.5", "- no", "'=x", "it's")]
    ["'=1+1", '-3.5', "'- no", "''=x", "it's"]
    """
    if not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def unescaped(cell: str) -> str:
    """The cell that was escaped; any other as it is.

    >>> [unescaped(escaped(each)) for each in ("=1+1", "-3.5", "'=x", "it's")]
    ['=1+1', '-3.5', "'=x", "it's"]
    """
    return cell[1:] if _ESCAPED.match(cell) else cell


def escaped_row(row: Iterable[object]) -> list[object]:
    """The cells of a row; what is not text stays as it is."""
    return [escaped(cell) if isinstance(cell, str) else cell for cell in row]


def escape_files(folder: Path) -> None:
    """Escape every CSV file in a folder and those below it, in place."""
    for file in sorted(folder.rglob("*.csv")):
        escape_file(file)


def escape_file(file: Path, target: Path | None = None) -> None:
    """Escape a CSV file, in place unless there is a target."""
    written = file.with_name(f"{file.name}.part") if target is None else target
    csv.field_size_limit(1 << 30)
    with (
        file.open(encoding="utf-8", newline="") as source,
        written.open("w", encoding="utf-8", newline="") as out,
    ):
        end = _line_end(file)
        for row in csv.reader(source):
            out.write(",".join(_quoted(escaped(cell)) for cell in row) + end)
    if target is None:
        written.replace(file)


def _quoted(cell: str) -> str:
    # Python's writer leaves a carriage return bare where lines end with a line feed alone.
    return f'"{cell.replace(_QUOTE, _QUOTE * 2)}"' if _QUOTED.search(cell) else cell


def _line_end(file: Path) -> str:
    with file.open("rb") as stream:
        return "\r\n" if stream.readline().endswith(b"\r\n") else "\n"
