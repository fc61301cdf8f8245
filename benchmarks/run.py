"""Runs the benchmarks, prints a table for each, and writes everything measured as JSON.

Run: python -m benchmarks.run [--quick | --full] [--install] [--only NAME]…
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import (
    advice_preparing,
    advice_retrieval,
    annotating,
    browser,
    challenge,
    chat,
    dynaboard,
    export,
    growth,
    large,
    model_runs,
    perturbing,
    picking,
    selfplay,
    sequential,
    startup,
    statistics_alpha,
    statistics_distances,
    statistics_lines,
    statistics_tukey,
    statistics_votes,
    training,
    training_made,
    writing,
)
from benchmarks.processes import ROOT
from benchmarks.table import Figure, show

Benchmark = Callable[[argparse.Namespace], tuple[list[Figure], Any]]

BENCHMARKS: dict[str, tuple[str, Benchmark]] = {
    "chat": (
        "Durable chat (floor: a bare relay that stores nothing)",
        lambda options: chat.run(
            sizes=(100, 1000) if options.quick else (100, 1000, 5000),
            rounds=1 if options.quick else 3,
            seconds=3.0 if options.quick else 6.0,
        ),
    ),
    "browser": (
        "Pages in a slow phone's browser (CPU ÷ 4, 1.6 Mbit/s, 150 ms, nothing cached)",
        lambda options: browser.run(
            rounds=1 if options.quick else 3,
            boards=(40,) if options.quick else (40, 200),
            moves=9 if options.quick else 25,
        ),
    ),
    "startup": (
        "Start-up and size (floor: bare Starlette under uvicorn)",
        lambda options: startup.run(
            stored=1_000 if options.quick else 10_000,
            rounds=1 if options.quick else 5,
            install=options.install,
        ),
    ),
    "export": (
        "Export (floor: json.dumps of the same rows)",
        lambda options: export.run(
            stored=2_000 if options.quick else 20_000, rounds=1 if options.quick else 3
        ),
    ),
    "growth": (
        "Growth (floor: the same server with few stored dialogues)",
        lambda options: growth.run(
            few=1_000,
            many=10_000 if options.quick else 100_000,
            rounds=1 if options.quick else 3,
            seconds=3.0 if options.quick else 5.0,
        ),
    ),
    "large": (
        "The desk and the commands on a large study (three labels for each dialogue)",
        lambda options: large.run(dialogues=5_000 if options.quick else 100_000),
    ),
    "annotating": (
        "Annotating (floor: a bare annotation server, Starlette and SQLite with group commit)",
        lambda options: annotating.run(
            raters=(10, 50) if options.quick else (1, 10, 50, 200),
            sheets=2_000 if options.quick else 20_000,
            seconds=3.0 if options.quick else 6.0,
            growth=(1_000, 5_000) if options.quick else (1_000, 10_000, 100_000),
            postgres=not options.quick,
        ),
    ),
    "picking": (
        "Handing out sheets (floor: the same with few sheets)",
        lambda options: picking.run(
            sizes=(1_000, 10_000) if options.quick else (1_000, 10_000, 100_000),
            rounds=3 if options.quick else 9,
            each=2 if options.quick else 4,
        ),
    ),
    "tukey": (
        "Randomised Tukey HSD (a floor of fewer trials is extrapolated)",
        lambda options: statistics_tukey.run(
            topics=300,
            systems=10,
            trials=1_000 if options.quick else 10_000,
            plain=100 if options.quick else 1_000,
            scipy_=100 if options.quick else 2_000,
        ),
    ),
    "alpha": (
        "Krippendorff's α with bootstraps (a floor of a few bootstraps is extrapolated)",
        lambda options: statistics_alpha.run(
            sizes=(1_000,) if options.quick else (1_000, 100_000),
            resamples=1_000,
            done=5 if options.quick else 10,
        ),
    ),
    "bradley-terry": (
        "Bradley–Terry with bootstraps (a floor of a few bootstraps is extrapolated)",
        lambda options: statistics_votes.run(
            sizes=(20_000,) if options.quick else (100_000, 1_000_000),
            systems=20 if options.quick else 100,
            resamples=200 if options.quick else 1_000,
            done=2 if options.quick else 3,
        ),
    ),
    "sequential": (
        "Votes looked at as they come in",
        lambda options: sequential.run(
            held=2_000 if options.quick else 5_000,
            more=500 if options.quick else 2_000,
            whole=20_000 if options.quick else 100_000,
            systems=10,
        ),
    ),
    "distances": (
        "The four distances (a floor of fewer dialogues is extrapolated)",
        lambda options: statistics_distances.run(
            dialogues=5_000 if options.quick else 100_000, done=200 if options.quick else 1_000
        ),
    ),
    "model-runs": (
        "Model runs, 20 ms × 200 in flight (floor: a bare aiohttp loop that stores nothing)",
        lambda options: model_runs.run(
            examples=5_000 if options.quick else 20_000,
            with_httpx=500 if options.quick else 2_000,
            with_inspect=600 if options.quick else 1_000,
        ),
    ),
    "selfplay": (
        "Self-play of rule bots (floor: a bare loop over the same two sessions)",
        lambda options: selfplay.run(
            dialogues=200 if options.quick else 1_000, rounds=1 if options.quick else 3
        ),
    ),
    "training": (
        "Training and self-play of models (floor: a bare PyTorch loop over the same batches)",
        lambda options: training.run(
            lines=600 if options.quick else training_made.DEAL_LINES // 5,
            rounds=1 if options.quick else 3,
            dialogues=200 if options.quick else training_made.DESK_DIALOGUES,
        ),
    ),
    "perturbing": (
        "Perturbing sentences (beside nlpaug on fewer of them)",
        lambda options: perturbing.run(
            sentences=20_000 if options.quick else 100_000,
            theirs=1_000 if options.quick else 5_000,
        ),
    ),
    "dynaboard": (
        "A board of models with bootstraps (a floor of a few runs is extrapolated)",
        lambda options: dynaboard.run(
            models=40 if options.quick else 200,
            sets=5 if options.quick else 20,
            items=500 if options.quick else 1_000,
            draws=200 if options.quick else 1_000,
            done=1 if options.quick else 2,
        ),
    ),
    "writing": (
        "Writing against a model (floor: a bare client that asks it and stores nothing)",
        lambda options: writing.run(
            writers=100, seconds=6.0 if options.quick else 20.0, bursts=3 if options.quick else 10
        ),
    ),
    "challenge": (
        "A challenge with many teams (floors: plain Python and numpy on the same data)",
        lambda options: challenge.run(
            teams=20 if options.quick else 200,
            runs=2 if options.quick else 10,
            dialogues=1_000 if options.quick else 4_390,
            trials=1_000 if options.quick else 10_000,
        ),
    ),
    "advice-preparing": (
        "Preparing advice from dumps (floor: parsing every line and doing nothing)",
        lambda options: advice_preparing.run(lines=200_000 if options.quick else 2_000_000),
    ),
    "advice-retrieval": (
        "Advice by retrieval (a floor of fewer questions is extrapolated)",
        lambda options: advice_retrieval.run(
            situations=advice_retrieval.PUBLISHED
            if options.full
            else 2_000
            if options.quick
            else 20_000,
            questions=50 if options.quick else 200,
            plain=10,
        ),
    ),
    "lines": (
        "Dialogue lines in and out (floor: json, which validates nothing)",
        lambda options: statistics_lines.run(lines=20_000 if options.quick else 1_000_000),
    ),
}


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    results: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}",
        "load_average": os.getloadavg(),
        "quick": options.quick,
        "benchmarks": {},
    }
    print(f"{results['machine']}; load average {results['load_average'][0]:.1f}")
    print("Trust ratios of one run and CPU per operation, not wall times.\n")
    for name in options.only or BENCHMARKS:
        title, benchmark = BENCHMARKS[name]
        figures, details = benchmark(options)
        print(show(title, figures), flush=True)
        print()
        results["benchmarks"][name] = {
            "figures": [figure.record() for figure in figures],
            "details": details,
        }
    print(f"Written to {_write(results)}")


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="smaller sizes, one round")
    arguments.add_argument("--full", action="store_true", help="published sizes that take minutes")
    arguments.add_argument("--install", action="store_true", help="measure a fresh environment")
    arguments.add_argument("--only", action="append", choices=list(BENCHMARKS))
    return arguments.parse_args()


def _write(results: dict[str, Any]) -> Path:
    folder = ROOT / "bench-results"
    folder.mkdir(exist_ok=True)
    path = folder / time.strftime("%Y%m%d-%H%M%S.json")
    path.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
