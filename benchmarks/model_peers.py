"""Model runs beside the programs that people use for them today, against the same endpoint.

Each program asks the same prompts over /v1/chat/completions with as many calls in flight, on as many
examples as ours is then measured on. Theirs is timed by the endpoint, from the first question to the
last answer, so that neither their start nor what they do before and after counts against them; ours
is timed until the last answer is stored. CPU is that of the evaluation with its scoring on both
sides, without imports and the reading of the data. They run in an environment of their own, without
network.
"""

import json
import os
import subprocess
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import peer_telling
from benchmarks.model_questions import IN_FLIGHT, gold, write_prompts
from benchmarks.processes import ROOT
from benchmarks.statistics_measuring import side
from benchmarks.table import Figure

PYTHON = ROOT / ".venv-peers" / "bin" / "python"
NOT_INSTALLED = (
    "Not measured: lm-eval and inspect-ai. 'make bench-peers' installs them, apart from Palaver, "
    "and runs this again."
)
LONGEST = 900.0
# What the endpoint answers to everything.
ANSWER = "neutral"


@dataclass(frozen=True, slots=True)
class Peer:
    """A program, the module that runs it, and how many examples it is given."""

    name: str
    module: str
    examples: int


class PeerError(Exception):
    """A program could not be measured."""


def beside_peers(
    peers: Sequence[Peer], *, folder: Path, url: str, python: Path = PYTHON
) -> tuple[list[Figure], dict[str, Any]]:
    """Figures for each program that runs here; one line for what does not."""
    if not python.exists():
        print(NOT_INSTALLED)
        return [], {"not_installed": [peer.name for peer in peers]}
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for peer in peers:
        own = folder / peer.name
        own.mkdir()
        try:
            theirs = measure(peer, folder=own, url=url, python=python)
        except PeerError as error:
            print(f"Not measured: {peer.name}. {error}")
            details[peer.name] = {"error": str(error)}
            continue
        ours = _ours(peer.examples, folder=own, url=url)
        figures += compared(peer, ours, theirs)
        details[peer.name] = {"ours": ours, "theirs": theirs}
    return figures, details


def measure(peer: Peer, *, folder: Path, url: str, python: Path) -> dict[str, Any]:
    """What a program took; a PeerError if it failed, asked otherwise or scored otherwise."""
    file = folder / "prompts.jsonl"
    write_prompts(file, peer.examples)
    _span(url)
    told = _told(peer, folder=folder, file=file, url=url, python=python)
    span = _span(url)
    if span["asked"] != peer.examples:
        raise PeerError(f"It asked {span['asked']:,} times for {peer.examples:,} examples.")
    right = sum(gold(n) == ANSWER for n in range(peer.examples)) / peer.examples
    if abs(told.score - right) > 1e-6:
        raise PeerError(f"It scored {told.score}; {right} of the answers are right.")
    return {
        "version": told.version,
        "examples": peer.examples,
        "wall": span["seconds"],
        "cpu": told.cpu,
    }


def compared(peer: Peer, ours: dict[str, Any], theirs: dict[str, Any]) -> list[Figure]:
    """Examples per second, and CPU per 1,000 of them, ours beside theirs."""
    examples, beside = peer.examples, f"{peer.name} {theirs['version']}"
    return [
        Figure(
            f"{examples:,} chat completions, checked and stored (floor: {beside})",
            examples / ours["wall"],
            examples / theirs["wall"],
            "/s",
        ),
        Figure(
            f"CPU per 1,000 of these {examples:,}, with scoring (floor: {beside})",
            ours["cpu"] * 1000 / examples,
            theirs["cpu"] * 1000 / examples,
            "s",
        ),
    ]


def _ours(examples: int, *, folder: Path, url: str) -> dict[str, Any]:
    return side(
        "benchmarks.model_runs:ours",
        folder=str(folder),
        url=url,
        examples=examples,
        kind="openai",
    )


def _told(peer: Peer, *, folder: Path, file: Path, url: str, python: Path) -> peer_telling.Told:
    asked = {"url": url, "file": str(file), "folder": str(folder), "in_flight": IN_FLIGHT}
    command = [str(python), "-m", peer.module, json.dumps(asked)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=os.environ | _apart(folder),
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise PeerError(f"It was not done after {LONGEST:.0f} seconds.") from None
    if done.returncode != 0:
        last = (done.stderr.strip() or "It said nothing.").splitlines()[-1]
        raise PeerError(f"It ended with code {done.returncode}: {last}")
    try:
        return peer_telling.read(done.stdout)
    except ValueError as error:
        raise PeerError(f"Its output cannot be read: {error}.") from None


def _apart(folder: Path) -> dict[str, str]:
    """Variables that keep a program off the network and its files in the folder."""
    return {
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "HF_HOME": str(folder / "hf"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }


def _span(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/span", timeout=30) as response:
        found: dict[str, Any] = json.load(response)
    return found
