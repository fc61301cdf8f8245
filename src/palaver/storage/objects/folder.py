"""An object store in a local folder: written beside, then moved into place."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from palaver.core.errors import InputError


class FolderObjects:
    """Files under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = str(folder)

    def put(self, path: str, content: bytes | Path) -> None:
        """Store a file; a crash leaves either all of it or nothing."""
        target = self._place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as draft:
            if isinstance(content, bytes):
                draft.write(content)
            else:
                with content.open("rb") as source:
                    shutil.copyfileobj(source, draft, 1 << 20)
            draft.flush()
            os.fsync(draft.fileno())
        Path(draft.name).replace(target)

    def read(self, path: str) -> bytes:
        """The whole file."""
        try:
            return self._place(path).read_bytes()
        except OSError as error:
            raise _missing(path, self.url) from error

    def lines(self, path: str) -> Iterator[bytes]:
        """The file line by line."""
        try:
            with self._place(path).open("rb") as file:
                yield from file
        except OSError as error:
            raise _missing(path, self.url) from error

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return self._place(path).is_file()

    def _place(self, path: str) -> Path:
        place = (self.folder / path).resolve()
        if not place.is_relative_to(self.folder.resolve()):
            raise InputError(f"The path '{path}' leaves the object store.")
        return place


def _missing(path: str, url: str) -> InputError:
    return InputError(f"'{path}' is not in the object store {url}. Was it moved or deleted?")
