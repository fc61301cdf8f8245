"""A socket to serve at, or a sentence that says why there is none; a server that says it is up."""

import errno
import socket
from collections.abc import Callable

import uvicorn

from palaver.core.errors import InputError

LARGEST_PORT = 65_535
# How many connections may wait while the server is busy, as uvicorn has it.
BACKLOG = 2048
_HOSTS = "127.0.0.1 is this machine alone, 0.0.0.0 all of its addresses"


def listen(host: str, port: int, *, choose: str = "--port or PALAVER_PORT") -> socket.socket:
    """A socket that listens; InputError if there cannot be one at this place.

    `choose` says how another port is chosen. Port 0 is any that is free.
    """
    if not 0 <= port <= LARGEST_PORT:
        raise InputError(
            f"A port is a number up to {LARGEST_PORT:,}; got {port}. Choose one with {choose}."
        )
    if not host.strip():
        raise InputError(f"The host is empty. Choose one with --host: {_HOSTS}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # At once: until then another process could bind the same port, and fail later.
        listening.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        listening.close()
        raise InputError(_why_not(host, port, error, choose)) from error
    listening.set_inheritable(True)
    return listening


def port_of(listening: socket.socket) -> int:
    """The port of a socket that listens."""
    return int(listening.getsockname()[1])


def _why_not(host: str, port: int, error: OSError | UnicodeError, choose: str) -> str:
    place = f"Port {port} on {host} cannot be used"
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return f"{place}: another program uses it. Choose another with {choose}, or stop that one."
    if code in (errno.EACCES, errno.EPERM):
        return (
            f"{place}: ports below 1024 are for administrators. Choose a larger one with {choose}."
        )
    if code == errno.EADDRNOTAVAIL:
        return f"This machine does not have the address {host}. Choose one with --host: {_HOSTS}."
    if isinstance(error, socket.gaierror | UnicodeError):
        return f"No machine is known as '{host}'. Choose an address with --host: {_HOSTS}."
    return f"{place}: {error}. Choose another with {choose}."


class TellingServer(uvicorn.Server):
    """Uvicorn that says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._started()
