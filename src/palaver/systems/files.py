"""Files that a study folder brings along for its systems."""

from pathlib import Path

import msgspec

from palaver.core.errors import InputError
from palaver.systems.attempt import shorten


class Exchange(msgspec.Struct, frozen=True):
    """Something that was said, and what was answered."""

    prompt: str
    reply: str


def find_file(given: Path, *, folder: Path, option: str) -> Path:
    """The file that an option names, relative to the study folder."""
    path = folder / given.expanduser()
    if not path.is_file():
        raise InputError(f"Option '{option}' names '{given}'; there is no file {path}.")
    return path


def read_text(path: Path) -> str:
    """The text of a UTF-8 file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.") from error


def read_exchanges(path: Path) -> list[Exchange]:
    """The exchanges of a JSONL file; the line that is wrong is named."""
    exchanges = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            exchange = msgspec.json.decode(line, type=Exchange)
        except msgspec.DecodeError as error:
            raise InputError(
                f"{path}:{number}: {error}; got {shorten(line.strip(), 80)!r}, "
                'expected {"prompt": "…", "reply": "…"}.'
            ) from error
        if not exchange.prompt.strip() or not exchange.reply.strip():
            raise InputError(f"{path}:{number}: an empty prompt or reply; write text or drop it.")
        exchanges.append(exchange)
    if not exchanges:
        raise InputError(f"{path}: no exchanges. Write one JSON object per line.")
    return exchanges
