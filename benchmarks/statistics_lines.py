"""Dialogue lines in and out, validated, against the json module, which validates nothing."""

import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.statistics_measuring import memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.formats.palaver import read_dialogues, write_records

HERE = __name__
# As short as the dialogues for which the goal was set: json takes about 25 µs for one.
MESSAGES = 2
TEXTS = ("Hi there, how was your weekend?", "It was fine, thank you. I went for a long walk.")


def run(*, lines: int) -> tuple[list[Figure], Any]:
    """Lines per second of CPU: read, checked and written again."""
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as folder:
        source = Path(folder) / "dialogues.jsonl"
        size = _write(source, lines)
        where = {"source": str(source), "target": str(Path(folder) / "again.jsonl")}
        ours = side(f"{HERE}:ours", **where)
        plain = side(f"{HERE}:json_loop", **where)
    what = f"{lines:,} dialogue lines in and out ({size / lines:.0f} bytes each)"
    limit = 7.0 * lines / 1_000_000
    return [
        seconds(what, ours, most=limit),
        speed(f"{what} (floor: json)", lines, "/s", ours, plain),
        memory(f"{what}: peak memory", ours, most=100),
        memory("json: peak memory", plain),
    ], {"ours": ours, "json": plain, "bytes": size}


def ours(*, source: str, target: str) -> dict[str, Any]:
    """Each line becomes typed records, is checked, and is written."""

    def work() -> None:
        with Path(source).open("rb") as given, Path(target).open("wb") as out:
            write_records(read_dialogues(given), out)

    return timed(work, rounds=2)


def json_loop(*, source: str, target: str) -> dict[str, Any]:
    """Each line becomes dictionaries and lists, and is written."""

    def work() -> None:
        with Path(source).open(encoding="utf-8") as given, Path(target).open("w") as out:
            for line in given:
                out.write(json.dumps(json.loads(line)) + "\n")

    return timed(work, rounds=2)


def _write(path: Path, lines: int) -> int:
    seats = [
        {"index": 0, "kind": "person", "occupant": "p1"},
        {"index": 1, "kind": "system", "occupant": "chatty"},
    ]
    events = [
        {
            "seq": n + 1,
            "seat": n % 2,
            "action": "message",
            "data": {"text": TEXTS[n % 2]},
            "time": n,
        }
        for n in range(MESSAGES)
    ]
    with path.open("w", encoding="utf-8") as out:
        for n in range(lines):
            record = {"id": f"d{n}", "study": "bench", "seats": seats, "events": events}
            out.write(json.dumps(record) + "\n")
    return path.stat().st_size
