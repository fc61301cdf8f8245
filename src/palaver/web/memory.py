"""Keeps a serving process small.

After the start most of what was imported stays for good: the collector is told so, and the C library
gives back what the imports left over. Without a limit on arenas glibc keeps a heap for every thread.
"""

import ctypes
import gc
import platform

M_ARENA_MAX = -8
ARENAS = 1


def limit_arenas() -> None:
    """Let all threads share one heap; call before the first thread starts."""
    if _is_glibc():
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def settle() -> None:
    """Give back what is not needed once everything is up."""
    gc.collect()
    gc.freeze()
    # A full collection over thousands of rooms takes tens of milliseconds, and finds nothing: what a
    # chat leaves behind is freed by reference counts.
    gc.set_threshold(50_000, 50, 100)
    if _is_glibc():
        ctypes.CDLL(None).malloc_trim(0)


def _is_glibc() -> bool:
    return platform.libc_ver()[0] == "glibc"
