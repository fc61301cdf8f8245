"""Measures the coverage of every interval procedure and prints a line for each design point.

Run: python -m coverage_study [--simulations N] [--only TEXT] [--processes N] [--write] [--json FILE]
"""

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from coverage_study.page import line, write
from coverage_study.points.every import POINTS
from coverage_study.simulating import measure

SIMULATIONS = 2000


def main() -> None:
    """Measure what was asked for; exit status 1 if a promise was missed."""
    options = _options()
    chosen = [point for point in POINTS if options.only.lower() in point.name.lower()]
    results = []
    # Two processes of one thread each are quicker than one that waits for its own threads.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(options.processes) as pool:
        for point in chosen:
            simulations = round(point.times * options.simulations)
            found = measure(point, simulations=simulations, seed=options.seed, pool=pool)
            print(line(found), flush=True)
            results.append(found)
    missed = [found for found in results if found.verdict == "MISSED"]
    print(f"{len(results)} design points, {len(missed)} missed.")
    if options.write:
        write(results)
    if options.json:
        records = [found.record() for found in results]
        options.json.write_text(json.dumps(records, indent=1), encoding="utf-8")
    sys.exit(1 if missed else 0)


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--simulations", type=int, default=SIMULATIONS, metavar="N")
    arguments.add_argument("--only", default="", metavar="TEXT", help="points that name this")
    arguments.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument(
        "--write", action="store_true", help="renew the tables of docs/coverage.md"
    )
    arguments.add_argument("--json", type=Path, metavar="FILE")
    return arguments.parse_args()


if __name__ == "__main__":
    main()
