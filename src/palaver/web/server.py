"""Runs the application under uvicorn until it is told to stop."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from palaver.web.connections import PlacedWebSocket, behind_a_gate
from palaver.web.memory import settle
from palaver.web.settings import Settings
from palaver.web.socket import TellingServer

MAX_FRAME_BYTES = 256 * 1024
SETTLE_SECONDS = 1.0


class Server(TellingServer):
    """Uvicorn that says when it listens, and for which a signal is a clean end."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, tell, and tidy the memory a little later."""
        await super().startup(sockets)
        if self.started and not self.should_exit:
            # Not before the first page: it takes a tenth of a second.
            asyncio.get_running_loop().call_later(SETTLE_SECONDS, settle)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on Ctrl-C and SIGTERM; uvicorn would raise the signal again and skip our clean-up."""
        loop = asyncio.get_running_loop()
        stopping = (signal.SIGINT, signal.SIGTERM)
        for number in stopping:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in stopping:
                loop.remove_signal_handler(number)


def serve(
    deployment: Deployment,
    listening: socket.socket,
    *,
    settings: Settings | None = None,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve a deployment at a socket until Ctrl-C or SIGTERM, then end cleanly.

    PalaverError if it cannot start: a system that cannot be built, a store that does not answer.
    """
    settings = settings or Settings()
    app = create_app(deployment, settings)
    config = uvicorn.Config(
        app,
        http=behind_a_gate(settings.connections),
        ws=PlacedWebSocket,
        ws_max_size=MAX_FRAME_BYTES,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    server = Server(config, started)
    with (
        _said_once(app),
        asyncio.Runner(loop_factory=config.get_loop_factory()) as runner,
    ):
        runner.run(server.serve(sockets=[listening]))


@contextmanager
def _said_once(app: Starlette) -> Iterator[None]:
    """Raise what kept the application from starting, of which uvicorn would log a traceback."""
    log = logging.getLogger("uvicorn.error")

    def is_news(record: logging.LogRecord) -> bool:
        return app.state.refusal is None

    log.addFilter(is_news)
    try:
        yield
    except SystemExit:
        if app.state.refusal is not None:
            raise app.state.refusal from None
        raise
    finally:
        log.removeFilter(is_news)
