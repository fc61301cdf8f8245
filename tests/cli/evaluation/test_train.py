"""`palaver train`: from a recipe and data to a checkpoint, and whatever may be in the way."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.training import trainer
from palaver.models.training.curve import CurveRow
from palaver.models.training.progress import TerminalProgress
from support.deal_lines import write_made_lines
from support.toy_model import Toy, toy_points

from ..conftest import Palaver

TOY = """\
model: toy
about: A line through points.
training: {epochs: 4, rate: 0.1, average: 0.8}
"""
TINY_DEAL = """\
model: deal-talk
data: {least: 1}
network: {embedding: 4, hidden: 4, context: 2}
selection: {hidden: 2, attention: 2, layer: 4}
training: {epochs: 1, batch: 16}
"""
TRAIN = ("train", "toy.yaml", "--data", "points.txt", "-o", "model")

assert Toy.about


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.yaml").write_text(TOY)
    toy_points(tmp_path / "points.txt")
    toy_points(tmp_path / "dev.txt", count=7)
    monkeypatch.setattr(trainer, "SAVE_EVERY", 0.0)


# What there is


def test_recipes_and_kinds_of_models_are_listed(palaver: Palaver) -> None:
    said = palaver("train", "--list")

    assert said.status == 0, said.err
    rows = {line.split()[0]: line for line in said.out.splitlines() if line}
    assert rows["deal-tiny"].startswith("deal-tiny")
    assert "deal-talk" in rows["deal-tiny"]
    assert "Attention over the words" in rows["dialeval-turns"]
    assert "Kinds of models: advice-transformer, averages, bargain-acts," in said.out
    told = json.loads(palaver("train", "--list", "--json").out)
    assert {each["recipe"]: each["model"] for each in told["recipes"]}["deal-tiny"] == "deal-talk"
    assert "dialeval-turns" in told["models"]


def test_every_option_of_a_recipe_is_explained(palaver: Palaver) -> None:
    said = palaver("train", "toy.yaml", "--options", "--set", "dropout=0.1")

    assert said.status == 0, said.err
    assert "toy: a line through points" in said.out
    rows = [line.split() for line in said.out.splitlines()]
    assert ["dropout", "0.1", "0.3", "of", "the", "inputs"] in rows
    assert ["training.epochs", "4", "10"] in [row[:3] for row in rows]
    plain = json.loads(palaver("train", "toy.yaml", "--options", "--json").out)
    assert plain["training"]["rate"] == 0.1


# A training


def test_a_training_tells_its_epochs_and_what_came_of_it(palaver: Palaver, tmp_path: Path) -> None:
    said = palaver(*TRAIN, "--dev", "dev.txt")

    assert said.status == 0, said.err
    assert [line[:9] for line in said.err.splitlines()] == [f"epoch {n}/4" for n in range(1, 5)]
    first, measured, error, checkpoint = said.out.splitlines()
    assert first.startswith("Best on what was held out: error ")
    assert measured == "Measured on dev.txt:"
    assert error.endswith("(n = 7 points)")
    assert checkpoint == "Checkpoint: model  (its card: model/README.md)"
    card = (tmp_path / "model" / "README.md").read_text()
    assert card.startswith("# model\n\nA line through points.")
    assert f"| error | {error.split()[1]} |" in card


def test_the_result_as_json_is_what_the_checkpoint_keeps(palaver: Palaver, tmp_path: Path) -> None:
    said = palaver(*TRAIN, "--dev", "dev.txt", "--json", "--set", "training.epochs=2")

    told = json.loads(said.out)
    kept = open_checkpoint(tmp_path / "model")
    assert told["checkpoint"] == "model"
    assert told["was_finished"] is False
    assert told["figures"] == kept.measured["figures"]
    assert told["epochs"] == 2
    assert kept.recipe["training"]["epochs"] == 2


def test_the_same_command_leaves_a_finished_model_as_it_is(
    palaver: Palaver, tmp_path: Path
) -> None:
    palaver(*TRAIN)
    weights = tmp_path / "model" / "weights.safetensors"
    before = weights.stat().st_mtime_ns

    again = palaver(*TRAIN, "--dev", "dev.txt")
    other = palaver(*TRAIN, "--set", "seed=2")
    replaced = palaver(*TRAIN, "--set", "seed=2", "--overwrite")

    assert "model is finished; nothing was trained. --overwrite begins anew." in again.out
    assert "Not measured on dev.txt: that is done once, when a training ends." in again.out
    assert (other.status, other.out) == (1, "")
    assert "model holds a model of something else (seed: 1, not 2). Give --overwrite" in other.err
    assert replaced.status == 0
    assert weights.stat().st_mtime_ns > before


def test_after_ctrl_c_the_same_command_goes_on(
    palaver: Palaver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = TerminalProgress.epoch

    def stops(self: TerminalProgress, rows: Sequence[CurveRow], **more: Any) -> None:
        told(self, rows, **more)
        if len(rows) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(TerminalProgress, "epoch", stops)
        stopped = palaver(*TRAIN)
    # The third epoch was not saved when it was stopped.
    resumed = palaver(*TRAIN)

    assert stopped.status == 130
    assert "Stopped. The same command goes on after the last epoch in model." in stopped.err
    assert "Going on after epoch 2, from model." in resumed.err
    assert resumed.status == 0
    whole = palaver(*TRAIN[:-1], "whole")
    assert whole.status == 0
    weights = [
        (tmp_path / name / "weights.safetensors").read_bytes() for name in ("model", "whole")
    ]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("members", [1, 2])
def test_a_dev_file_that_cannot_be_read_is_told_before_the_training(
    members: int, palaver: Palaver, tmp_path: Path
) -> None:
    (tmp_path / "cake.txt").write_text("flour and eggs")

    refused = palaver(*TRAIN, "--dev", "cake.txt", "--set", f"members={members}")

    assert refused.status == 1
    assert "cake.txt: expected two numbers a line" in refused.err
    assert "epoch" not in refused.err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ([], 2, "Name a RECIPE: a YAML file, or one that palaver train --list shows."),
        (["deal-tinny"], 1, "No recipe 'deal-tinny'. Near: 'deal-tiny'"),
        (["none.yaml"], 1, "There is no recipe at none.yaml."),
        (["toy.yaml"], 2, "--data is missing: the files to train on."),
        (["toy.yaml", "--data", "points.txt"], 2, "-o is missing: the folder for the checkpoint."),
        ([*TRAIN, "--data", "none.txt"], 2, "File 'none.txt' does not exist."),
        ([*TRAIN, "--data", "empty.txt"], 1, "empty.txt is empty."),
        ([*TRAIN, "--dev", "points.txt"], 1, "What is trained on must not be tested on"),
        ([*TRAIN[:-1], "points.txt"], 2, "Directory 'points.txt' is a file"),
        ([*TRAIN[:-1], "thesis", "--overwrite"], 1, "thesis holds 'all.tex', which no training"),
        ([*TRAIN, "--set", "dropuot=1"], 1, "The recipe has no option 'dropuot'. Near: 'dropout'"),
        ([*TRAIN, "--set", "seed"], 1, "Expected OPTION=VALUE, as in training.rate=0.001"),
        ([*TRAIN, "--set", "poison=1"], 1, "Try a lower training.rate, or a training.clip of 1."),
        ([*TRAIN, "--device", "tpu"], 2, "'tpu' is not one of 'auto', 'cpu', 'cuda'"),
        ([*TRAIN, "--sweep"], 1, "The recipe has no 'sweep': options with lists of values to try."),
        ([*TRAIN, "--engine", "ray://auto"], 2, "--engine spreads a sweep: give --sweep as well."),
        (
            ["swept.yaml", *TRAIN[2:]],
            1,
            "which is several trainings: give --sweep, or take it out.",
        ),
    ],
    ids=lambda given: " ".join(given[-2:]) if isinstance(given, list) else "",
)
def test_what_is_in_the_way_is_told(
    arguments: list[str], status: int, told: str, palaver: Palaver, tmp_path: Path
) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "swept.yaml").write_text(TOY + "sweep: {seed: [1, 2]}\n")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "all.tex").write_text("my thesis")
    given = arguments if arguments[:1] == ["train"] else ["train", *arguments]

    said = palaver(*given)

    assert (said.status, said.out) == (status, "")
    assert told in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        ("", "recipe.yaml is empty; a recipe names at least its kind of 'model'."),
        ("- toy\n", "recipe.yaml: a recipe holds options by name; got ['toy']."),
        ("model: toy\ntraining: {rate: [}\n", "recipe.yaml:2:19: "),
        ("model: tooy\n", "No kind of model 'tooy'. Near: 'toy'. See: palaver train --list."),
        ("about: A line.\n", "A recipe names its kind of 'model': advice-transformer, "),
        ("model: toy\ntraining: {rate: fast}\n", "'training.rate' is a number; got 'fast'."),
        ("model: toy\ntraining: {epochs: 0}\n", "'training.epochs' is 1 or more; got 0."),
        ("model: toy\nmembers: 0\n", "'members' is a whole number from 1 to 999; got 0."),
    ],
)
def test_what_is_wrong_with_a_recipe_is_named(
    recipe: str, told: str, palaver: Palaver, tmp_path: Path
) -> None:
    (tmp_path / "recipe.yaml").write_text(recipe)

    said = palaver("train", "recipe.yaml", *TRAIN[2:])

    assert said.status == 1
    assert told in said.err
    assert len(said.err.splitlines()) == 1


def test_without_the_extra_one_sentence_says_what_to_install(
    palaver: Palaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "torch" else there(name)
    )

    said = palaver(*TRAIN)

    assert said.status == 1
    assert said.err == "palaver: Training needs the extra 'torch': pip install 'palaver[torch]'\n"
    assert palaver("train", "--list").status == 0


# A sweep


def test_a_sweep_over_processes_is_a_table_with_the_best_first(
    palaver: Palaver, tmp_path: Path
) -> None:
    """The workers are processes of their own, so that it takes a kind of model of the product."""
    write_made_lines(tmp_path / "deals.txt", dialogues=24)
    (tmp_path / "deal.yaml").write_text(
        TINY_DEAL + "sweep: {training.rate: [0.00001, 0.03, 1.0e30]}\n"
    )
    command = ("train", "deal.yaml", "--data", "deals.txt", "-o", "swept", "--sweep")

    said = palaver(*command, "--engine", "processes://2")

    assert said.status == 1
    heading, best, second, *_ = said.out.splitlines()
    assert heading.split() == ["recipe", "measure", "best", "epoch", "seconds"]
    assert best.split()[:2] == ["rate=0.03", "perplexity"]
    assert second.startswith("rate=1e-05")
    assert float(best.split()[2]) < float(second.split()[2])
    assert "2 checkpoints in swept." in said.out
    assert "rate=1e+30 failed: The loss is not a number any more" in said.out
    assert sorted(path.name for path in (tmp_path / "swept").iterdir()) == [
        "rate=0.03",
        "rate=1e-05",
    ]
    changed = palaver(*command, "--set", "training.batch=8")
    assert "swept/rate=1e-05 holds a model of something else (training.batch: 16, not 8)" in (
        changed.err
    )


def test_threads_of_one_process_do_not_train_side_by_side(palaver: Palaver, tmp_path: Path) -> None:
    (tmp_path / "toy.yaml").write_text(TOY + "sweep: {seed: [1, 2]}\n")

    for engine in ("local", "local://2"):
        said = palaver(*TRAIN, "--sweep", "--engine", engine)
        assert said.status == 1
        assert said.err == (
            "palaver: --engine local has threads of one process; use processes://1 instead.\n"
        )


@pytest.mark.parametrize(
    ("sweep", "told"),
    [
        ("{seed: 1}", "'sweep.seed' is a list of values to try; got 1."),
        ("{seed: [1, 2, 1]}", "'sweep.seed' names a value twice: [1, 2, 1]."),
        ("{sead: [1, 2]}", "The recipe has no option 'sead'."),
        ("[1, 2]", "The recipe has no 'sweep': options with lists of values to try."),
    ],
)
def test_what_is_wrong_with_a_sweep_is_named(
    sweep: str, told: str, palaver: Palaver, tmp_path: Path
) -> None:
    (tmp_path / "toy.yaml").write_text(f"{TOY}sweep: {sweep}\n")

    said = palaver(*TRAIN, "--sweep")

    assert said.status == 1
    assert told in said.err
