"""Records sorted into files by the post they belong to, so that a post meets its comments.

What belongs together lies in one bucket, in the order in which it came. A bucket that is too large
for memory is split further by other digits of the same hash: memory does not grow with the dump.
"""

import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

# Files that are open at once, and how many bits of the hash choose one.
BITS = 6
COUNT = 1 << BITS
LARGEST = 2 << 20
BUFFER = 1 << 16
# Each record begins with the hash in so many digits.
_DIGITS = 8


class PostBuckets:
    """Buckets in a folder; write first, then read once."""

    def __init__(self, folder: Path, *, level: int = 0, largest: int = LARGEST) -> None:
        self._folder, self._level, self._largest = folder, level, largest
        folder.mkdir(parents=True)
        self._paths = [folder / f"{n:02}" for n in range(COUNT)]
        with ExitStack() as stack:
            self._files: list[BinaryIO] = [
                stack.enter_context(path.open("wb", buffering=BUFFER)) for path in self._paths
            ]
            self._open = stack.pop_all()

    def __enter__(self) -> "PostBuckets":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def add(self, post: str, record: bytes) -> None:
        """Keep a record, which has no line break in it, with those of the same post."""
        hashed = zlib.crc32(post.encode())
        self._file(hashed).write(b"%08x%b\n" % (hashed, record))

    def read(self) -> Iterator[list[bytes]]:
        """The records of one bucket after another; what was read is deleted."""
        self._open.close()
        for path in self._paths:
            size = path.stat().st_size
            if size > self._largest and BITS * (self._level + 2) <= 32:
                yield from self._split(path)
            elif size:
                yield [line[_DIGITS:] for line in path.read_bytes().splitlines()]
            path.unlink(missing_ok=True)
        self._folder.rmdir()

    def _split(self, path: Path) -> Iterator[list[bytes]]:
        """The records of a bucket that is too large, by buckets of its own."""
        inside = path.with_name(f"{path.name}-split")
        with PostBuckets(inside, level=self._level + 1, largest=self._largest) as buckets:
            with path.open("rb") as lines:
                for line in lines:
                    buckets._file(int(line[:_DIGITS], 16)).write(line)
            path.unlink()
            yield from buckets.read()

    def _file(self, hashed: int) -> BinaryIO:
        return self._files[hashed >> (BITS * self._level) & (COUNT - 1)]
