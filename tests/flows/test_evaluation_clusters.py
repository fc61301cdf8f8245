"""A sweep and a run spread over a real cluster of two nodes.

In mid-run one of them dies, and the scores are the same.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.recipe import read_recipe
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from palaver.storage import Store
from palaver.storage.evaluation.predictions import read_predictions
from palaver.storage.evaluation.scores import scores_of_runs
from support.clusters import TESTS, Cluster, dask_cluster, ray_cluster
from support.deal_lines import write_made_lines

ITEMS = 240
# The question of each process at which it waits while `hold` is there.
HELD = 5
CLUSTERS = [
    pytest.param(dask_cluster, id="dask"),
    pytest.param(ray_cluster, id="ray", marks=pytest.mark.long),
]

HANDLER = """
import os, pathlib, time, zlib

HERE = pathlib.Path(__file__).parent
HOLD = pathlib.Path("FOLDER") / "hold"

class Handler:
    asked = 0

    def answer(self, question):
        with (HERE / "asked.txt").open("a") as file:
            file.write(f"{question['uid']} {os.getpid()}\\n")
        Handler.asked += 1
        while Handler.asked == HELD and HOLD.exists():
            time.sleep(0.02)
        label = ("entailed", "neutral", "contradictory")[zlib.crc32(question["uid"].encode()) % 3]
        return {"id": question["uid"], "label": label}
"""
SWEPT = """
model: deal-talk
data: {least: 1}
network: {embedding: 4, hidden: 4, context: 2}
selection: {hidden: 2, attention: 2, layer: 4}
training: {epochs: 1, batch: 16}
sweep: {training.rate: [0.00001, 0.03]}
"""
MODEL = "task: nli\nkind: handler\nhandler: handler:Handler\nconcurrency: 1\n"


def palaver(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command, run in `folder` to its end."""
    found = subprocess.run(
        [sys.executable, "-m", "palaver", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert found.returncode == 0, found.stderr
    return found


@pytest.fixture(scope="module")
def due(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a data set, a model, and a run that is due; it is to be copied."""
    folder: Path = tmp_path_factory.mktemp("clusters") / "due"
    folder.mkdir()
    records = [
        {
            "uid": f"i{n}",
            "context": f"Context {n}.",
            "hypothesis": "It holds.",
            "label": ("entailed", "neutral", "contradictory")[n % 3],
            "tags": [f"t{n % 4}"],
        }
        for n in range(ITEMS)
    ]
    lines = b"\n".join(msgspec.json.encode(record) for record in records)
    (folder / "items.jsonl").write_bytes(lines)
    (folder / "model").mkdir()
    handler = HANDLER.replace("FOLDER", str(folder.parent)).replace("HELD", str(HELD))
    (folder / "model" / "handler.py").write_text(handler)
    (folder / "model" / "model.yaml").write_text(MODEL)
    palaver("dataset", "add", "nli", "items", "items.jsonl", "--home", ".", folder=folder)
    palaver("model", "add", "nli", "m", "model", "--later", "--home", ".", folder=folder)
    return folder


@pytest.fixture(scope="module")
def alone(due: Path) -> Path:
    """The same home after its run on this machine alone."""
    folder = due.with_name("alone")
    shutil.copytree(due, folder)
    palaver("evaluate", "nli", "--home", ".", folder=folder)
    return folder


def outcome(folder: Path) -> tuple[list[Any], dict[str, tuple[float | None, ...]]]:
    """Every answer, and every score that does not speak of time or memory."""
    store = Store(f"sqlite:///{folder / 'palaver.db'}")
    try:
        answers = store.read_now(lambda c: [each.answer for each in read_predictions(c, 1)])
        scores = store.read_now(lambda c: scores_of_runs(c, [1]))
    finally:
        store.close()
    timeless = [each for each in scores if each.metric not in ("throughput", "memory")]
    return answers, {each.metric: (each.value, each.low, each.high, each.n) for each in timeless}


def asked(folder: Path) -> list[tuple[str, str]]:
    """The questions that were put to the model so far, each with the process it ran in."""
    noted = next(folder.rglob("unpacked/**/asked.txt"), None)
    words = [] if noted is None else noted.read_text().split()
    return list(zip(words[::2], words[1::2], strict=False))


def holding(folder: Path) -> int:
    """How many processes have come to the question at which they wait."""
    return sum(n >= HELD for n in Counter(pid for _, pid in asked(folder)).values())


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """Two nodes, the second of which the last test kills."""
    with request.param() as started:
        yield started


@pytest.mark.timeout(300)
def test_a_sweep_comes_back_from_the_nodes_as_it_is_trained_here(
    cluster: Cluster, tmp_path: Path
) -> None:
    write_made_lines(tmp_path / "deals.txt", dialogues=24)
    (tmp_path / "deal.yaml").write_text(SWEPT)

    told = palaver(
        *("train", "deal.yaml", "--data", "deals.txt", "--device", "cpu", "-o", "swept"),
        *("--sweep", "--engine", cluster.engine, "--json"),
        folder=tmp_path,
        **cluster.environment,
    )

    best, other = json.loads(told.stdout)["sweep"]
    assert (best["name"], other["name"]) == ("rate=0.03", "rate=1e-05")
    kept = open_checkpoint(tmp_path / "swept" / "rate=0.03")
    here = train(
        TrainingPlan(
            recipe=read_recipe(kept.recipe),
            train=(tmp_path / "deals.txt",),
            folder=tmp_path / "here",
            device=torch.device("cpu"),
        )
    )
    assert best["best"] == pytest.approx(here.checkpoint.measured["best"], rel=1e-5)
    assert kept.weights().keys() == here.checkpoint.weights().keys()


@pytest.mark.faults
@pytest.mark.timeout(300)
def test_a_node_dies_and_the_scores_are_those_of_one_machine(
    cluster: Cluster, due: Path, alone: Path, tmp_path: Path
) -> None:
    spread = tmp_path / "spread"
    shutil.copytree(due, spread)
    hold = due.with_name("hold")
    hold.touch()
    environment = {**os.environ, "PYTHONPATH": str(TESTS), **cluster.environment}
    command = ["evaluate", "nli", "--engine", cluster.engine, "--home", "."]
    driver = subprocess.Popen(
        [sys.executable, "-m", "palaver", *command],
        cwd=spread,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while holding(spread) < 2 and driver.poll() is None:
        time.sleep(0.05)
    assert driver.poll() is None, "it was to lose a node in mid-run"
    cluster.kill_node()
    hold.unlink()
    told, _ = driver.communicate(timeout=150)
    assert driver.returncode == 0, told
    assert outcome(spread) == outcome(alone)
    assert {uid for uid, _ in asked(spread)} == {f"i{n}" for n in range(ITEMS)}
