"""Two processes with gloo: what they learn together is what one learns from batches twice as large."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.processes import Processes
from support.toy_model import toy_points, toy_recipe

WORK = """
import sys
from support import toy_model
from palaver.models.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_each_process_takes_its_share_and_all_take_as_many_steps() -> None:
    shares = [list(Processes(rank, 3).own(range(11))) for rank in range(3)]
    assert shares == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert Processes(0, 3).steps(11) == 3
    with pytest.raises(InputError, match="Start fewer processes"):
        Processes(0, 3).steps(2)


def test_two_processes_learn_what_one_learns_from_batches_twice_as_large(tmp_path: Path) -> None:
    points = toy_points(tmp_path / "points.txt")
    recipe = toy_recipe(dropout=0.0, batch=4)
    # What both find there is replaced, not taken for what was asked.
    dumped = replace(recipe, training=replace(recipe.training, epochs=1))
    train(
        TrainingPlan(
            recipe=dumped, train=(points,), folder=tmp_path / "two", device=torch.device("cpu")
        )
    )
    given = tmp_path / "recipe.json"
    given.write_text(json.dumps(recipe.as_json()))
    work = tmp_path / "work.py"
    work.write_text(WORK)
    tests = Path(__file__).parents[2]
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [
            *run,
            work,
            given,
            "--data",
            points,
            "-o",
            tmp_path / "two",
            "--device",
            "cpu",
            "--overwrite",
        ],
        env={**os.environ, "PYTHONPATH": str(tests), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    alone = train(
        TrainingPlan(
            recipe=toy_recipe(dropout=0.0, batch=8),
            train=(points,),
            folder=tmp_path / "one",
            device=torch.device("cpu"),
        )
    )
    two = json.loads((tmp_path / "two" / "curve.json").read_text())["rows"]
    one = json.loads((tmp_path / "one" / "curve.json").read_text())["rows"]
    assert [row["measured"]["error"] for row in two] == pytest.approx(
        [row["measured"]["error"] for row in one], rel=1e-4
    )
    assert alone.checkpoint.measured["finished"]
    # The first process alone speaks.
    assert done.stderr.count("epoch 6/6") == 1
    assert done.stdout.count("Checkpoint: ") == 1
