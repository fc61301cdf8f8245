"""Durable chat against a bare relay that stores nothing.

Both servers get the same load from the same generator, one after the other, in alternate rounds;
the medians stand in the table. Ours checks the rules, stores each message with `synchronous=FULL` and
acknowledges it only after the commit.
"""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import furnishing
from benchmarks.processes import ROOT, Serving, palaver, relay
from benchmarks.table import Figure

RATE = 1000.0
RATE_SOCKETS = 1000


def run(*, sizes: tuple[int, ...], rounds: int, seconds: float) -> tuple[list[Figure], Any]:
    """Messages a second, latency and memory for each number of sockets."""
    _raise_limit()
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as folder:
        for sockets in sizes:
            ours, floors = _size(Path(folder), sockets, rounds, seconds)
            details[str(sockets)] = {"palaver": ours, "relay": floors}
            figures += _figures(sockets, ours, floors)
    return figures, details


def _size(
    folder: Path, sockets: int, rounds: int, seconds: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    study = furnishing.write_study(folder / "study")
    template = folder / f"home-{sockets}"
    store = furnishing.open_store(template)
    try:
        seats = furnishing.seat_pairs(store, furnishing.register(store, study), sockets // 2)
    finally:
        store.close()
    pairs = [[{"path": s.path, "cookie": s.cookie} for s in two] for two in seats]
    plain = [[{"path": f"/pair/{n}/{s}", "cookie": ""} for s in (0, 1)] for n in range(len(pairs))]
    ours, floors = [], []
    for number in range(rounds):
        home = folder / f"home-{sockets}-{number}"
        shutil.copytree(template, home)
        with palaver(study, home) as serving:
            furnishing.wait_until_driven(home)
            ours.append(load(serving, pairs, seconds=seconds))
        shutil.rmtree(home)
        with relay(folder / "relay.log") as serving:
            floors.append(load(serving, plain, seconds=seconds))
    return ours, floors


def load(serving: Serving, pairs: list[Any], *, seconds: float) -> dict[str, Any]:
    """What the generator measured against one server."""
    plan: dict[str, Any] = {
        "port": serving.port,
        "pid": serving.pid,
        "pairs": pairs,
        "text": furnishing.WORDS,
        "rest": 4.0,
        "closed": {"warm_up": min(2.0, seconds), "seconds": seconds},
    }
    if 2 * len(pairs) == RATE_SOCKETS:
        plan["open"] = {"rate": RATE, "warm_up": 1.0, "seconds": 2 * seconds}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load"],
        input=json.dumps(plan).encode(),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        timeout=300,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    for phase in ("closed", "open"):
        errors = result.get(phase, {}).get("errors")
        if errors:
            tail = serving.log.read_text(errors="replace")[-2000:]
            raise RuntimeError(f"the {phase} loop met errors: {errors}\n{tail}")
    return result


def _figures(sockets: int, ours: list[Any], floors: list[Any]) -> list[Figure]:
    def both(name: str, phase: str, key: str, unit: str, **options: Any) -> Figure:
        return Figure(
            f"{sockets:,} sockets: {name}",
            median(run[phase][key] for run in ours),
            median(run[phase][key] for run in floors),
            unit,
            **options,
        )

    def rate(run: dict[str, Any]) -> float:
        return float(run["closed"]["messages"] / run["closed"]["seconds"])

    def cost(run: dict[str, Any]) -> float:
        return float(1e6 * run["closed"]["server_cpu"] / run["closed"]["messages"])

    def memory(run: dict[str, Any]) -> float:
        return float((run["rss_connected"] - run["rss_before"]) / run["sockets"] / 1024)

    figures = [
        Figure(
            f"{sockets:,} sockets: messages stored",
            median(map(rate, ours)),
            median(map(rate, floors)),
            "/s",
            goal="≥ 90 % of the floor" if sockets >= 1000 else "",
            met=(lambda f: f.ours >= 0.9 * f.floor) if sockets >= 1000 else None,
        ),
        Figure(
            f"{sockets:,} sockets: server CPU per message",
            median(map(cost, ours)),
            median(map(cost, floors)),
            "µs",
        ),
        both("closed loop, own message p50", "closed", "ack_p50", "ms"),
        both("closed loop, own message p99", "closed", "ack_p99", "ms"),
        both("closed loop, partner's p99", "closed", "partner_p99", "ms"),
        Figure(
            f"{sockets:,} sockets: memory per socket",
            median(map(memory, ours)),
            median(map(memory, floors)),
            "KB",
            goal="≤ 30 KB",
            met=lambda f: f.ours <= 30,
        ),
    ]
    if all("open" in run for run in ours):
        goal = {"goal": "≤ 5 ms", "met": lambda f: f.ours <= 5}
        figures += [
            both("1,000 messages/s, own message p50", "open", "ack_p50", "ms"),
            both("1,000 messages/s, own message p99", "open", "ack_p99", "ms", **goal),
            both("1,000 messages/s, partner's p99", "open", "partner_p99", "ms", **goal),
            both("1,000 messages/s, the generator was late p99", "open", "lag_p99", "ms"),
        ]
    return figures


def _raise_limit() -> None:
    # The servers inherit it: 5,000 sockets need as many files.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
