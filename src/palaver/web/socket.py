"""A socket to serve at, or a sentence that says why there is none; a server that says it is up."""

import socket
from collections.abc import Callable

import uvicorn

from palaver.core.errors import InputError


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; InputError if the port is taken or not allowed."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InputError(
            f"Port {port} on {host} cannot be used ({error.strerror}). Choose another with --port "
            "or PALAVER_PORT, or stop whatever uses it."
        ) from error
    listening.set_inheritable(True)
    return listening


class TellingServer(uvicorn.Server):
    """Uvicorn that says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._started()
