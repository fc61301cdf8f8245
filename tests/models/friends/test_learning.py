"""Learning from dialogues of friends: what an epoch is, what is learnt, and going on after a stop."""

import json
import math

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint
from palaver.models.friends.kinds import friends_network, words_of_checkpoint
from palaver.models.friends.talk import FriendsLearner
from palaver.models.friends.tensors import ViewTensors
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import library_names, open_recipe, read_recipe
from palaver.models.train import train
from palaver.models.training import trainer
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.progress import Silence

from .toys import CPU, SMALL, made_views, tiny_checkpoint, write_made_chats


def recipe_of(**sections):
    given = {"model": "friends-graph", "data": {"folds": 4}, "network": SMALL}
    training = {"epochs": 2, "batch": 8, "rate": 0.03, "optimizer": "adam"}
    return read_recipe({**given, "training": training, **sections})


def new_learner(folder, *, count: int = 12, start=None, **sections):
    recipe = recipe_of(**sections)
    file = write_made_chats(folder / "chats.json", count)
    material = LearnerMaterial(train=(file,), seed=1, device=CPU, batch=8, start=start)
    torch.manual_seed(3)
    return recipe.kind().learner(recipe.settings, material)


def epoch_of(learner, seed: int = 0):
    return list(learner.updates(1, torch.Generator().manual_seed(seed)))


@torch.no_grad()
def measured(learner) -> dict[str, float]:
    learner.network.eval()
    return learner.measure()


def test_an_epoch_shows_every_view_once_by_the_dice_alone(tmp_path) -> None:
    learner = new_learner(tmp_path)
    one, same, other = (
        [batch.rows.tolist() for batch in epoch_of(learner, seed)] for seed in (1, 1, 2)
    )
    assert one == same != other
    assert sorted(row for rows in one for row in rows) == list(range(len(learner.learnt)))
    assert len(one) == learner.steps == math.ceil(len(learner.learnt) / 8)


