"""Learning from made bargains: the loss falls, trainings go on alike, figures are what they say."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.bargain.kinds import (
    SPEAKER_KINDS,
    BargainTalk,
    known_words,
    speaker_of,
)
from palaver.models.bargain.learning import TurnLearner
from palaver.models.bargain.marks import GO_BUYER, QUIT
from palaver.models.bargain.speech import WordChoice
from palaver.models.bargain.tallies import speak_all, turn_tallies
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, open_checkpoint
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import open_recipe, read_recipe
from palaver.models.settings import read_settings
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan

from .toys import CPU, dice, example, tiny, tiny_checkpoint, write_bargains


def learner(folder: Path, *, start: Checkpoint | None = None, **network: Any) -> TurnLearner:
    settings = read_settings(BargainTalk.settings_type, tiny(**network))
    material = LearnerMaterial(
        train=(write_bargains(folder / "talks.json"),), seed=3, device=CPU, batch=16, start=start
    )
    torch.manual_seed(1)
    return BargainTalk().learner(settings, material)


def plan(folder: Path, data: Path, *, epochs: int = 2, **more: Any) -> TrainingPlan:
    recipe = read_recipe(
        {
            "model": "bargain-words",
            **tiny(tied=True, dropout=0.1),
            "training": {"epochs": epochs, "batch": 16, "rate": 0.01},
        }
    )
    return TrainingPlan(recipe=recipe, train=(data,), folder=folder, device=CPU, **more)


def test_the_loss_falls(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    before = learning.measure()
    means = [float(np.mean(epoch(learning, number, rate=0.3))) for number in range(4)]
    after = learning.measure()
    assert means[3] < means[2] < means[0] - 0.2
    assert after["perplexity"] < before["perplexity"] / 1.5
    assert after["token_accuracy"] > before["token_accuracy"]


def test_every_turn_is_in_one_update_of_an_epoch(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    batches = list(learning.updates(1, dice()))
    assert len(batches) == learning.steps
    assert sorted(torch.cat(batches).tolist()) == list(range(len(learning.learnt)))


def test_both_views_of_a_dialogue_are_held_out_together(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    learnt = {view.dialogue for view in learning.views.learnt}
    held = {view.dialogue for view in learning.views.held}
    assert not learnt & held
    assert len(learnt | held) == 24
    assert len(learning.views.learnt) == 2 * len(learnt)


def test_a_network_that_knows_nothing_is_as_perplexed_as_there_are_words(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    for weight in learning.network.parameters():
        weight.data.zero_()
    words = len(learning.vocabulary.said)
    assert learning.measure()["perplexity"] == pytest.approx(words, rel=1e-4)
    assert learning.loss(torch.arange(4)).item() == pytest.approx(math.log(words), rel=1e-4)


def test_what_is_counted_is_what_the_network_says_of_each_word(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    network = learning._speaker.eval()
    with torch.no_grad():
        tallies = turn_tallies(network, learning.held)
        part = learning.held.taken(torch.tensor([1]))
        logits = network(part.situation, part.inputs)[0].log_softmax(-1)
    targets = part.said[0, 2:]
    expected = -sum(float(logits[n + 1, word]) for n, word in enumerate(targets))
    assert tallies[1, 0] == pytest.approx(expected, rel=1e-4)
    assert tallies[1, 2] == len(targets)
    assert np.isfinite(tallies).all()


def test_a_checkpoint_measures_and_says_the_same_again(tmp_path: Path) -> None:
    data = write_bargains(tmp_path / "talks.json")
    dev = write_bargains(tmp_path / "dev.json", 9)
    whole = train(plan(tmp_path / "whole", data, test=(dev,)))
    names = [each.name for each in whole.figures]
    assert names[:2] == ["perplexity", "token accuracy"]
    assert "distinct 2, its own turns" in names
    assert "words per message, turns of the file" in names
    told = {each.name: each for each in whole.figures}
    assert told["perplexity"].n == 9
    assert told["perplexity"].low is not None
    words = known_words(whole.checkpoint)
    network = speaker_of(whole.checkpoint)
    again = speaker_of(open_checkpoint(tmp_path / "whole"))
    learning = learner(tmp_path / "other")
    said = [
        speak_all(
            each,
            learning_views(learning),
            learning.held,
            words,
            WordChoice(temperature=0.7),
            dice(),
        )
        for each in (network, again)
    ]
    assert said[0] == said[1]
    assert not network.training


def test_training_that_goes_on_from_saved_weights_is_the_same(tmp_path: Path) -> None:
    whole = learner(tmp_path, dropout=0.3, word_dropout=0.1)
    epoch(whole, 0)
    saved = {name: tensor.clone() for name, tensor in whole.network.state_dict().items()}
    resumed = learner(tmp_path, dropout=0.3, word_dropout=0.1)
    resumed.network.load_state_dict(saved)
    assert epoch(resumed, 1) == epoch(whole, 1)
    for each in (whole, resumed):
        each.network.eval()
    assert resumed.measure() == whole.measure()


def epoch(learning: Any, number: int, rate: float = 0.1) -> list[float]:
    """The losses of an epoch of plain steps."""
    torch.manual_seed(number)
    optimizer = torch.optim.SGD(learning.network.parameters(), lr=rate)
    losses = []
    for batch in learning.updates(number, dice(number)):
        optimizer.zero_grad()
        loss = learning.loss(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def learning_views(learning: TurnLearner) -> Any:
    views, _ = learning._tensors(learning.views.held)
    return views


def test_weights_that_it_starts_from_are_those_of_the_checkpoint(tmp_path: Path) -> None:
    fresh = learner(tmp_path)
    start = tiny_checkpoint(tmp_path / "start", words=fresh.vocabulary)
    learning = learner(tmp_path, start=start)
    assert learning.vocabulary.said.words == fresh.vocabulary.said.words
    weights = start.weights()
    assert all(torch.equal(weights[n], w) for n, w in learning.network.state_dict().items())


def test_members_of_an_ensemble_have_one_vocabulary(tmp_path: Path) -> None:
    settings = read_settings(BargainTalk.settings_type, tiny())
    data = write_bargains(tmp_path / "talks.json")
    words = []
    for fold in (0, 1):
        material = LearnerMaterial(train=(data,), seed=fold, device=CPU, fold=fold, cut=1)
        words.append(BargainTalk().learner(settings, material).vocabulary)
    assert words[0].said.words == words[1].said.words
    assert words[0].said.words[:3] == ["<pad>", "<unk>", GO_BUYER]
    assert QUIT in words[0].said.words


def test_the_card_counts_what_was_learnt_from(tmp_path: Path) -> None:
    note = learner(tmp_path).note()
    assert note.counts["dialogues"] == 24
    assert note.counts["dialogues with a deal"] == 16
    assert note.counts["turns to learn"] + note.counts["turns held out"] > 24


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([], "There is no dialogue in"),
        ([example(1, [(0, "message", "Hi")])], "too short"),
        (
            [example(1, [(0, "message", "Hi"), (1, "message", "ok")])],
            "One dialogue in 4 is held out",
        ),
        ([{"scenario": {"kbs": [[], []]}, "events": []}], "is not a bargain"),
    ],
)
def test_files_without_bargains_are_told_in_a_sentence(
    tmp_path: Path, records: list[Any], told: str
) -> None:
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(records))
    material = LearnerMaterial(train=(path,), seed=3, device=CPU)
    settings = read_settings(BargainTalk.settings_type, tiny())
    with pytest.raises(InputError, match=told):
        BargainTalk().learner(settings, material)


def test_dialogues_in_which_nobody_answers_are_told(tmp_path: Path) -> None:
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([example(n, [(0, "quit", None)]) for n in range(20)]))
    given = tiny()
    given["data"] = {**given["data"], "least_messages": 0}
    material = LearnerMaterial(train=(path,), seed=3, device=CPU)
    with pytest.raises(InputError, match="vocabulary is empty"):
        BargainTalk().learner(read_settings(BargainTalk.settings_type, given), material)


def test_a_checkpoint_without_words_is_refused(tmp_path: Path) -> None:
    found = tiny_checkpoint(tmp_path / "model")
    (tmp_path / "model" / "vocabulary.json").write_text(json.dumps({"said": ["a"]}))
    with pytest.raises(CheckpointError, match="no 'listed' words"):
        known_words(open_checkpoint(found.folder))


@pytest.mark.parametrize(
    "name", ["bargain-seq2seq", "bargain-words", "bargain-words-tiny", "bargain-words-reinforce"]
)
def test_recipes_are_sound(name: str) -> None:
    recipe = open_recipe(name).recipe()
    assert recipe.about
    assert recipe.model in {*SPEAKER_KINDS, "bargain-words-reinforce"}
