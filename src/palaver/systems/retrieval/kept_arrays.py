"""Arrays under names in a folder, mapped into memory when they are read.

A folder is written beside its place and moved there when all of it is on disk: whoever looks finds
all of it or nothing. Folders are named by a digest of what the arrays were made of.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from palaver.core.numeric import Numbers, np

# The list of names is written last; a folder without it, or with a file that is short, is no use.
_NAMES = "names.txt"


def digest_of(path: Path, *said: object) -> str:
    """The digest of a file and of how it is used."""
    digest = blake2b(repr(said).encode(), digest_size=16)
    with path.open("rb", buffering=0) as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def keep_arrays(folder: Path, arrays: Mapping[str, Numbers]) -> None:
    """Put arrays into a folder, replacing what was there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, array in arrays.items():
            with (beside / f"{name}.npy").open("wb") as out:
                np.save(out, array, allow_pickle=False)
                out.flush()
                os.fsync(out.fileno())
        with (beside / _NAMES).open("w", encoding="utf-8") as names:
            names.write("\n".join(arrays))
            names.flush()
            os.fsync(names.fileno())
        _put_in_place(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def kept_arrays(folder: Path) -> dict[str, Numbers] | None:
    """The arrays of a folder; None where they are not there or not whole."""
    try:
        names = (folder / _NAMES).read_text(encoding="utf-8").split("\n")
        return {name: _mapped(folder / f"{name}.npy") for name in names}
    except (OSError, ValueError, EOFError):
        return None


def _mapped(path: Path) -> Numbers:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    return np.asarray(array)


def _put_in_place(beside: Path, folder: Path) -> None:
    """Move a folder to its place; of two that are written at once, the later one stays."""
    while True:
        try:
            beside.rename(folder)
            return
        except OSError:
            if not folder.exists():
                raise
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            try:
                folder.rename(old)
            except FileNotFoundError:
                pass  # somebody else has just moved it
            finally:
                shutil.rmtree(old, ignore_errors=True)
