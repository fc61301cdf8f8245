"""Python's collector of garbage, told when there is none to find."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
# How many are at it, in whichever thread, and whether the collector ran before the first of them.
_at_it = 0
_ran = True


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest while many records are made that all stay.

    It would look through them again and again, which takes a third of the time, and find nothing.
    Whatever else makes garbage meanwhile keeps it until the end of this.

    >>> with uncollected():
    ...     gc.isenabled()
    False
    """
    global _at_it, _ran
    with _lock:
        if not _at_it:
            _ran = gc.isenabled()
            gc.disable()
        _at_it += 1
    try:
        yield
    finally:
        with _lock:
            _at_it -= 1
            if not _at_it and _ran:
                gc.enable()
