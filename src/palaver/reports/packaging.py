"""Putting finished files where they were asked for: a folder, a file, a zip or a stream.

Files are written to a staging folder first and appear at their destination in one step, complete or
not at all. What is there already is not overwritten unless that was asked for, and a folder only if
it is an export itself.
"""

import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from palaver.core.errors import InputError
from palaver.reports import manifest

_BLOCK = 1 << 20


@contextmanager
def staging_folder(destination: Path | None) -> Iterator[Path]:
    """An empty folder on the destination's disk, gone afterwards unless it was moved."""
    parent = None if destination is None else destination.absolute().parent
    if parent is not None and not parent.is_dir():
        raise InputError(f"The folder {parent} does not exist. Make it, or choose another place.")
    staging = Path(tempfile.mkdtemp(prefix=".palaver-export-", dir=parent))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def check_free(destination: Path, *, overwrite: bool, folder: bool) -> None:
    """InputError if something is at the destination that must stay."""
    if not os.path.lexists(destination):
        return
    if folder and destination.is_dir():
        if not any(destination.iterdir()):
            return
        if overwrite and (destination / manifest.NAME).is_file():
            return
        hint = "It is not an export; choose another." if overwrite else _HINT
        raise InputError(f"The folder {destination} is not empty. {hint}")
    if not overwrite or folder or destination.is_dir():
        raise InputError(f"{destination} exists already. {_HINT}")


def check_destination(destination: Path, *, overwrite: bool) -> None:
    """InputError if a folder cannot be written there: what takes long is not begun in vain."""
    check_free(destination, overwrite=overwrite, folder=True)
    parent = destination.absolute().parent
    if not parent.is_dir():
        raise InputError(f"The folder {parent} does not exist. Make it, or choose another place.")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"Nothing can be written in {parent}. Choose another place.")


_HINT = "Choose another place, or overwrite it with --overwrite."


def place_folder(folder: Path, destination: Path, *, overwrite: bool) -> None:
    check_free(destination, overwrite=overwrite, folder=True)
    folder.chmod(0o777 & ~_umask())
    if destination.is_dir() and any(destination.iterdir()):
        old = Path(tempfile.mkdtemp(prefix=".palaver-old-", dir=destination.absolute().parent))
        destination.rename(old / "was")
        folder.rename(destination)
        shutil.rmtree(old)
    else:
        folder.rename(destination)  # also onto an empty folder


def place_file(path: Path, destination: Path, *, overwrite: bool) -> None:
    check_free(destination, overwrite=overwrite, folder=False)
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
    if overwrite:
        path.replace(destination)
        return
    try:
        os.link(path, destination)  # unlike a rename, refuses if somebody was faster
    except FileExistsError as error:
        raise InputError(f"{destination} exists already. {_HINT}") from error
    except OSError:
        path.rename(destination)  # a disk without links


def zip_folder(folder: Path, stream: BinaryIO, *, now: float) -> None:
    """Write the files of a folder as a zip; the stream need not be seekable."""
    date = time.gmtime(max(now, 315532800.0))[:6]  # a zip knows no time before 1980
    names = manifest.files_of(folder)
    # The manifest first: a reader knows what to expect before it meets the rest.
    names.sort(key=lambda name: name != manifest.NAME)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name, date_time=date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with (
                (folder / name).open("rb") as source,
                archive.open(entry, "w", force_zip64=True) as out,
            ):
                shutil.copyfileobj(source, out, _BLOCK)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
