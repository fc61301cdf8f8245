"""Learning to advise: the loss falls, what is held out, which advice, and going on after a kill."""

import json
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.advice.figures import advice_tallies
from palaver.models.advice.inputs import target_text
from palaver.models.advice.kinds import AdviceTransformer
from palaver.models.advice.learner import AdviceLearner
from palaver.models.advice.pieces import END_NUMBER, PAD_NUMBER
from palaver.models.advice.writing import AdvicePanel
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint
from palaver.models.recipe import open_recipe, read_recipe
from palaver.models.train import train
from palaver.models.training import trainer
from palaver.models.training.snapshot import find_snapshot
from palaver.models.training.trainer import Trainer
from support.advice_models import (
    CPU,
    material_of,
    plan_of,
    situation_file,
    situation_lines,
    tiny_recipe,
    trained_adviser,
    written_lines,
)


def new_learner(
    folder: Path, *, lines: int = 40, fold: int = 0, **sections: object
) -> AdviceLearner:
    recipe = tiny_recipe(**sections)
    data = situation_file(folder / "situations.jsonl", lines)
    torch.manual_seed(1)
    return AdviceTransformer().learner(recipe.settings, material_of(data, fold=fold))


def dice(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_loss_falls_and_advice_is_learnt(tmp_path: Path) -> None:
    data = situation_file(tmp_path / "s.jsonl", 32)
    plan = plan_of(tmp_path / "m", data, training={"epochs": 9, "schedule": "one-cycle"})
    found = train(plan)
    assert found.state is not None
    perplexities = [row.measured["perplexity"] for row in found.state.rows]
    assert perplexities[-1] < perplexities[0] / 10
    assert perplexities[-1] < 6


def test_an_epoch_learns_from_each_situation_once_in_the_order_of_the_dice(tmp_path: Path) -> None:
    learner = new_learner(tmp_path)
    batches = list(learner.updates(1, dice()))
    assert len(batches) == learner.steps == 5
    assert sum(len(batch.sources) for batch in batches) == len(learner.learnt)
    again = list(learner.updates(1, dice()))
    assert all(
        torch.equal(one.sources, other.sources) and torch.equal(one.targets, other.targets)
        for one, other in zip(batches, again, strict=True)
    )
    other = list(learner.updates(2, dice(2)))
    assert sum(len(batch.sources) for batch in other) == len(learner.learnt)
    assert any(
        one.sources.shape != two.sources.shape or not torch.equal(one.sources, two.sources)
        for one, two in zip(batches, other, strict=True)
    )


@pytest.mark.parametrize(("advice", "shares"), [("best", (1, 1)), ("drawn", (0.3, 0.7))])
def test_the_best_advice_or_one_by_lot(
    tmp_path: Path, advice: str, shares: tuple[float, float]
) -> None:
    learner = new_learner(tmp_path, lines=120, data={"advice": advice, "target": 40})
    texts = [
        learner.pieces.text(row)
        for batch in learner.updates(1, dice())
        for row in batch.targets.tolist()
    ]
    best = sum("Good luck." in text for text in texts) / len(texts)
    assert shares[0] <= best <= shares[1]


def test_what_is_too_long_is_cut_and_has_no_end(tmp_path: Path) -> None:
    learner = new_learner(tmp_path, data={"target": 8, "pieces": 0})
    for batch in learner.updates(1, dice()):
        assert batch.targets.shape[1] <= 10
        assert END_NUMBER not in batch.targets
        assert batch.sources.shape[1] <= 48


def test_the_loss_is_the_mean_over_pieces_that_are_there(tmp_path: Path) -> None:
    learner = new_learner(tmp_path, network={"dropout": 0.0})
    batch = next(iter(learner.updates(1, dice())))
    learner.network.eval()
    logs = learner.network(batch.sources, batch.targets[:, :-1]).log_softmax(-1)
    summed, count = 0.0, 0
    for row in range(len(batch.targets)):
        for n, piece in enumerate(batch.targets[row, 1:].tolist()):
            if piece != PAD_NUMBER:
                summed, count = summed - logs[row, n, piece].item(), count + 1
    assert learner.loss(batch).item() == pytest.approx(summed / count, rel=1e-4)
    tallies = advice_tallies(AdvicePanel([learner.network]), learner.held)
    assert learner.measure()["perplexity"] == pytest.approx(
        float(torch.tensor(tallies[:, 0].sum() / tallies[:, 2].sum()).exp())
    )


def test_parts_are_disjoint_and_every_situation_is_held_out_once(tmp_path: Path) -> None:
    held = []
    for fold in range(5):
        split = new_learner(tmp_path, fold=fold).split
        keys = {case.key for case in split.held}
        assert keys.isdisjoint(case.key for case in split.learnt)
        held += sorted(keys)
    assert len(held) == len(set(held)) == 40


def test_a_file_with_all_splits_is_learnt_and_watched_by_its_own(tmp_path: Path) -> None:
    lines = situation_lines(40)
    for n, line in enumerate(lines):
        line["split"] = ("train", "train", "val", "test")[n % 4]
    data = written_lines(tmp_path / "s.jsonl", lines)
    recipe = tiny_recipe()
    learner = AdviceTransformer().learner(recipe.settings, material_of(data))
    assert {case.split for case in learner.split.learnt} == {"train"}
    assert {case.split for case in learner.split.held} == {"val"}
    assert learner.note().counts["situations of other splits, left out"] == 10


def test_too_few_situations_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Of 1 situations with advice 1 are left to learn from"):
        new_learner(tmp_path, lines=1, fold=0)
    lines = [{**line, "split": "test"} for line in situation_lines(9)]
    data = written_lines(tmp_path / "s.jsonl", lines)
    with pytest.raises(InputError, match=r"other 'data\.splits'"):
        AdviceTransformer().learner(tiny_recipe().settings, material_of(data))


def test_what_was_stopped_ends_as_what_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "SAVE_EVERY", 0.0)
    recipe = tiny_recipe(data={"advice": "drawn"}, training={"epochs": 3})

    def begun(folder: Path) -> Trainer:
        learner = new_learner(tmp_path, data={"advice": "drawn"}, training={"epochs": 3})
        return Trainer(recipe, learner, device=CPU, folder=folder)

    whole = begun(tmp_path / "whole").run()
    begun(tmp_path / "parts").run(until=1)
    second = begun(tmp_path / "parts")
    found = find_snapshot(tmp_path / "parts")
    assert found is not None
    second.go_on(found)
    ended = second.run()
    for name, weight in whole.weights.items():
        assert torch.equal(weight, ended.weights[name]), name


