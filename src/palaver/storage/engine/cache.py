"""What was read before and cannot have changed, for whoever would read it again."""

from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """The values that were used last, by name; `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, T] = {}
        # On PostgreSQL the threads that read come here too.
        self._lock = Lock()

    def get(self, name: Hashable) -> T | None:
        """The value that was kept under a name, or None."""
        with self._lock:
            found = self._values.pop(name, None)
            if found is not None:
                self._values[name] = found
            return found

    def keep(self, name: Hashable, value: T) -> T:
        """Keep a value; the one that was not used for the longest time may go."""
        with self._lock:
            self._values[name] = value
            if len(self._values) > self._most:
                del self._values[next(iter(self._values))]
            return value
