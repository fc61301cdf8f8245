"""A study file on disk: what stands there, and replacing it in one step."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from palaver.core.errors import ConflictError


def read_text(file: Path) -> str:
    """The text of a study file as it stands, line ends and all."""
    return file.read_bytes().decode()


def digest_on_disk(file: Path) -> str | None:
    """The digest of a file as it stands now; None where there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


class StagedFile:
    """A text that lies beside the file that it is to replace."""

    def __init__(self, file: Path, staged: Path) -> None:
        self._file = file
        self._staged = staged

    def replace(self) -> None:
        """Let the text stand where the file was, in one step."""
        self._staged.replace(self._file)
        folder = os.open(self._file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def staged_file(file: Path, text: str) -> Iterator[StagedFile]:
    """Write a text beside a file, to replace it; ConflictError where nothing can be written there.

    The file keeps its mode. What did not replace it is removed.
    """
    # A link stays one: what it leads to is replaced.
    target = file.resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise _unwritable(file, error) from error
    staged = Path(name)
    try:
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(text.encode())
                out.flush()
                os.fsync(out.fileno())
            if target.exists():
                shutil.copymode(target, staged)
        except OSError as error:
            raise _unwritable(file, error) from error
        yield StagedFile(target, staged)
    finally:
        with suppress(OSError):
            staged.unlink(missing_ok=True)


def _unwritable(file: Path, error: OSError) -> ConflictError:
    reason = error.strerror or str(error)
    return ConflictError(
        f"{file} cannot be written ({reason}), so the study cannot be changed here. Make its folder "
        "writable for Palaver, or change the file and serve it again."
    )
