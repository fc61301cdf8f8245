"""Learning: the loss falls, parts do not overlap, and the figures are those of `palaver score`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.evaluation.dialeval.gold import count_gold
from palaver.evaluation.dialeval.predictions import read_predictions
from palaver.evaluation.dialeval.scoring import score
from palaver.formats.dch2 import read_dch2
from palaver.models.dialeval.answers import judged, records
from palaver.models.dialeval.dialogues import read_dialogues
from palaver.models.dialeval.learner import DialEvalLearner, read_parts
from palaver.models.recipe import Recipe
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.snapshot import find_snapshot
from palaver.models.training.trainer import Trainer
from support.helpdesk import CPU, helpdesk_dialogues, helpdesk_file, lines_file, material_of
from support.helpdesk import tiny_recipe as recipe_of

KINDS = ["dialeval-bilstm", "dialeval-turns"]
# Everything that can be lowered, at once.
ALL = {"jsd": 1.0, "rnss": 0.5, "rsnod": 1.0, "nmd": 0.5}


def learner_of(recipe: Recipe, *files: Path, fold: int = 0) -> DialEvalLearner:
    found = recipe.kind().learner(recipe.settings, material_of(*files, fold=fold))
    assert isinstance(found, DialEvalLearner)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_measured_falls_by_half(kind: str, tmp_path: Path) -> None:
    recipe = recipe_of(kind, loss=ALL)
    learner = learner_of(recipe, helpdesk_file(tmp_path / "h.jsonl", 60))
    with torch.no_grad():
        before = learner.measure()
    trained = Trainer(recipe, learner, device=CPU).run()
    assert set(before) == {"distance", "jsd", "rnss", "rsnod", "nmd"}
    assert trained.state.best < before["distance"] / 2
    assert trained.state.rows[-1].loss < trained.state.rows[0].loss


@pytest.mark.parametrize(
    ("kind", "network"),
    [("dialeval-bilstm", {}), ("dialeval-turns", {}), ("dialeval-turns", {"recurrent": 6})],
)
def test_gradients_reach_every_weight(kind: str, network: dict[str, int], tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    learner = learner_of(recipe_of(kind, network=network, loss=ALL), path)
    learner.loss(next(iter(learner.updates(1, torch.Generator())))).backward()
    for name, weight in learner.network.named_parameters():
        assert weight.grad is not None, name
        assert torch.isfinite(weight.grad).all(), name
        assert weight.grad.abs().sum() > 0, name


@pytest.mark.parametrize("name", ["nugget", "jsd", "rnss", "quality", "rsnod", "nmd"])
def test_every_weight_of_the_loss_counts(name: str, tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    tasks = {"tasks": "nugget" if name in ("nugget", "jsd", "rnss") else "quality"}
    off = {"nugget": 0.0, "quality": 0.0}
    losses = []
    for weight in (1.0, 2.0):
        learner = learner_of(recipe_of(data=tasks, loss={**off, name: weight}), path)
        losses.append(learner.loss(learner.held_out).item())
    assert losses[0] > 0
    assert losses[1] == pytest.approx(2 * losses[0])


def test_a_loss_that_lowers_nothing_is_refused(tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    with pytest.raises(InputError, match="'loss' lowers nothing of nugget and quality, which"):
        learner_of(recipe_of(loss={"nugget": 0.0, "quality": 0.0}), path)
    other_task = recipe_of(data={"tasks": "nugget"}, loss={"nugget": 0.0, "rsnod": 1.0})
    with pytest.raises(InputError, match="'loss' lowers nothing of nugget, which"):
        learner_of(other_task, path)


def test_members_hold_out_parts_that_do_not_overlap(tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 23)
    reading = recipe_of().settings.data
    held = []
    for fold in range(5):
        learnt, out = read_parts(reading, material_of(path, seed=fold, fold=fold))
        assert {each.id for each in learnt}.isdisjoint({each.id for each in out})
        held += [each.id for each in out]
    assert sorted(held) == sorted(each["id"] for each in helpdesk_dialogues(23))
    assert read_parts(reading, material_of(path, fold=5)) == read_parts(reading, material_of(path))


def test_the_parts_are_those_of_another_order_of_lines(tmp_path: Path) -> None:
    lines = helpdesk_dialogues(20)
    one = lines_file(tmp_path / "one.jsonl", lines)
    other = lines_file(tmp_path / "other.jsonl", lines[::-1])
    reading = recipe_of().settings.data
    assert read_parts(reading, material_of(one)) == read_parts(reading, material_of(other))


def test_too_few_dialogues_are_refused(tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 4)
    with pytest.raises(InputError, match="4 dialogues, fewer than the 5 parts"):
        learner_of(recipe_of(), path)


def test_nuggets_are_learnt_from_dialogues_of_both_sides(tmp_path: Path) -> None:
    def one_sided(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "turns": each["turns"][:1], "nugget": each["nugget"][:1]}

    path = lines_file(tmp_path / "h.jsonl", [one_sided(each) for each in helpdesk_dialogues(20)])
    with pytest.raises(InputError, match="each dialogue held out, 4 of them, one side never"):
        learner_of(recipe_of(), path)
    quality = learner_of(recipe_of(data={"tasks": "quality"}), path)
    with torch.no_grad():
        assert quality.measure()["distance"] > 0


def test_the_same_dice_give_the_same_batches_and_every_dialogue_once(tmp_path: Path) -> None:
    learner = learner_of(recipe_of(), helpdesk_file(tmp_path / "h.jsonl", 25))
    batches = [list(learner.updates(1, torch.Generator().manual_seed(3))) for _ in range(2)]
    assert [len(each) for each in batches[0]] == [8, 8, 4]
    assert learner.steps == 3
    for one, other in zip(*batches, strict=True):
        assert torch.equal(one.words, other.words)
    learnt = torch.cat([each.surface.sum(dim=(1, 2)) for each in batches[0]])
    assert float(learnt.sum()) == pytest.approx(float(learner.learnt.surface.sum()))


def test_the_figures_are_those_that_palaver_scores(tmp_path: Path) -> None:
    learner = learner_of(recipe_of(), helpdesk_file(tmp_path / "h.jsonl", 20))
    # Of the last one only the customer speaks, so that it has no nugget score.
    test = helpdesk_dialogues(12, seed=2)
    test[-1] |= {"turns": test[-1]["turns"][:1], "nugget": test[-1]["nugget"][:1]}
    path = lines_file(tmp_path / "test.jsonl", test)
    figures = {each.name: each for each in learner.test([path])}
    dialogues = read_dialogues(path)
    said = records(dialogues, judged([learner.judge()], dialogues, CPU))
    gold = count_gold(read_dch2(path.read_bytes()))
    scores = score(gold, read_predictions(json.dumps(said).encode(), gold))
    for name in ("jsd", "rnss", "rsnod-A", "nmd-S", "rsnod-E"):
        assert figures[name].value == pytest.approx(scores.mean(name), abs=1e-6), name
    assert (figures["jsd"].n, figures["rsnod-A"].n) == (11, 12)
    mean = sum(figures[f"rsnod-{scale}"].value for scale in "ASE") / 3
    assert figures["rsnod"].value == pytest.approx(mean)
    for each in figures.values():
        assert each.low is not None
        assert each.high is not None
        assert each.low <= each.value <= each.high


def test_dialogues_that_were_learnt_from_are_counted_in_a_test(tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    learner = learner_of(recipe_of(), path)
    assert "20 of these dialogues were in the training data" in learner.test([path])[0].about
    unseen = helpdesk_file(tmp_path / "other.jsonl", 5, seed=9)
    assert "training data" not in learner.test([unseen])[0].about


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(
    kind: str, tmp_path: Path
) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    recipe = recipe_of(kind)
    made = [
        recipe.kind().learner(recipe.settings, material_of(path, seed=seed)) for seed in (1, 1, 2)
    ]
    weights = [torch.cat([w.flatten() for w in m.network.parameters()]) for m in made]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_stopped_ends_as_what_was_not_bit_for_bit(kind: str, tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    recipe = recipe_of(kind, network={"dropout": 0.5}, training={"epochs": 3, "average": 0.9})

    def trainer(folder: str) -> Trainer:
        return Trainer(recipe, learner_of(recipe, path), device=CPU, folder=tmp_path / folder)

    whole = trainer("whole").run()
    trainer("parts").run(until=1)
    second = trainer("parts")
    found = find_snapshot(tmp_path / "parts")
    assert found is not None
    second.go_on(found)
    ended = second.run()
    assert ended.state.epoch == whole.state.epoch == 3
    assert all(torch.equal(whole.weights[name], ended.weights[name]) for name in whole.weights)


@pytest.mark.parametrize("kind", KINDS)
def test_half_precision_learns_as_well(kind: str, tmp_path: Path) -> None:
    training = {"precision": "bfloat16", "epochs": 3}
    recipe = recipe_of(kind, loss=ALL, training=training)
    learner = learner_of(recipe, helpdesk_file(tmp_path / "h.jsonl", 30))
    rows = Trainer(recipe, learner, device=CPU).run().state.rows
    assert rows[-1].loss < rows[0].loss


def test_a_training_goes_on_from_another_checkpoint(tmp_path: Path) -> None:
    data = helpdesk_file(tmp_path / "h.jsonl", 20)
    first = TrainingPlan(
        recipe=recipe_of(training={"epochs": 1}),
        train=(data,),
        folder=tmp_path / "first",
        device=CPU,
    )
    checkpoint = train(first).checkpoint
    more = helpdesk_file(tmp_path / "more.jsonl", 20, seed=4)
    recipe = recipe_of()
    material = replace(material_of(more, seed=9), start=checkpoint)
    started = recipe.kind().learner(recipe.settings, material)
    assert list(started.words()["words"]) == checkpoint.words["words"]
    for name, weight in checkpoint.weights().items():
        assert torch.equal(started.network.state_dict()[name], weight)


def test_heads_must_share_the_width(tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "h.jsonl", 20)
    with pytest.raises(InputError, match=r"'network\.heads' share 'network\.width' equally; 3 do"):
        learner_of(recipe_of(network={"heads": 3}), path)


def test_the_card_says_what_was_learnt_from(tmp_path: Path) -> None:
    note = learner_of(recipe_of(), helpdesk_file(tmp_path / "h.jsonl", 20)).note()
    assert note.counts["dialogues"] == 20
    assert note.counts["of them held out"] == 4
    assert "non-commercial" in note.licence
