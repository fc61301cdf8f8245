"""From a recipe and files to a checkpoint: going on, finishing, and everything that may be wrong."""

import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints import folder as folders
from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.recipe import Recipe
from palaver.models.train import train
from palaver.models.training import trainer
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.progress import Silence
from palaver.models.training.snapshot import Snapshot
from support.toy_model import Toy, ToyLearner, toy_points, toy_recipe

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


def test_what_is_to_be_replaced_stays_where_nothing_can_replace_it(tmp_path: Path) -> None:
    train(plan_of(tmp_path))
    cake = tmp_path / "cake.txt"
    cake.write_text("flour and eggs")
    wrong = replace(plan_of(tmp_path, overwrite=True), train=(cake,))
    with pytest.raises(InputError, match="expected two numbers"):
        train(wrong)
    with pytest.raises(InputError, match="expected two numbers"):
        train(plan_of(tmp_path, toy_recipe(members=2), overwrite=True, test=(cake,)))
    assert train(plan_of(tmp_path)).was_finished


def test_a_folder_is_held_while_what_was_there_is_replaced(tmp_path: Path) -> None:
    train(plan_of(tmp_path))
    refused: list[str] = []

    class Intruder(Silence):
        def epoch(self, *args: object, **more: object) -> None:
            try:
                train(plan_of(tmp_path, overwrite=True))
            except InputError as error:
                refused.append(str(error))

    train(plan_of(tmp_path, toy_recipe(seed=2), overwrite=True), Intruder())
    assert len(refused) == 6
    assert all("Another process is training into" in each for each in refused)


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


def test_a_file_beside_the_weights_of_a_member_is_not_removed(tmp_path: Path) -> None:
    train(plan_of(tmp_path, toy_recipe(members=2)))
    notes = tmp_path / "model" / "member-1" / "notes.txt"
    notes.write_text("why this one")
    with pytest.raises(InputError, match=r"holds 'notes.txt', which no training wrote"):
        train(plan_of(tmp_path, overwrite=True))
    notes.unlink()
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "model" / "member-3").symlink_to(outside)
    with pytest.raises(InputError, match=r"holds 'member-3', which no training wrote"):
        train(plan_of(tmp_path, overwrite=True))
    (tmp_path / "model" / "member-3").unlink()
    train(plan_of(tmp_path, overwrite=True))
    assert not (tmp_path / "model" / "member-1").exists()


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_card_of_somebody_else_is_not_replaced(tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "README.md").write_text("my project")
    with pytest.raises(InputError, match=r"holds 'README.md', but no checkpoint"):
        train(plan_of(tmp_path, overwrite=overwrite))
    assert (tmp_path / "model" / "README.md").read_text() == "my project"


def test_what_a_kill_left_half_written_is_in_nobodys_way(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a number"):
        train(plan_of(tmp_path, toy_recipe(poison=3)))
    half = [tmp_path / "model" / ".weights.safetensors.part"]
    half.append(tmp_path / "model" / ".training" / ".state.safetensors.part")
    for path in half:
        path.write_bytes(b"half")
    train(plan_of(tmp_path, overwrite=True))
    assert [path.name for path in (tmp_path / "model").rglob(".*")] == []


def test_what_a_kill_at_the_very_end_left_is_removed(tmp_path: Path) -> None:
    """The checkpoint is whole, and what going on needs was still there."""
    train(plan_of(tmp_path))
    (tmp_path / "model" / ".training").mkdir()
    (tmp_path / "model" / ".training" / "state.safetensors").write_bytes(b"state")
    assert train(plan_of(tmp_path)).was_finished
    assert not (tmp_path / "model" / ".training").exists()


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


def test_what_several_processes_began_one_does_not_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = toy_recipe(poison=3)
    with monkeypatch.context() as during:
        during.setattr(f"{trainer.__name__}.Snapshot", partial(_snapshot_of_two, Snapshot))
        with pytest.raises(InputError, match="not a number"):
            train(plan_of(tmp_path, poisoned))
    with pytest.raises(InputError, match=r"that 2 processes shared; now there are 1"):
        train(plan_of(tmp_path, poisoned))


def _snapshot_of_two(kind: type[Snapshot], **given: Any) -> Snapshot:
    return kind(**{**given, "processes": 2})


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


def test_a_test_file_that_fails_at_the_end_costs_no_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev = toy_points(tmp_path / "dev.txt", count=7)

    def refuse(learner: ToyLearner, files: object) -> None:
        raise InputError("These are points of another line.")

    with monkeypatch.context() as during:
        during.setattr(ToyLearner, "test", refuse)
        with pytest.raises(InputError, match=r"another line\. What was trained is kept in"):
            train(plan_of(tmp_path, test=(dev,)))
    again = train(plan_of(tmp_path, test=(dev,)))
    assert again.state is not None
    assert again.figures[0].n == 7


def test_a_model_that_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kind: Toy, *given: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(Toy, "learner", refuse)
    with pytest.raises(InputError, match=r"of kind 'toy' of these sizes.*do not fit into memory"):
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
    copy = tmp_path / "copy.txt"
    copy.write_bytes(points.read_bytes())
    with pytest.raises(InputError, match=r"'points\.txt' and 'copy\.txt' have the same content"):
        train(plan_of(tmp_path, test=(copy,)))


def test_an_ensemble_that_is_not_measured_says_so(tmp_path: Path) -> None:
    dev = toy_points(tmp_path / "dev.txt", count=7)
    ensemble = toy_recipe(members=2)
    for result in (train(plan_of(tmp_path, ensemble, test=(dev,))) for _ in range(2)):
        assert result.unmeasured == ("dev.txt",)
        assert result.checkpoint.measured["tested"] == {}


def test_one_model_and_an_ensemble_do_not_mix(tmp_path: Path) -> None:
    unfinished, ensemble = toy_recipe(poison=3), toy_recipe(poison=3, members=2)
    for one, other, told in (
        (unfinished, ensemble, r"something else \(members: None, not 2\)"),
        (ensemble, unfinished, "holds members of an ensemble"),
    ):
        with pytest.raises(InputError, match="not a number"):
            train(plan_of(tmp_path, one, overwrite=True))
        with pytest.raises(InputError, match=told):
            train(plan_of(tmp_path, other))


def test_members_hold_out_another_part_each_and_are_bound_together(tmp_path: Path) -> None:
    result = train(plan_of(tmp_path, toy_recipe(members=3)))
    seeds = [member.recipe["seed"] for member in result.checkpoint.members]
    assert seeds == [1, 2, 3]
    assert train(plan_of(tmp_path, toy_recipe(members=3))).was_finished
