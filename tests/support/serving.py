"""A real `palaver serve` in a process of its own."""

import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# How many ports each process of the test run has for itself.
PORTS = 1_000


def free_port() -> int:
    """A free port that nobody else will be given, so that it can be bound later, and again.

    Each process of the test run has ports of its own, below those of outgoing connections, and goes
    through all of them before it gives one out a second time.
    """
    for port in itertools.islice(_ports, PORTS):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no free port among those of this process")


def _own_ports() -> Iterator[int]:
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = 20_000 + worker % 12 * PORTS
    # Another test run on this machine has the same ports: begin somewhere else.
    ports = random.SystemRandom().sample(range(first, first + PORTS), PORTS)
    return itertools.cycle(ports)


_ports = _own_ports()


@dataclass
class Server:
    """A serving process and its address."""

    process: "subprocess.Popen[bytes]"
    base: str
    log: Path

    @property
    def home(self) -> Path:
        """Where it keeps its state."""
        return self.log.parent

    def kill(self) -> None:
        """kill -9, as a crash would."""
        self.process.kill()
        self.process.wait(timeout=60)

    def stop(self) -> int:
        """SIGTERM and the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                # It writes to its log where it hangs.
                self.process.send_signal(signal.SIGABRT)
                self.process.wait(timeout=60)
        return int(self.process.returncode)

    def output(self) -> str:
        """Everything it has printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")


def start_server(
    study: Path,
    *,
    home: Path,
    port: int | None = None,
    database_url: str | None = None,
    environment: dict[str, str] | None = None,
    ready_within: float = 60.0,
) -> Server:
    """Serve a study; returns once the server answers."""
    port = port or free_port()
    home.mkdir(parents=True, exist_ok=True)
    settled = {"PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}
    env = {**os.environ, **settled, **(environment or {})}
    env.setdefault("PALAVER_REQUESTS_PER_SECOND", "100000")
    if database_url is not None:
        env["PALAVER_DATABASE_URL"] = database_url
    else:
        env.pop("PALAVER_DATABASE_URL", None)
    log = home / f"serve-{port}.log"
    with log.open("ab") as out:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "palaver",
                "serve",
                str(study),
                "--home",
                str(home),
                "--port",
                str(port),
            ],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=env,
        )
    server = Server(process, f"http://127.0.0.1:{port}", log)
    _wait_until_ready(server, ready_within)
    return server


def _wait_until_ready(server: Server, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            raise AssertionError(f"the server ended at once:\n{server.output()}")
        try:
            with urllib.request.urlopen(f"{server.base}/health", timeout=2) as response:
                if response.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    server.kill()
    raise AssertionError(f"the server did not answer within {seconds} s:\n{server.output()}")
