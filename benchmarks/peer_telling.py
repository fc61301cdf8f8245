"""How a peer is asked and how it tells what it took: one line among all that it prints.

Both sides read this module, and a peer's environment has no packages of ours: standard library only.
"""

import json
import sys
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

MARK = "measured: "


@dataclass(frozen=True, slots=True)
class Told:
    """What a peer says of its run: CPU seconds of the evaluation, and the score it found."""

    version: str
    cpu: float
    score: float


def asked() -> dict[str, Any]:
    """What the command line asks of this peer."""
    found: dict[str, Any] = json.loads(sys.argv[1])
    return found


def tell(package: str, *, cpu: float, score: float) -> None:
    """Print the line."""
    told = {"version": version(package), "cpu": cpu, "score": score}
    print(f"\n{MARK}{json.dumps(told)}", flush=True)


def read(output: str) -> Told:
    """What a peer told, found in its output; a ValueError if it told nothing."""
    lines = [line for line in output.splitlines() if line.startswith(MARK)]
    if len(lines) != 1:
        raise ValueError(f"expected one line that begins with '{MARK}'; found {len(lines)}")
    return Told(**json.loads(lines[0].removeprefix(MARK)))
