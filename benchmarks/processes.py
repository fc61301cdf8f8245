"""Servers in processes of their own, and what the kernel says about them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
# Nobody is slowed down on purpose here.
UNLIMITED = {"PALAVER_MOVES_PER_SECOND": "1e9", "PALAVER_REQUESTS_PER_SECOND": "1e9"}
# An installed program has its byte code beside it; a checkout may forbid that. Both kinds of server
# get a folder for it here, so that a start is measured and not a compilation.
BYTE_CODE = Path(tempfile.gettempdir()) / f"palaver-bench-bytecode-{os.getuid()}"


@dataclass(frozen=True, slots=True)
class Serving:
    """A serving process."""

    pid: int
    port: int
    # Seconds from the start of the process to the first page answered.
    started_in: float
    # CPU seconds it took for that; other work on the machine does not count here.
    started_with: float
    log: Path


def free_port() -> int:
    """A port nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def palaver(
    study: Path, home: Path, *, page: str = "/health", database_url: str | None = None
) -> Iterator[Serving]:
    """The real server on a home, until the block is left."""
    port = free_port()
    command = [sys.executable, "-m", "palaver", "serve", str(study)]
    command += ["--home", str(home), "--port", str(port)]
    with _running(command, port, page, home / "serve.log", database_url) as serving:
        yield serving


@contextlib.contextmanager
def bare_form(log: Path, file: Path) -> Iterator[Serving]:
    """The bare form, until the block is left."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.form", "--port", str(port), "--file", str(file)]
    with _running(command, port, "/health", log) as serving:
        yield serving


@contextlib.contextmanager
def relay(log: Path) -> Iterator[Serving]:
    """The bare relay, until the block is left."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.relay", "--port", str(port)]
    with _running(command, port, "/health", log) as serving:
        yield serving


@contextlib.contextmanager
def _running(
    command: list[str], port: int, page: str, log: Path, database_url: str | None = None
) -> Iterator[Serving]:
    environment = {**os.environ, **UNLIMITED}
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    environment["PYTHONPYCACHEPREFIX"] = str(BYTE_CODE)
    if database_url is not None:
        environment["PALAVER_DATABASE_URL"] = database_url
    with log.open("ab") as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=ROOT
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}{page}", log)
        started_in = time.perf_counter() - began
        yield Serving(process.pid, port, started_in, cpu_seconds(process.pid), log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)


def _wait(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended at once:\n{log.read_text(errors='replace')}")
        try:
            with urllib.request.urlopen(url, timeout=30) as response:
                response.read()
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.005)
    raise RuntimeError(f"no answer from {url}:\n{log.read_text(errors='replace')}")


def cpu_seconds(pid: int, *, ended: bool = False) -> float:
    """User and system time a process has used, its threads included.

    With `ended`, that of the processes it started which have ended.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    first = 13 if ended else 11
    return (int(fields[first]) + int(fields[first + 1])) / TICKS


def resident_bytes(pid: int) -> int:
    """Memory of a process that is in RAM."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
