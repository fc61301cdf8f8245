"""A stand-in of a panel served beside something else, at a free port of this machine alone."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import uvicorn

from palaver.core.errors import PanelUnreachableError
from palaver.crowds.prolific.stand_in.app import stand_in_app
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.web.socket import TellingServer, listen, port_of

STARTING_SECONDS = 30.0
STOPPING_SECONDS = 10.0


@contextmanager
def serve_beside(stand_in: StandIn) -> Iterator[None]:
    """Serve a stand-in on a thread for as long as this is open; its `base` says where."""
    ready = threading.Event()
    with closing(listen("127.0.0.1", 0)) as listening:
        stand_in.base = f"http://127.0.0.1:{port_of(listening)}"
        config = uvicorn.Config(
            stand_in_app(stand_in), log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        server = TellingServer(config, ready.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            if not ready.wait(STARTING_SECONDS):
                raise PanelUnreachableError("The stand-in of the panel did not start.")
            yield
        finally:
            server.should_exit = True
            thread.join(timeout=STOPPING_SECONDS)
