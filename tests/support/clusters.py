"""Real clusters of two nodes on this machine, for engines; every process ends with the test."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from support.serving import free_port

TESTS = Path(__file__).parents[1]
START_SECONDS = 90


@dataclass
class Cluster:
    """A cluster's address, what a driver needs in its environment, and a node that may die."""

    engine: str
    environment: dict[str, str]
    victim: subprocess.Popen[bytes]

    def kill_node(self) -> None:
        """Kill one node and everything it started, as a power cut would."""
        _kill_tree(self.victim)


@contextmanager
def dask_cluster() -> Iterator[Cluster]:
    """A scheduler and two workers of one thread each."""
    port = free_port()
    environment = _environment()
    scheduler = _start(
        "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port),
        "--no-dashboard", "--no-show", environment=environment,
    )  # fmt: skip
    folder = tempfile.mkdtemp(prefix="dask")
    workers = [_dask_worker(port, folder, environment) for _ in range(2)]
    try:
        _await_port(port, scheduler)
        yield Cluster(f"dask://127.0.0.1:{port}", {}, workers[1])
    finally:
        for process in (*workers, scheduler):
            _kill_tree(process)
        shutil.rmtree(folder, ignore_errors=True)


def _dask_worker(port: int, folder: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return _start(
        "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1",
        "--no-dashboard", "--no-nanny", "--local-directory", folder, environment=environment,
    )  # fmt: skip


@contextmanager
def ray_cluster() -> Iterator[Cluster]:
    """A head and a second node of one processor each."""
    port = free_port()
    # The path of a Unix socket below it must stay short.
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    environment = _environment() | {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
        "RAY_ADDRESS": f"127.0.0.1:{port}",
        "RAY_TMPDIR": folder,
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_failure_threshold": "3",
    }
    common = ("--num-cpus", "1", "--object-store-memory", "100000000", "--block")
    head = _start(
        "-m", "ray.scripts.scripts", "start", "--head", "--port", str(port), "--temp-dir", folder,
        "--include-dashboard", "false", "--ray-client-server-port", str(free_port()),
        "--node-ip-address", "127.0.0.1", *common, environment=environment,
    )  # fmt: skip
    processes = [head]
    try:
        _await_port(port, head)
        second = _start(
            "-m", "ray.scripts.scripts", "start", "--address", f"127.0.0.1:{port}",
            "--node-ip-address", "127.0.0.1", *common, environment=environment,
        )  # fmt: skip
        processes.append(second)
        _await_nodes(environment)
        yield Cluster("ray://auto", environment, second)
    finally:
        for process in reversed(processes):
            _kill_tree(process)
        shutil.rmtree(folder, ignore_errors=True)


def _environment() -> dict[str, str]:
    paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _start(*arguments: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The cluster ended at once with {process.returncode}.")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("The cluster did not start in time.")


def _await_nodes(environment: dict[str, str]) -> None:
    waiting = (
        "import ray, time\n"
        "ray.init(address='auto', log_to_driver=False, logging_level='error')\n"
        "while sum(node['Alive'] for node in ray.nodes()) < 2: time.sleep(0.1)\n"
    )
    subprocess.run(
        [sys.executable, "-c", waiting],
        env=environment,
        check=True,
        timeout=START_SECONDS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its descendants, also those in sessions of their own."""
    for pid in [*_descendants(process.pid), process.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=30)


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, _, rest = status.read_text().partition(" (")
            parent = int(rest.rpartition(") ")[2].split()[1])
            children.setdefault(parent, []).append(int(pid))
    found: list[int] = []
    waiting = [root]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found += mine
        waiting += mine
    return found
