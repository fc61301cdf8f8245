"""Runs one side of a comparison in a process of its own: seconds and peak memory.

A side is a function `module:function` that prepares its data, measures itself with `timed`, and
returns a dictionary. Its process is new, so that the peak is its own and nothing is warm.

Run: python -m benchmarks.statistics_measuring '{"side": "module:function", "options": {}}'
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT
from benchmarks.table import Figure

# No job may take more memory than this.
MOST_MEMORY = 2000.0


def side(name: str, **options: Any) -> dict[str, Any]:
    """What a side measured, with the peak of its process in MB."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.statistics_measuring",
            json.dumps({"side": name, "options": options}),
        ],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def timed(work: Callable[[], object], *, rounds: int = 1) -> dict[str, float]:
    """The least seconds of some rounds: by the CPU's clock or by the wall's, whichever is less.

    On a busy machine the wall's clock counts the work of others; with several threads the CPU's
    counts those that wait. Neither can be less than what the work took.
    """
    cpu, wall = [], []
    for _ in range(rounds):
        began, clock = time.process_time(), time.perf_counter()
        work()
        cpu.append(time.process_time() - began)
        wall.append(time.perf_counter() - clock)
    return {"seconds": min(*cpu, *wall), "cpu": min(cpu), "wall": min(wall)}


def extrapolated(measured: dict[str, float], *, done: int, wanted: int) -> dict[str, float]:
    """What all of it would have taken, from what some of it took."""
    scale = wanted / done
    return {name: scale * each for name, each in measured.items()} | {"measured": done}


def speed(
    name: str,
    amount: float,
    unit: str,
    ours: dict[str, Any],
    other: dict[str, Any],
    *,
    least: float | None = None,
) -> Figure:
    """How much is done in a second, ours and theirs; the ratio is how many times as fast."""
    return Figure(
        name,
        amount / ours["seconds"],
        amount / other["seconds"],
        unit,
        goal=f"≥ {least:,g}×" if least else "",
        met=None if least is None else lambda f: f.ours >= least * f.floor,
    )


def seconds(name: str, ours: dict[str, Any], *, most: float | None = None) -> Figure:
    """How long ours took."""
    return Figure(
        name,
        ours["seconds"],
        None,
        "s",
        goal=f"≤ {most:g} s" if most else "",
        met=None if most is None else lambda f: f.ours <= most,
    )


def memory(name: str, ours: dict[str, Any], *, most: float = MOST_MEMORY) -> Figure:
    """The peak memory of ours."""
    return Figure(
        name, ours["peak_mb"], None, "MB", goal=f"≤ {most:,.0f} MB", met=lambda f: f.ours <= most
    )


def main() -> None:
    """Run the side that was asked for and print what it measured."""
    asked = json.loads(sys.argv[1])
    module, _, function = asked["side"].partition(":")
    found = getattr(import_module(module), function)(**asked["options"])
    found["peak_mb"] = _peak_mb()
    print(json.dumps(found))


def _peak_mb() -> float:
    """The most memory that this process had in RAM.

    `getrusage` would not do: what it says of a new process begins with the peak of its parent.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the kernel does not say how much memory this process has used")


if __name__ == "__main__":
    main()