@pytest.mark.parametrize("network", [{}, {"update": False, "compare": "product", "dropout": 0.1}])
def test_the_loss_falls_and_held_out_dialogues_are_read_better(tmp_path, network) -> None:
    learner = new_learner(tmp_path, count=16, network={**SMALL, **network})
    before = measured(learner)
    optimizer = torch.optim.Adam(learner.network.parameters(), lr=0.03)
    losses = []
    for epoch in range(4):
        learner.network.train()
        for batch in epoch_of(learner, epoch):
            optimizer.zero_grad()
            loss = learner.loss(batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    after = measured(learner)
    assert losses[-1] < 0.7 * losses[0]
    assert after["perplexity"] < 0.6 * before["perplexity"]
    assert after["loss"] < before["loss"]


def test_the_loss_is_the_mean_over_turns(tmp_path) -> None:
    learner = new_learner(tmp_path)
    batch = learner.learnt.taken(torch.arange(3))
    means = []
    for turn in learner.network.read(batch):
        for row in range(3):
            is_word = turn.targets[row] > 0
            if is_word.any():
                nll = torch.nn.functional.cross_entropy(
                    turn.logits[row, is_word], turn.targets[row, is_word]
                )
                means.append(nll)
    assert torch.allclose(learner.loss(batch), torch.stack(means).mean(), atol=1e-6)


def test_self_play_on_tables_that_are_held_out_is_measured_where_it_is_asked_for(tmp_path) -> None:
    learner = new_learner(tmp_path, count=8, data={"folds": 4, "played": 3})
    learner.network.predict.bias.data[3:5] += torch.tensor([30.0, 15.0])
    found = measured(learner)
    assert 0 <= found["found"] <= 1
    assert 0 < found["moves"] <= 40
    assert found == measured(learner)


def test_a_training_that_was_stopped_is_the_one_that_was_not(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(trainer, "SAVE_EVERY", 0.0)
    file = write_made_chats(tmp_path / "chats.json", 12)

    told, learnt = [], []
    loss = FriendsLearner.loss

    def stopped(learner, batch):
        learnt.append(batch)
        # In the middle of the second epoch.
        if len(learnt) == learner.steps + 1:
            raise KeyboardInterrupt
        return loss(learner, batch)

    class Listening(Silence):
        def note(self, text):
            told.append(text)

    def plan(folder: str) -> TrainingPlan:
        return TrainingPlan(
            recipe=recipe_of(), train=(file,), test=(), folder=tmp_path / folder, device=CPU
        )

    whole = train(plan("whole")).checkpoint.weights()
    with monkeypatch.context() as patched:
        patched.setattr(FriendsLearner, "loss", stopped)
        with pytest.raises(KeyboardInterrupt):
            train(plan("halves"))
    halves = train(plan("halves"), Listening()).checkpoint.weights()
    assert "Going on after epoch 1" in told[0]
    assert all(torch.equal(whole[name], halves[name]) for name in whole)


@torch.no_grad()
def test_a_checkpoint_gives_the_same_network_again(tmp_path) -> None:
    views, words = made_views(tmp_path)
    checkpoint = tiny_checkpoint(tmp_path / "m", words, spread=0.3)
    again = words_of_checkpoint(checkpoint)
    one, other = friends_network(checkpoint), friends_network(open_checkpoint(tmp_path / "m"))
    batch = ViewTensors.of(views, words, CPU).taken(torch.arange(4))
    same = ViewTensors.of(views, again, CPU).taken(torch.arange(4))
    for first, second in zip(one.read(batch), other.read(same), strict=True):
        assert torch.equal(first.logits, second.logits)


def test_training_starts_from_a_checkpoint_with_its_words(tmp_path) -> None:
    _, words = made_views(tmp_path, 4, seed=5)
    start = tiny_checkpoint(tmp_path / "m", words, spread=0.3)
    learner = new_learner(tmp_path, start=start)
    assert learner.words()["words"] == words.vocabulary.words
    for name, weight in learner.network.state_dict().items():
        assert torch.equal(weight, start.weights()[name])


def test_checkpoints_of_others_are_refused(tmp_path) -> None:
    _, words = made_views(tmp_path)
    checkpoint = tiny_checkpoint(tmp_path / "m", words)
    settings = tmp_path / "m" / "settings.json"
    told = json.loads(settings.read_text())
    told["recipe"]["network"]["hidden"] = 9
    settings.write_text(json.dumps(told))
    with pytest.raises(CheckpointError, match="does not fit the recipe"):
        friends_network(open_checkpoint(checkpoint.folder))
    (tmp_path / "m" / "vocabulary.json").write_text('{"words": ["cat"]}')
    with pytest.raises(CheckpointError, match="is not one of MutualFriends"):
        friends_network(open_checkpoint(checkpoint.folder))


def test_data_that_cannot_be_learnt_from_are_told_before_anything_is_trained(tmp_path) -> None:
    recipe = recipe_of()
    bargain = tmp_path / "bargain.json"
    bargain.write_text(
        json.dumps([{"scenario": {"kbs": [{}, {}]}, "events": [], "outcome": {"reward": 1}}])
    )
    with pytest.raises(InputError, match="In none of the dialogues was the friend found"):
        recipe.kind.check_test(recipe.settings, [bargain])
    with pytest.raises(InputError, match="One dialogue in 4 is held out"):
        new_learner(tmp_path, count=1)


@torch.no_grad()
def test_figures_on_files_have_intervals_over_dialogues(tmp_path) -> None:
    learner = new_learner(tmp_path)
    learner.network.eval()
    learner.network.predict.bias.data[3] += 30.0
    test = write_made_chats(tmp_path / "dev.json", 8, seed=9)
    figures = {figure.name: figure for figure in learner.test([test])}
    assert {"loss", "perplexity", "token accuracy", "entity F1", "BLEU-4"} <= figures.keys()
    assert figures["loss"].n == 8
    assert figures["loss"].low < figures["loss"].value < figures["loss"].high
    assert figures["BLEU-4"].value == pytest.approx(0.0, abs=0.2)


def test_the_card_says_what_was_learnt_from(tmp_path) -> None:
    counts = new_learner(tmp_path).note().counts
    assert counts["dialogues"] == 12
    assert counts["dialogues left out, of less than two turns or without success"] == 0
    assert counts["attributes"] == 3


@pytest.mark.parametrize("name", [n for n in library_names() if n.startswith("friends-")])
def test_recipes_of_the_library_are_whole_and_say_what_they_are(name: str) -> None:
    assert open_recipe(name).recipe().about
