"""From a recipe and files to a checkpoint: going on, finishing, and everything that may be wrong."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints import folder as folders
from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.recipe import Recipe
from palaver.models.train import train
from palaver.models.training import trainer
from palaver.models.training.plan import TrainingPlan
from support.toy_model import toy_points, toy_recipe

CPU = torch.device("cpu")


def plan_of(folder: Path, recipe: Recipe | None = None, **more: object) -> TrainingPlan:
    points = toy_points(folder / "points.txt")
    return TrainingPlan(
        recipe=recipe or toy_recipe(),
        train=(points,),
        folder=folder / "model",
        device=CPU,
        **more,  # type: ignore[arg-type]
    )


def test_a_checkpoint_says_what_it_is_made_of(tmp_path: Path) -> None:
    dev = toy_points(tmp_path / "dev.txt", count=7)
    result = train(plan_of(tmp_path, test=(dev,)))
    card = (tmp_path / "model" / "README.md").read_text()
    assert "Points on a line.\n- points: 40\n- licence: CC0" in card
    assert "| error | " in card
    assert "7 points" in card
    assert "Seed 1." in card
    assert f"torch: {torch.__version__}" in card
    assert result.figures[0].n == 7
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "README.md",
        "curve.html",
        "curve.json",
        "settings.json",
        "vocabulary.json",
        "weights.safetensors",
    ]


def test_a_finished_training_is_left_as_it_is(tmp_path: Path) -> None:
    first = train(plan_of(tmp_path))
    weights = (tmp_path / "model" / "weights.safetensors").read_bytes()
    again = train(plan_of(tmp_path))
    assert again.was_finished
    assert again.checkpoint == first.checkpoint
    assert (tmp_path / "model" / "weights.safetensors").read_bytes() == weights


def test_another_recipe_does_not_replace_a_model_unless_it_is_told_to(tmp_path: Path) -> None:
    train(plan_of(tmp_path))
    other = toy_recipe(training={"rate": 0.01})
    with pytest.raises(InputError, match=r"something else \(training.rate: 0.1, not 0.01\)"):
        train(plan_of(tmp_path, other))
    train(plan_of(tmp_path, other, overwrite=True))
    assert open_checkpoint(tmp_path / "model").recipe["training"]["rate"] == 0.01


def test_a_finished_model_says_what_it_is_not_measured_on(tmp_path: Path) -> None:
    dev = toy_points(tmp_path / "dev.txt", count=7)
    train(plan_of(tmp_path, test=(dev,)))
    assert train(plan_of(tmp_path, test=(dev,))).unmeasured == ()
    toy_points(dev, count=8)
    assert train(plan_of(tmp_path, test=(dev,))).unmeasured == ("dev.txt",)


def test_a_folder_of_something_else_is_never_cleared(tmp_path: Path) -> None:
    thesis = tmp_path / "model" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("my thesis")
    with pytest.raises(InputError, match=r"holds 'thesis.tex', which no training wrote"):
        train(plan_of(tmp_path, overwrite=True))
    assert thesis.read_text() == "my thesis"


def test_a_killed_training_goes_on_to_the_same_end(tmp_path: Path) -> None:
    """A process is killed with SIGKILL right after its third epoch was saved."""
    points = toy_points(tmp_path / "points.txt")
    work = tmp_path / "work.py"
    work.write_text(
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "import torch\n"
        "from support.toy_model import toy_recipe\n"
        "from palaver.models.train import train\n"
        "from palaver.models.training.plan import TrainingPlan\n"
        "from palaver.models.training import trainer\n"
        "from palaver.models.training.progress import Silence\n"
        "trainer.SAVE_EVERY = 0.0\n"
        "class Killer(Silence):\n"
        "    def epoch(self, rows, **more):\n"
        "        if len(rows) == 4:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "points, folder = map(Path, sys.argv[1:])\n"
        "plan = TrainingPlan(recipe=toy_recipe(), train=(points,), folder=folder,\n"
        "                    device=torch.device('cpu'))\n"
        "train(plan, Killer())\n"
    )
    tests = Path(__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(tests), "OMP_NUM_THREADS": "1"}
    killed = subprocess.run(
        [sys.executable, work, points, tmp_path / "model"], env=env, timeout=120, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert open_checkpoint(tmp_path / "model").measured["finished"] is False
    went_on = train(plan_of(tmp_path))
    assert went_on.state is not None
    assert len(went_on.state.rows) == 6
    (tmp_path / "whole").mkdir()
    whole = train(plan_of(tmp_path / "whole"))
    assert not (tmp_path / "model" / ".training").exists()
    one, other = went_on.checkpoint.weights(), whole.checkpoint.weights()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_unfinished_work_on_other_data_is_not_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a number"):
        train(plan_of(tmp_path, toy_recipe(poison=3)))
    toy_points(tmp_path / "points.txt", count=44)
    points = tmp_path / "points.txt"
    plan = TrainingPlan(
        recipe=toy_recipe(poison=3), train=(points,), folder=tmp_path / "model", device=CPU
    )
    with pytest.raises(InputError, match=r"unfinished training.*points.txt: another content"):
        train(plan)


def test_a_full_disk_leaves_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "SAVE_EVERY", 0.0)
    written = folders._beside
    calls: list[str] = []

    def fills_up(folder: Path, name: str, content: bytes) -> Path:
        calls.append(name)
        if calls.count("weights.safetensors") == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return written(folder, name, content)

    monkeypatch.setattr(folders, "_beside", fills_up)
    with pytest.raises(InputError, match=r"the disk is full\. What was saved there before is kept"):
        train(plan_of(tmp_path))
    monkeypatch.setattr(folders, "_beside", written)
    assert open_checkpoint(tmp_path / "model").weights().keys() == {"1.weight", "1.bias"}
    assert not [path for path in (tmp_path / "model").rglob(".*") if path.name != ".training"]
    assert train(plan_of(tmp_path)).checkpoint.measured["finished"]


def test_two_trainings_do_not_share_a_folder(tmp_path: Path) -> None:
    import fcntl

    lock = tmp_path / "model" / ".training" / "lock"
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="Another process is training into"):
            train(plan_of(tmp_path))


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "There is no data file"), ("", "is empty"), ("cake", "expected two numbers")],
)
def test_data_that_cannot_be_read_is_told_and_leaves_nothing_behind(
    tmp_path: Path, content: str | None, told: str
) -> None:
    points = tmp_path / "points.txt"
    if content is not None:
        points.write_text(content)
    plan = TrainingPlan(recipe=toy_recipe(), train=(points,), folder=tmp_path / "model", device=CPU)
    with pytest.raises(InputError, match=told):
        train(plan)
    assert not (tmp_path / "model").exists()


def test_what_is_trained_on_is_not_tested_on(tmp_path: Path) -> None:
    points = toy_points(tmp_path / "points.txt")
    with pytest.raises(InputError, match=r"Two data files are called 'points\.txt'"):
        train(plan_of(tmp_path, test=(points,)))


def test_members_hold_out_another_part_each_and_are_bound_together(tmp_path: Path) -> None:
    result = train(plan_of(tmp_path, toy_recipe(members=3)))
    seeds = [member.recipe["seed"] for member in result.checkpoint.members]
    assert seeds == [1, 2, 3]
    assert train(plan_of(tmp_path, toy_recipe(members=3))).was_finished
