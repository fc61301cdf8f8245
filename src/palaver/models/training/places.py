"""The folder that a training writes into, and the files that it reads: what may be there."""

import fcntl
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import SETTINGS, UNFINISHED, VOCABULARY, WEIGHTS

CARD, CURVE, PAGE = "README.md", "curve.json", "curve.html"
_LOCK = "lock"


def digests(files: Sequence[Path]) -> dict[str, str]:
    """The files by name, with what their content adds up to."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def check_files(files: Sequence[Path]) -> None:
    """InputError for a data file that is missing, empty, or named twice."""
    for path in files:
        if not path.is_file():
            raise InputError(f"There is no data file {path}.")
        if not path.stat().st_size:
            raise InputError(f"{path} is empty.")
    names = [path.name for path in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise InputError(
            f"Two data files are called '{twice}'. What is trained on must not be tested on; rename "
            "one if they differ."
        )


def clear(folder: Path) -> None:
    """Remove a checkpoint and what its training left; a folder of anything else is refused."""
    if not folder.is_dir():
        return
    own = [path for path in folder.iterdir() if _is_own(path)]
    others = sorted(path.name for path in folder.iterdir() if path not in own)
    if others:
        raise InputError(
            f"{folder} holds '{others[0]}', which no training wrote, so it is not overwritten. "
            "Choose another -o."
        )
    for path in own:
        if path.is_dir():
            rmtree(path)
        else:
            path.unlink()


def _is_own(path: Path) -> bool:
    """Whether a training wrote it: one of the files of a checkpoint, its snapshot, a member."""
    if path.is_dir():
        return path.name in (UNFINISHED, *(f"member-{n}" for n in range(1, 1000)))
    return path.name in (SETTINGS, VOCABULARY, WEIGHTS, CARD, CURVE, PAGE)


@contextmanager
def held(folder: Path, *, is_writer: bool) -> Iterator[None]:
    """Hold the folder, so that no second training writes into it."""
    if not is_writer:
        yield
        return
    try:
        (folder / UNFINISHED).mkdir(parents=True, exist_ok=True)
        lock = (folder / UNFINISHED / _LOCK).open("w")
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"Another process is training into {folder}. Wait for it, or choose another -o."
            ) from None
        try:
            yield
        finally:
            _tidy(folder)


def _tidy(folder: Path) -> None:
    """Leave no folder behind that holds the lock alone."""
    inside = folder / UNFINISHED
    if inside.is_dir() and [path.name for path in inside.iterdir()] == [_LOCK]:
        rmtree(inside, ignore_errors=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
