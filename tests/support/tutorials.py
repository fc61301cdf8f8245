"""A tutorial of the documentation as a test: its commands in order, and what it says they print."""

import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from support.serving import free_port

SETTINGS = ("PALAVER_DATABASE_URL", "PALAVER_HOME", "PALAVER_PORT", "PALAVER_PUBLIC_URL")


@dataclass(frozen=True)
class Step:
    """A command of a tutorial, and lines that it says will be printed."""

    command: list[str]
    expected: list[str]


def steps_in(blocks: list[str]) -> list[Step]:
    """The commands of console blocks, in order."""
    found: list[Step] = []
    for block in blocks:
        for line in block.splitlines():
            if line.startswith("$ "):
                assert line.startswith("$ palaver "), line
                found.append(Step(shlex.split(line)[2:], []))
            else:
                found[-1].expected.append(line)
    return found


class Tutorial:
    """Somebody who follows a tutorial in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        own = {key: value for key, value in os.environ.items() if key not in SETTINGS}
        self._environment = {**own, "PALAVER_PORT": str(self.port), "PYTHONUNBUFFERED": "1"}
        self._server: subprocess.Popen[str] | None = None

    def run(self, step: Step, *, seconds: float = 60) -> str:
        """Run a command to its end; what it printed, which is what the tutorial says."""
        done = subprocess.run(
            [sys.executable, "-m", "palaver", *step.command],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        for line in step.expected:
            assert line.replace(":8000/", f":{self.port}/") in done.stdout
        return done.stdout

    def serve(self, step: Step) -> str:
        """Start a server; what it prints until it is up."""
        with (self.folder / "serve.log").open("w") as log:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "palaver", *step.command],
                cwd=self.folder,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            printed = (self.folder / "serve.log").read_text()
            assert self._server.poll() is None, printed
            if "Ctrl-C" in printed:
                assert "one-time password: " in printed
                return printed
            time.sleep(0.1)
        raise AssertionError("the server did not say where it is")

    def close(self) -> None:
        """Stop the server as Ctrl-C does."""
        if self._server is not None:
            self._server.terminate()
            assert self._server.wait(timeout=60) == 0
