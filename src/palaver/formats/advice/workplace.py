"""A place beside the output in which a set is made: the output appears whole, or not at all.

A run that was killed leaves its place behind; the next one for the same output clears it away. Two at
once do not mix: the second is refused.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palaver.core.errors import InputError

_HINT = "Choose another place with -o, or replace it with --overwrite."


def check_output(destination: Path, *, overwrite: bool, mark: str | None = None) -> None:
    """InputError if the output cannot be put there: what takes long is not begun in vain.

    A file may be replaced if that was asked for. With `mark` the output is a folder, and only one
    that is empty or has a file of that name is replaced: it was made here before.
    """
    parent = destination.absolute().parent
    if not parent.is_dir():
        raise InputError(f"The folder {parent} does not exist. Make it, or choose another place.")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"Nothing can be written in {parent}. Choose another place.")
    if not os.path.lexists(destination):
        return
    if mark is None:
        if destination.is_dir():
            raise InputError(f"{destination} is a folder; -o takes a file.")
    elif not destination.is_dir():
        raise InputError(f"{destination} is a file; -o takes a folder.")
    elif not any(destination.iterdir()):
        return
    elif not (destination / mark).is_file():
        raise InputError(f"{destination} holds other things. Choose another place with -o.")
    if not overwrite:
        raise InputError(f"{destination} exists already. {_HINT}")


@contextmanager
def workplace(destination: Path) -> Iterator[Path]:
    """An empty folder on the output's disk, gone afterwards; InputError while another run has it."""
    place = destination.absolute().parent / f".{destination.name}.preparing"
    place.mkdir(exist_ok=True)
    held = os.open(place, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(
                f"Another run is making {destination}. Wait for it, or choose another place with -o."
            ) from error
        try:
            _clear(place)
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)
    finally:
        os.close(held)


def place_file(made: Path, destination: Path) -> None:
    """Move a file to its place, whole."""
    with made.open("rb") as stream:
        os.fsync(stream.fileno())
    made.replace(destination)


def place_folder(made: Path, destination: Path) -> None:
    """Move a folder to its place, whole; what was there goes."""
    for file in made.iterdir():
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    if destination.is_dir():
        destination.rename(made.with_name("replaced"))
    made.rename(destination)


def _clear(place: Path) -> None:
    """Remove what a run that was killed left behind."""
    for inside in place.iterdir():
        if inside.is_dir() and not inside.is_symlink():
            shutil.rmtree(inside)
        else:
            inside.unlink()
