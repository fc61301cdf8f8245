"""The seam: what an object store must be able to do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol


class Objects(Protocol):
    """Files by path ("datasets/nli/anli-r1/3f2a….jsonl"), written whole and never changed."""

    # The address without keys and passwords, to be shown.
    url: str

    def put(self, path: str, content: bytes | Path) -> None:
        """Store bytes, or the file that a Path names, under `path`; after it returns it is kept."""
        ...

    def read(self, path: str) -> bytes:
        """The whole content; InputError if there is none."""
        ...

    def lines(self, path: str) -> Iterator[bytes]:
        """The content line by line, without holding all of it."""
        ...

    def exists(self, path: str) -> bool:
        """Whether something is stored under `path`."""
        ...
