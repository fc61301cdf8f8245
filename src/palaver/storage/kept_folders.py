"""Folders that are kept for good: their files in the object store, with a list of what was kept."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from palaver.core.kept_files import ResultFile
from palaver.storage.objects import Objects

# What stands for a folder.
PAGE = "index.html"


def keep_folder(objects: Objects, place: str, folder: Path) -> tuple[ResultFile, ...]:
    """Put every file of a folder into the object store below `place`; what was kept, by path."""
    files = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = path.relative_to(folder).as_posix()
        objects.put(f"{place}/{name}", path)
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        files.append(ResultFile(path=name, size=path.stat().st_size, sha256=digest))
    return tuple(files)


def kept_file(objects: Objects, place: str, files: Iterable[ResultFile], path: str) -> bytes | None:
    """A kept file, byte by byte as it was; a folder stands for its page. None where there is none."""
    known = {each.path for each in files}
    for wanted in (path, f"{path.rstrip('/')}/{PAGE}".lstrip("/")):
        if wanted in known:
            return objects.read(f"{place}/{wanted}")
    return None
