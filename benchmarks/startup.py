"""Start-up time, idle memory and install size, against bare Starlette under uvicorn.

Time runs from the start of the process to the first page answered, with byte code in place (the
first start of each server is not counted). `--install` measures a fresh environment; without it the
sizes of the default dependencies in this one are added up.
"""

import importlib.metadata
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from statistics import median

from benchmarks import furnishing
from benchmarks.processes import ROOT, Serving, palaver, relay, resident_bytes
from benchmarks.table import Figure

MEGABYTE = 1e6
SETTLE_SECONDS = 2.0


def run(*, stored: int, rounds: int, install: bool) -> tuple[list[Figure], dict[str, object]]:
    """Seconds to the first page and memory when idle, with an empty and with a filled database."""
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        folder = Path(name)
        study = furnishing.write_study(folder / "study")
        full = folder / "full"
        store = furnishing.open_store(full)
        try:
            furnishing.store_finished(store, furnishing.register(store, study), stored)
        finally:
            store.close()
        started: dict[str, list[float]] = {"empty": [], "full": [], "bare": []}
        memory: dict[str, list[float]] = {"empty": [], "full": [], "bare": []}
        effort: dict[str, list[float]] = {"empty": [], "full": [], "bare": []}
        for number in range(rounds + 1):
            empty = folder / f"empty-{number}"
            empty.mkdir()
            with palaver(study, empty, page="/s/bench") as serving:
                _note("empty", serving, started, effort, memory)
            with palaver(study, full, page="/s/bench") as serving:
                _note("full", serving, started, effort, memory)
            with relay(folder / "relay.log") as serving:
                _note("bare", serving, started, effort, memory)
        figures = _figures(stored, started, effort, memory)
    figures.append(_size(install=install))
    return figures, {"started": started, "cpu": effort, "memory": memory}


def _note(
    kind: str,
    serving: Serving,
    started: dict[str, list[float]],
    effort: dict[str, list[float]],
    memory: dict[str, list[float]],
) -> None:
    time.sleep(SETTLE_SECONDS)
    started[kind].append(serving.started_in)
    effort[kind].append(serving.started_with)
    memory[kind].append(resident_bytes(serving.pid) / MEGABYTE)


def _figures(
    stored: int,
    started: dict[str, list[float]],
    effort: dict[str, list[float]],
    memory: dict[str, list[float]],
) -> list[Figure]:
    # The first start of each compiles and is left out.
    def first_page(kind: str) -> float:
        return median(started[kind][1:])

    def idle(kind: str) -> float:
        return median(memory[kind][1:])

    names = {"empty": "an empty database", "full": f"{stored:,} stored dialogues"}
    figures = [
        Figure(
            f"first page, {name}",
            first_page(kind),
            first_page("bare"),
            "s",
            goal="≤ 1 s",
            met=lambda f: f.ours <= 1.0,
        )
        for kind, name in names.items()
    ]
    figures.append(
        Figure(
            "CPU to the first page, an empty database",
            median(effort["empty"][1:]),
            median(effort["bare"][1:]),
            "s",
        )
    )
    figures += [
        Figure(
            f"idle memory, {name}",
            idle(kind),
            idle("bare"),
            "MB",
            goal="≤ 70 MB",
            met=lambda f: f.ours <= 70,
        )
        for kind, name in names.items()
    ]
    return figures


def _size(*, install: bool) -> Figure:
    if install:
        ours, floor = _installed("."), _installed("starlette", "uvicorn[standard]")
        name = "install, fresh environment"
    else:
        ours, floor = _dependencies("palaver"), _dependencies("starlette", "uvicorn", "uvloop")
        name = "default dependencies, as installed here"
    return Figure(name, ours, floor, "MB", goal="≤ 400 MB", met=lambda figure: figure.ours <= 400)


def _installed(*what: str) -> float:
    """The size of a fresh environment's packages after `pip install`."""
    with tempfile.TemporaryDirectory(prefix="palaver-install-") as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        command = [str(python), "-m", "pip", "install", "--quiet", *what]
        subprocess.run(command, check=True, cwd=ROOT)
        return (
            sum(
                file.stat().st_size
                for file in Path(folder).glob("lib/*/site-packages/**/*")
                if file.is_file() and not file.is_symlink()
            )
            / MEGABYTE
        )


def _dependencies(*roots: str) -> float:
    """The size of packages and of all they need, without extras."""
    todo, seen, size = list(roots), set(), 0.0
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            todo += _declared() if name == "palaver" else []
            continue
        size += sum(_file_size(file) for file in package.files or [])
        todo += [n for n in map(_needed, package.requires or []) if n is not None]
    return size / MEGABYTE


def _file_size(file: importlib.metadata.PackagePath) -> int:
    path = Path(str(file.locate()))
    return path.stat().st_size if path.is_file() else 0


def _declared() -> list[str]:
    # Run from a checkout that is not installed.
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[(.*?)^\]", text, re.S | re.M)
    lines = re.findall(r'"([^"]+)"', block.group(1)) if block else []
    return [n for n in map(_needed, lines) if n is not None]


def _needed(requirement: str) -> str | None:
    """The name in a requirement; None where it belongs to an extra or to another platform."""
    name, _, marker = requirement.partition(";")
    if "extra ==" in marker or ("win32" in marker and "!=" not in marker):
        return None
    if "python_version" in marker and "<" in marker and sys.version_info >= (3, 11):
        return None
    found = re.match(r"[A-Za-z0-9._-]+", name.strip())
    return found.group(0) if found else None
