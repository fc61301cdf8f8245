"""The loop: a training that was stopped ends as one that was not, and nothing good is thrown away."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import Recipe
from palaver.models.training import failures, trainer
from palaver.models.training.snapshot import find_snapshot
from palaver.models.training.trainer import TrainedWeights, Trainer
from support.toy_model import ToyLearner, toy_points, toy_recipe

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _saves_each_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "SAVE_EVERY", 0.0)


def new_trainer(recipe: Recipe, folder: Path) -> Trainer:
    torch.manual_seed(recipe.seed)
    points = toy_points(folder.parent / "points.txt")
    material = LearnerMaterial(train=(points,), seed=recipe.seed, device=CPU)
    return Trainer(recipe, ToyLearner(recipe.settings, material), device=CPU, folder=folder)


def all_equal(one: TrainedWeights, other: TrainedWeights) -> bool:
    return all(torch.equal(one.weights[name], other.weights[name]) for name in one.weights)


def test_a_loss_falls(tmp_path: Path) -> None:
    trained = new_trainer(toy_recipe(), tmp_path / "model").run()
    errors = [row.measured["error"] for row in trained.state.rows]
    assert errors[-1] < errors[0] / 4


@pytest.mark.parametrize("schedule", ["one-cycle", "anneal"])
@pytest.mark.parametrize("optimizer", ["adam", "adamw", "adagrad", "sgd"])
def test_what_was_stopped_ends_as_what_was_not_bit_for_bit(
    tmp_path: Path, optimizer: str, schedule: str
) -> None:
    training = {"optimizer": optimizer, "momentum": 0.5, "rate": 0.05, "schedule": schedule}
    recipe = toy_recipe(training={**training, "anneal_epochs": 3})
    whole = new_trainer(recipe, tmp_path / "whole").run()
    new_trainer(recipe, tmp_path / "parts").run(until=2)
    second = new_trainer(recipe, tmp_path / "parts")
    found = find_snapshot(tmp_path / "parts")
    assert found is not None
    second.go_on(found)
    ended = second.run()
    assert all_equal(whole, ended)
    one, other = whole.state.rows, ended.state.rows
    assert [row.measured for row in one] == [row.measured for row in other]
    assert [row.loss for row in one] == [row.loss for row in other]


def test_another_seed_is_another_training(tmp_path: Path) -> None:
    one = new_trainer(toy_recipe(seed=1), tmp_path / "one").run()
    other = new_trainer(toy_recipe(seed=2), tmp_path / "other").run()
    assert not all_equal(one, other)


def test_it_stops_when_nothing_gets_better(tmp_path: Path) -> None:
    training = {"epochs": 50, "rate": 1e-9, "schedule": "constant", "average": 0.0, "patience": 3}
    # Without a change of weights no epoch is better than the first by more than rounding.
    recipe = toy_recipe(dropout=0.0, training={**training, "optimizer": "sgd", "rate": 1e-12})
    assert new_trainer(recipe, tmp_path / "model").run().state.epoch == 4


def test_annealing_goes_on_from_the_best_weights_with_less_and_less(tmp_path: Path) -> None:
    """Steps so large that epochs go up and down; then ones so small that nothing moves."""
    training = {"optimizer": "sgd", "schedule": "anneal", "average": 0.0, "clip": 1.0}
    training |= {"epochs": 6, "rate": 1.0, "anneal_by": 1e6, "anneal_epochs": 2}
    state = new_trainer(toy_recipe(dropout=0.0, training=training), tmp_path / "model").run().state
    assert [row.rate for row in state.rows] == pytest.approx([1.0] * 4 + [1e-6, 1e-12])
    errors = [row.measured["error"] for row in state.rows]
    assert errors[3] > 1.1 * min(errors[:4])
    assert errors[4:] == pytest.approx([min(errors[:4])] * 2, rel=1e-3)


def test_a_loss_that_is_no_number_stops_and_keeps_the_best(tmp_path: Path) -> None:
    recipe = toy_recipe(poison=3)
    with pytest.raises(
        failures.NotANumberError, match=r"epoch 3 between updates 1 and 10\. The best"
    ):
        new_trainer(recipe, tmp_path / "model").run()
    found = find_snapshot(tmp_path / "model")
    assert found is not None
    assert found.state.epoch == 2
    assert all(torch.isfinite(each).all() for each in found.best().values())


@pytest.mark.parametrize(("spoilt", "kept"), [(1, "Nothing was kept"), (3, "of epoch 2, are kept")])
def test_a_measure_that_is_no_number_is_never_the_best(
    tmp_path: Path, spoilt: int, kept: str
) -> None:
    made = new_trainer(toy_recipe(spoilt=spoilt), tmp_path / "model")
    told = rf"error on what was held out is not a number any more, after epoch {spoilt}\. .*{kept}"
    with pytest.raises(failures.NotANumberError, match=told):
        made.run()
    found = find_snapshot(tmp_path / "model")
    assert (found.state.epoch if found else 0) == spoilt - 1
    assert made.state.best_epoch == spoilt - 1


def test_what_another_version_left_is_not_gone_on_with(tmp_path: Path) -> None:
    new_trainer(toy_recipe(), tmp_path / "model").run(until=1)
    found = find_snapshot(tmp_path / "model")
    assert found is not None
    grown = {**found.tensors, "network.1.weight": torch.ones(2, 2)}
    with pytest.raises(InputError, match=r"does not fit this recipe.*--overwrite to begin anew"):
        new_trainer(toy_recipe(), tmp_path / "model").go_on(replace(found, tensors=grown))


def test_too_little_memory_for_what_is_held_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(learner: ToyLearner) -> None:
        raise RuntimeError("CUDA out of memory. Tried to")

    monkeypatch.setattr(ToyLearner, "measure", refuse)
    with pytest.raises(InputError, match="What is held out does not fit into memory"):
        new_trainer(toy_recipe(), tmp_path / "model").run()


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CUDA out of memory. Tried to")])
def test_too_little_memory_proposes_half_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(learner: ToyLearner, batch: object) -> None:
        raise error

    monkeypatch.setattr(ToyLearner, "loss", refuse)
    with pytest.raises(InputError, match=r"batch of 32 does not fit.*training\.batch=16"):
        new_trainer(toy_recipe(), tmp_path / "model").run()


def test_an_average_lags_behind_the_weights(tmp_path: Path) -> None:
    made = new_trainer(toy_recipe(training={"epochs": 1}), tmp_path / "model")
    before = made.network.state_dict()["1.weight"].clone()
    made.run()
    assert made.average is not None
    now, mean = made.network.state_dict()["1.weight"], made.average.weights["1.weight"]
    assert min(before.item(), now.item()) < mean.item() < max(before.item(), now.item())
