"""Cost per message with few and with many stored dialogues: it should not grow.

The same load (a fixed rate, so that both do the same work) against the same server on two homes.
What is compared is the CPU the server used per message; other work on the machine does not count.
"""

import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import chat, furnishing
from benchmarks.processes import palaver
from benchmarks.table import Figure

SOCKETS = 200


def run(*, few: int, many: int, rounds: int, seconds: float) -> tuple[list[Figure], Any]:
    """CPU per message with `few` and with `many` stored dialogues, in alternate rounds."""
    costs: dict[int, list[float]] = {few: [], many: []}
    waits: dict[int, list[float]] = {few: [], many: []}
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        folder = Path(name)
        study = furnishing.write_study(folder / "study")
        pairs = {stored: _furnish(folder / str(stored), study, stored) for stored in (few, many)}
        for _ in range(rounds):
            for stored in (few, many):
                home = folder / "running"
                shutil.copytree(folder / str(stored), home)
                with palaver(study, home) as serving:
                    furnishing.wait_until_driven(home)
                    measured = chat.load(serving, pairs[stored], seconds=seconds)["closed"]
                shutil.rmtree(home)
                costs[stored].append(1e6 * measured["server_cpu"] / measured["messages"])
                waits[stored].append(measured["ack_p50"])
    figures = [
        Figure(
            f"server CPU per message, {many:,} stored dialogues (floor: {few:,})",
            median(costs[many]),
            median(costs[few]),
            "µs",
            goal="≤ 1.2×",
            met=lambda f: f.ours <= 1.2 * f.floor,
        ),
        Figure("own message p50, likewise", median(waits[many]), median(waits[few]), "ms"),
    ]
    return figures, {"cpu": costs, "p50": waits}


def _furnish(home: Path, study: Path, stored: int) -> list[Any]:
    store = furnishing.open_store(home)
    try:
        study_id = furnishing.register(store, study)
        furnishing.store_finished(store, study_id, stored)
        seats = furnishing.seat_pairs(store, study_id, SOCKETS // 2)
    finally:
        store.close()
    return [[{"path": s.path, "cookie": s.cookie} for s in two] for two in seats]
