"""What the commands that read dumps share: their options, their progress, their funnels in words."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec

from palaver.cli.options import IN_FILE, Option
from palaver.cli.output import table_text
from palaver.core.errors import InputError
from palaver.core.serial import encode
from palaver.core.words import counted, listed
from palaver.formats.advice.funnel import Funnel, LineCount

SHOWN_SUBREDDITS = 5
# How often progress is told, in seconds.
EVERY = 1.0

DUMPS = click.argument("dumps", nargs=-1, required=True, type=IN_FILE, metavar="DUMP...")
PARTIAL = click.option(
    "--partial", is_flag=True, help="Take what a damaged file holds up to the damage."
)


def subreddits(words: str) -> Option:
    """Which subreddits are taken."""
    return click.option("--subreddit", "subreddits", multiple=True, metavar="NAME", help=words)


@contextmanager
def disk_trouble_told() -> Iterator[None]:
    """A full disk becomes one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"The output could not be written: {error.strerror or error}.") from error


def line_progress() -> Callable[[int], None] | None:
    """Tells in a terminal how many lines were read; None elsewhere."""
    if not sys.stderr.isatty():
        return None
    told = time.monotonic()

    def tell(lines: int) -> None:
        nonlocal told
        if time.monotonic() - told > EVERY:
            told = time.monotonic()
            click.echo(f"\r{lines:,} lines", nl=False, err=True)

    return tell


def write_record(path: Path, report: object) -> None:
    """Write how a set was made, as JSON."""
    path.write_bytes(msgspec.json.format(encode(report)) + b"\n")


def funnel_text(lines: LineCount, *funnels: Funnel) -> str:
    """The funnels as tables, and what was odd about the lines."""
    told = [f"{counted(lines.lines, 'line')} read", *line_notes(lines)]
    missing = [funnel.noun for funnel in funnels if not funnel.came]
    told += [f"  Note: there are no {noun}. Give the files of {noun}, too." for noun in missing]
    for funnel in funnels:
        told += ["", table_text(list(funnel.rows()))]
    return "\n".join(told)


def line_notes(lines: LineCount) -> Iterator[str]:
    """What was odd about the lines, a sentence each."""
    yield from (f"  Note: {damage}" for damage in lines.damages)
    if lines.broken:
        yield f"  {counted(lines.broken, 'broken line')}, such as"
        yield from (f"    {place}" for place in lines.places)
    if lines.neither:
        yield f"  {counted(lines.neither, 'line')} neither a post nor a comment"
    if lines.subreddits:
        others = sorted(lines.subreddits.items(), key=lambda each: (-each[1], each[0]))
        total = sum(lines.subreddits.values())
        named = [f"{name} ({count:,})" for name, count in others[:SHOWN_SUBREDDITS]]
        more = len(others) - len(named)
        named += [f"{more:,} more"] if more else []
        yield f"  {counted(total, 'line')} of other subreddits: {listed(named)}"
