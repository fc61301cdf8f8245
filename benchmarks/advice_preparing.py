"""Preparing advice from a made-up dump, beside parsing its lines and doing nothing.

The floor decodes every line with msgspec to plain Python values, read in the same blocks. The same is
measured on a dump of a quarter of the size, so that one sees whether memory grows.

Run: python -m benchmarks.advice_preparing [--lines 10000000] [--share 0.3] [--zst]
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.advice_dump import write_dump
from benchmarks.statistics_measuring import side, timed
from benchmarks.table import Figure, show
from palaver.formats.advice.dumps import dump_lines
from palaver.formats.advice.training_set import TrainingSetPlan, make_training_set

HERE = __name__ if __name__ != "__main__" else "benchmarks.advice_preparing"
LEAST_RATE = 0.5
# Memory may grow by no more than this while the dump grows fourfold.
MOST_GROWTH = 1.25


def run(*, lines: int, share: float = 0.3, zst: bool = False) -> tuple[list[Figure], Any]:
    """Lines per second and peak memory."""
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        folder = Path(name)
        small = _measured(folder, lines // 4, share, zst)
        large = _measured(folder, lines, share, zst)
    rate = lines / large["preparing"]["seconds"]
    figures = [
        Figure(
            f"lines prepared, of {lines:,} (floor: parsed)",
            rate,
            lines / large["parsing"]["seconds"],
            "/s",
            goal=f"≥ {LEAST_RATE:g}×",
            met=lambda figure: figure.ours >= LEAST_RATE * (figure.floor or 0),
        ),
        Figure(
            "peak memory (floor: a quarter of the lines)",
            large["preparing"]["peak_mb"],
            small["preparing"]["peak_mb"],
            "MB",
            goal=f"≤ {MOST_GROWTH:g}×",
            met=lambda figure: figure.ours <= MOST_GROWTH * (figure.floor or 0),
        ),
    ]
    return figures, {"small": small, "large": large, "share": share, "zst": zst}


def parsing(*, path: str) -> dict[str, Any]:
    """Every line parsed, and nothing done with it."""
    decode = msgspec.json.Decoder().decode

    def work() -> None:
        for lines in dump_lines(Path(path)):
            for line in lines:
                decode(line)

    return timed(work)


def preparing(*, path: str, folder: str) -> dict[str, Any]:
    """The whole way from the dump to the set."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        made = Path(name) / "made"
        made.mkdir()
        reports = []

        def work() -> None:
            scratch = Path(name) / "scratch"
            reports.append(
                make_training_set([Path(path)], made, plan=TrainingSetPlan(), scratch=scratch)
            )

        found: dict[str, Any] = timed(work)
    report = reports[0]
    return found | {"situations": report.posts.left, "examples": report.comments.left}


def _measured(folder: Path, lines: int, share: float, zst: bool) -> dict[str, Any]:
    path = folder / "dump.jsonl"
    write_dump(path, lines, share=share)
    if zst:
        path = _packed(path)
    found = {
        "lines": lines,
        "bytes": path.stat().st_size,
        "parsing": side(f"{HERE}:parsing", path=str(path)),
        "preparing": side(f"{HERE}:preparing", path=str(path), folder=str(folder)),
    }
    path.unlink()
    return found


def _packed(path: Path) -> Path:
    import zstandard

    packed = path.with_suffix(".zst")
    with path.open("rb") as source, packed.open("wb") as out:
        zstandard.ZstdCompressor(level=3).copy_stream(source, out)
    path.unlink()
    return packed


def main() -> None:
    """Measure at the size that was asked for."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--lines", type=int, default=10_000_000)
    arguments.add_argument("--share", type=float, default=0.3)
    arguments.add_argument("--zst", action="store_true")
    options = arguments.parse_args()
    figures, details = run(lines=options.lines, share=options.share, zst=options.zst)
    print(show("Preparing advice", figures))
    print(json.dumps(details, indent=1))


if __name__ == "__main__":
    main()
