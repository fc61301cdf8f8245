"""Records in the order of their keys, however many: sorted runs in files, merged as they are read."""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

# What is held in memory before it is written as a run, and how many runs are merged at once.
ROOM = 4 << 20
MOST_RUNS = 64
BUFFER = 1 << 16


class SortedRecords:
    """Records by whole-number keys; write first, then read once."""

    def __init__(self, folder: Path, *, room: int = ROOM) -> None:
        folder.mkdir(parents=True)
        self._folder, self._room = folder, room
        self._waiting: list[bytes] = []
        self._size = self._written = 0
        self._runs: list[Path] = []

    def add(self, key: int, record: bytes) -> None:
        """Keep a record, which has no line break in it; its key is 0 or more and below 2**64."""
        line = b"%016x%b\n" % (key, record)
        self._waiting.append(line)
        self._size += len(line)
        if self._size > self._room:
            self._spill()

    def read(self) -> Iterator[bytes]:
        """The records, the least key first; equal keys by their content."""
        self._waiting.sort()
        with ExitStack() as stack:
            runs = [stack.enter_context(run.open("rb", buffering=BUFFER)) for run in self._runs]
            for line in heapq.merge(*runs, self._waiting):
                yield line[16:-1]
        self._waiting.clear()
        for run in self._runs:
            run.unlink()
        self._folder.rmdir()

    def _spill(self) -> None:
        self._waiting.sort()
        self._runs.append(self._write(self._waiting))
        self._waiting.clear()
        self._size = 0
        if len(self._runs) >= MOST_RUNS:
            self._merge()

    def _merge(self) -> None:
        """Make one run of all."""
        with ExitStack() as stack:
            runs = [stack.enter_context(run.open("rb", buffering=BUFFER)) for run in self._runs]
            merged = self._write(heapq.merge(*runs))
        for run in self._runs:
            run.unlink()
        self._runs = [merged]

    def _write(self, lines: Iterable[bytes]) -> Path:
        path = self._folder / f"{self._written:06}"
        self._written += 1
        with path.open("wb", buffering=BUFFER) as out:
            out.writelines(lines)
        return path
