"""A real `palaver serve` in a process of its own."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path


def free_port() -> int:
    """A port nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Server:
    """A serving process and its address."""

    process: "subprocess.Popen[bytes]"
    base: str
    log: Path

    def kill(self) -> None:
        """kill -9, as a crash would."""
        self.process.kill()
        self.process.wait(timeout=20)

    def stop(self) -> int:
        """SIGTERM and the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=20)
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
    ready_within: float = 30.0,
) -> Server:
    """Serve a study; returns once the server answers."""
    port = port or free_port()
    home.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})}
    env.setdefault("PALAVER_REQUESTS_PER_SECOND", "100000")
    # Servers start often here: let them keep their bytecode, but not in the source tree.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "palaver-tests-bytecode")
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