def test_a_training_goes_on_from_a_checkpoint_with_its_vocabulary(tmp_path: Path) -> None:
    folder = trained_adviser(tmp_path / "first", training={"epochs": 1})
    start = open_checkpoint(folder)
    other = situation_file(tmp_path / "other.jsonl", 20, seed=7)
    recipe = tiny_recipe(training={"epochs": 1})
    learner = AdviceTransformer().learner(recipe.settings, material_of(other, start=start))
    assert learner.pieces.words == start.words["words"]
    for name, weight in start.weights().items():
        assert torch.equal(learner.network.state_dict()[name], weight)
    spoilt = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps({**spoilt, "model": "deal-talk"}))
    with pytest.raises(CheckpointError, match="of kind 'deal-talk', which does not fit"):
        AdviceTransformer().learner(
            recipe.settings, material_of(other, start=open_checkpoint(folder))
        )


def test_wrong_dev_files_are_refused_before_anything_is_learnt(tmp_path: Path) -> None:
    data = situation_file(tmp_path / "s.jsonl", 20)
    dev = written_lines(tmp_path / "dev.jsonl", [{"id": "a", "advice": "Go."}])
    with pytest.raises(InputError, match=r"dev\.jsonl:1: Expected a line of JSON"):
        train(plan_of(tmp_path / "m", data, test=(dev,)))
    assert not (tmp_path / "m" / "settings.json").exists()


@pytest.mark.parametrize(
    ("sections", "told"),
    [
        ({"data": {"advice": "worst"}}, "'data.advice' is one of best, drawn"),
        ({"data": {"source": 2}}, "'data.source' is from 32"),
        ({"answers": {"nucleus": 1.5}}, "'answers.nucleus' is from 0 to 1"),
        ({"answers": {"beam": 2}}, "has no option 'beam'"),
        ({"network": {"heads": 0}}, "'network.heads' is 1 or more"),
    ],
)
def test_options_out_of_bounds_are_refused(sections: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_recipe({"model": "advice-transformer", **sections})


@pytest.mark.parametrize("name", ["advice-tiny", "advice-transformer"])
def test_recipes_of_the_library_are_whole(name: str) -> None:
    recipe = open_recipe(name).recipe()
    assert recipe.about
    assert recipe.settings.network.head_size % 2 == 0


def test_bytes_are_those_of_the_best_advice_as_it_is_written(tmp_path: Path) -> None:
    learner = new_learner(tmp_path, data={"target": 100})
    tallies = advice_tallies(AdvicePanel([learner.network]), learner.held)
    expected = [len(target_text(case.advice[0]).encode()) for case in learner.split.held]
    assert tallies[:, 3].tolist() == expected
