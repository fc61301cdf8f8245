"""How commands print: tables that fit the window, and JSON.

Every list that a command prints has a row of headings.
"""

import logging
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click
import msgspec

from palaver.core.estimates import Estimate
from palaver.core.serial import encode
from palaver.core.words import UNDEFINED, listed, shortened

# Columns of text are not made narrower than this.
NARROWEST = 8
WIDEST_PROSE = 100
GAP = "  "
# Words that stand in cells of numbers: "1 to 3", "12 of 15", "0.5 ms".
_NUMBER_WORDS = frozenset({"to", "of", "e", "s", "ms", "h", UNDEFINED})
_WORD = re.compile(r"[^\W\d_]+")


def log_to_stderr(*, verbose: bool) -> None:
    """Send the log to standard error, so that standard output holds what was asked for."""
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s %(message)s")


def terminal_width() -> int | None:
    """How wide the terminal is; None where the output goes to a file or another program."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def prose_width() -> int:
    """How wide running text is set: as the terminal, and never wider than is good to read."""
    return min(WIDEST_PROSE, terminal_width() or WIDEST_PROSE)


def table_lines(
    rows: Sequence[Sequence[str]],
    *,
    names: int = 1,
    whole: Collection[int] = (),
    indent: str = "",
) -> Iterator[str]:
    """A table as lines; the first row holds the headings.

    Columns of numbers are set to the right, others to the left. In a terminal that is too narrow the
    widest columns of text are shortened, except those numbered in `whole`; numbers never are. Where
    that is not enough the columns are set in several parts, each with the first columns (`names`)
    that say what a row is about.

    >>> list(table_lines([["system", "n"], ["a", "12"]]))
    ['system   n', 'a       12']
    """
    columns = [[str(cell) for cell in column] for column in zip(*rows, strict=True)]
    numeric = [all(map(_is_number, cells[1:])) for cells in columns]
    text = [n for n, is_numeric in enumerate(numeric) if not is_numeric and n not in whole]
    width = terminal_width()
    room = None if width is None else width - len(indent)
    widths = _fitted([max(map(len, cells)) for cells in columns], text, room)
    for part, shown in enumerate(_parts(widths, names, room)):
        if part:
            yield ""
        for row in range(len(rows)):
            cells = [_cell(columns[n][row], widths[n], right=numeric[n] and n >= 1) for n in shown]
            yield f"{indent}{GAP.join(cells)}".rstrip()


def table_text(
    rows: Sequence[Sequence[str]],
    *,
    names: int = 1,
    whole: Collection[int] = (),
    indent: str = "",
) -> str:
    """A table as one text; see `table_lines`."""
    return "\n".join(table_lines(rows, names=names, whole=whole, indent=indent))


def sheet_lines(told: Mapping[str, str], *, indent: str = "  ") -> Iterator[str]:
    """Names and what is told of each, below each other; what is empty is left out."""
    known = {name: value for name, value in told.items() if value}
    width = max(map(len, known), default=0)
    yield from (f"{indent}{name:<{width}}{GAP}{value}" for name, value in known.items())


def with_interval(name: str, confidence: float = 0.95) -> str:
    """The heading of a column of values with their intervals.

    >>> with_interval("strength")
    'strength [95 % interval]'
    """
    return f"{name} [{100 * confidence:g} % interval]"


def without_interval(found: Iterable[tuple[str, Estimate]]) -> list[str]:
    """Footnotes of a table of estimates: which numbers have no interval, and why.

    >>> alike = Estimate(value=0.7, n=3, reason="all 3 values are the same")
    >>> without_interval([("BLEU", alike), ("TER", alike)])
    ['BLEU and TER: no interval, because all 3 values are the same.']
    """
    named: dict[str, list[str]] = {}
    for name, each in found:
        if each.is_defined and each.interval is None and each.reason:
            named.setdefault(each.reason, []).append(name)
    return [f"{listed(names)}: no interval, because {why}." for why, names in named.items()]


def print_json(result: Any) -> None:
    """Print records, or anything made of records, as one JSON document."""
    click.echo(msgspec.json.format(encode(result)).decode())


def json_line(value: Any) -> str:
    """Plain data as JSON on one line; what JSON cannot say is shown as Python would.

    >>> json_line({"label": "yes", "p": 0.5})
    '{"label": "yes", "p": 0.5}'
    """
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=repr), indent=0).decode()


def _is_number(cell: str) -> bool:
    """Whether a cell is a number, perhaps with its interval; one without a value is, too."""
    return set(_WORD.findall(cell)) <= _NUMBER_WORDS


def _cell(text: str, width: int, *, right: bool) -> str:
    text = shortened(text, width)
    return text.rjust(width) if right else text.ljust(width)


def _fitted(widths: list[int], text: Collection[int], room: int | None) -> list[int]:
    """The widths of columns, those of text made narrower until all fit, if they can."""
    if room is None:
        return widths
    fitted = list(widths)
    while _total(fitted) > room and any(fitted[n] > NARROWEST for n in text):
        fitted[max(text, key=lambda n: fitted[n])] -= 1
    if _total(fitted) <= room:
        return fitted
    # They are set in parts, so that there is more room for each.
    widest = max(NARROWEST, room // 3)
    return [min(width, widest) if n in text else width for n, width in enumerate(widths)]


def _parts(widths: Sequence[int], names: int, room: int | None) -> Iterator[list[int]]:
    """Which columns are set beside each other: all, or as many as fit beside the first ones."""
    first = list(range(names))
    shown = list(first)
    for n in range(names, len(widths)):
        too_wide = room is not None and _total([widths[each] for each in (*shown, n)]) > room
        if too_wide and shown != first:
            yield shown
            shown = list(first)
        shown.append(n)
    yield shown


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)
