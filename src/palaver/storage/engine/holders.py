"""Who holds something: a process by its machine and number, so that a dead one is known at once.

A machine is a host that runs since one boot and one space of process numbers: two containers of one
host do not mistake each other's processes for their own.
"""

import hashlib
import os
import secrets
import socket
from functools import cache
from pathlib import Path


@cache
def _machine() -> str:
    known = [socket.gethostname()]
    try:
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        known.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    except OSError:
        known.append(str(Path("/").stat().st_dev))  # no /proc here: the host's name must do
    mark = hashlib.sha256("|".join(known).encode()).hexdigest()[:8]
    return f"{known[0].replace(':', '-')}-{mark}"


def new_holder() -> str:
    """A name for what holds something in this process: "host:pid:random"."""
    return f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_gone(holder: str | None) -> bool:
    """Whether the holder was a process of this machine that has ended."""
    machine, _, rest = (holder or "").partition(":")
    pid = rest.partition(":")[0]
    if machine != _machine() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False  # it lives, and belongs to somebody else
    return False
