"""The folder that a training writes into, and the files that it reads: what may be there."""

import fcntl
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import (
    CONFIG,
    MEMBER,
    SETTINGS,
    TOKENIZER,
    TOKENIZER_CONFIG,
    UNFINISHED,
    VOCABULARY,
    WEIGHTS,
    beside,
)
from palaver.models.training.snapshot import FILE

CARD, CURVE, PAGE = "README.md", "curve.json", "curve.html"
_LOCK = "lock"
_FILES = (
    *(SETTINGS, VOCABULARY, WEIGHTS, CARD, CURVE, PAGE),
    *(CONFIG, TOKENIZER, TOKENIZER_CONFIG),
)
# What a training may write into a checkpoint, and into the folder that it goes on from.
_OWN = frozenset({*_FILES, *map(beside, _FILES)})
_OWN_UNFINISHED = frozenset({_LOCK, FILE, beside(FILE)})


def digests(files: Sequence[Path]) -> dict[str, str]:
    """The files by name, with what their content adds up to."""
    try:
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from error


def check_files(files: Sequence[Path]) -> None:
    """InputError for a data file that is missing, empty, or there twice."""
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
    first: dict[str, str] = {}
    for name, digest in digests(files).items():
        if first.setdefault(digest, name) != name:
            raise InputError(
                f"'{first[digest]}' and '{name}' have the same content. What is trained on must not "
                "be tested on; leave one out."
            )


def check_unclaimed(folder: Path) -> None:
    """InputError if a training would replace a file of somebody else: a README.md, for instance."""
    begun = (SETTINGS, f"{UNFINISHED}/{FILE}", f"member-1/{SETTINGS}")
    if any((folder / name).is_file() for name in begun):
        return
    others = sorted(name for name in _FILES if (folder / name).exists())
    if others:
        raise InputError(
            f"{folder} holds '{others[0]}', but no checkpoint, so nothing is written there. Choose "
            "another -o."
        )


def check_clearable(folder: Path) -> None:
    """InputError for a folder with anything in it that no training wrote."""
    check_unclaimed(folder)
    _own(folder)


def clear(folder: Path) -> None:
    """Remove a checkpoint and what its training left, but for the lock that may be held; a folder of
    anything else is refused."""
    check_unclaimed(folder)
    lock = folder / UNFINISHED / _LOCK
    for path in _own(folder):
        if path.is_dir():
            if path not in lock.parents or not lock.exists():
                path.rmdir()
        elif path != lock:
            path.unlink()


def _own(folder: Path) -> list[Path]:
    """Everything in the folder of a checkpoint, what is deepest first."""
    found: list[Path] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        is_folder = path.is_dir() and not path.is_symlink()
        if is_folder and path.name == UNFINISHED:
            inside = sorted(path.iterdir())
            others = [each for each in inside if each.name not in _OWN_UNFINISHED or each.is_dir()]
            found += [*inside, path]
        elif is_folder and MEMBER.fullmatch(path.name):
            others = []
            found += [*_own(path), path]
        else:
            others = [path] if is_folder or path.name not in _OWN else []
            found.append(path)
        if others:
            raise InputError(
                f"{folder} holds '{others[0].relative_to(folder)}', which no training wrote, so it is "
                "not overwritten. Choose another -o."
            )
    return found


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
        except BlockingIOError:
            raise InputError(
                f"Another process is training into {folder}. Wait for it, or choose another -o."
            ) from None
        except OSError as error:
            raise InputError(f"{folder} cannot be locked: {error.strerror}.") from error
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
