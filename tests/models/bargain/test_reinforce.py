"""REINFORCE word by word: it learns what pays in either role, against a partner that stays."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.models.bargain.agent import BargainWordsAgent
from palaver.models.bargain.kinds import speaker_of
from palaver.models.bargain.learning import TurnLearner
from palaver.models.bargain.marks import ACCEPT_NUMBER, OFFER_NUMBER, REJECT_NUMBER
from palaver.models.bargain.reinforce import (
    BargainWordsReinforce,
    BargainWordsReinforceSettings,
    WordsPlaySettings,
    WordsReinforceLearner,
)
from palaver.models.bargain.rewards import rewards
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint
from palaver.models.inheritance import REWARDS, as_started
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import read_recipe
from palaver.models.reinforcement import PlayBatch
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan

from .test_learning import epoch
from .test_learning import learner as people_learner
from .toys import (
    CPU,
    OK,
    WORDS,
    ToySpeaker,
    dice,
    scenes,
    tiny_checkpoint,
    tiny_network,
    write_bargains,
)


def settings(**given: Any) -> WordsPlaySettings:
    few = {"updates": 3, "dialogues": 6, "measured_on": 4, "supervised_every": 2}
    return WordsPlaySettings(**{**few, **given})


class SilentLearner:
    """Stands in for what learns from people, around a toy."""

    watched = "perplexity"
    steps = 1

    def __init__(self, network: nn.Module) -> None:
        self.network = network

    def updates(self, epoch: int, dice: torch.Generator) -> Iterator[str]:
        yield "turns of people"

    def loss(self, batch: Any) -> Tensor:
        return torch.zeros((), requires_grad=True)

    def measure(self) -> dict[str, float]:
        return {"perplexity": 2.0}

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        return []

    def words(self) -> Words:
        return {}

    def note(self) -> DataNote:
        return DataNote(about="nothing")


def toy(
    folder: Path, network: ToySpeaker, partner: ToySpeaker, **given: Any
) -> WordsReinforceLearner:
    talk: Any = SilentLearner(network)
    start = tiny_checkpoint(folder / "start")
    return WordsReinforceLearner(
        talk,
        partner,
        scenes(),
        scenes(),
        settings=settings(**given),
        material=LearnerMaterial(train=(), seed=3, device=CPU),
        start=start,
    )


def started(folder: Path, people: TurnLearner) -> Checkpoint:
    """A checkpoint to begin with, whose dialogues are short."""
    words = people.vocabulary
    network = tiny_network(words=words, spread=0.2, ends=5.0)
    network.get_parameter("output_bias").data[OFFER_NUMBER : words.prices.start] += 4.0
    return tiny_checkpoint(folder, words=words, network=network)


def learner(folder: Path, **given: Any) -> WordsReinforceLearner:
    start = started(folder / "start", people_learner(folder / "people"))
    material = LearnerMaterial(
        train=(write_bargains(folder / "talks.json"),), seed=3, device=CPU, batch=16, start=start
    )
    return BargainWordsReinforce().learner(
        BargainWordsReinforceSettings(play=settings(**given)), material
    )


def easy() -> ToySpeaker:
    """Takes every offer."""
    return ToySpeaker({OK: 0.0, ACCEPT_NUMBER: 9.0, REJECT_NUMBER: -9.0})


def eager() -> ToySpeaker:
    """Offers what is best for itself as often as not, and takes every offer."""
    return ToySpeaker({OK: 0.0, OFFER_NUMBER: 0.0, ACCEPT_NUMBER: 9.0, REJECT_NUMBER: -9.0})


def taught(learning: WordsReinforceLearner, network: ToySpeaker) -> tuple[dict[str, float], Tensor]:
    """What an epoch changes in measures, and in what a toy likes."""
    before, was = learning.measure(), network.likes.detach().clone()
    optimizer = torch.optim.Adam(learning.network.parameters(), lr=0.3)
    for batch in learning.updates(0, dice()):
        optimizer.zero_grad()
        learning.loss(batch).backward()
        optimizer.step()
    after = learning.measure()
    assert after["negative_reward"] == -after["reward"]
    assert learning.watched in after
    assert {"distinct_2", "words_per_message", "agreed"} <= after.keys()
    return {name: after[name] - before[name] for name in before}, network.likes.detach() - was


def playing(reward: str) -> dict[str, Any]:
    few = {"updates": 8, "dialogues": 24, "measured_on": 48, "supervised_every": 0}
    return {**few, "reward": reward, "temperature": 1.0}


def test_for_its_margin_it_learns_to_offer_before_the_partner_does(tmp_path: Path) -> None:
    network = ToySpeaker({OK: 1.0, OFFER_NUMBER: 0.0, ACCEPT_NUMBER: 0.0, REJECT_NUMBER: 0.0})
    change, likes = taught(toy(tmp_path, network, eager(), **playing("margin")), network)
    assert change["reward"] > 0.3
    assert likes[OFFER_NUMBER] > likes[OK]
    # No deal is worth more than what the partner offers.
    assert likes[REJECT_NUMBER] > likes[ACCEPT_NUMBER]


def test_for_length_it_learns_to_talk_on(tmp_path: Path) -> None:
    network = ToySpeaker({OK: 0.0, OFFER_NUMBER: 1.0})
    change, likes = taught(toy(tmp_path, network, easy(), **playing("length")), network)
    assert change["reward"] > 0.05
    assert change["dialogue_length"] > 1
    assert likes[OK] > likes[OFFER_NUMBER]


def test_the_loss_is_the_mean_nll_of_own_words_times_their_discounted_reward(
    tmp_path: Path,
) -> None:
    network = ToySpeaker({OK: 0.4, OFFER_NUMBER: 0.1, ACCEPT_NUMBER: 0.3, REJECT_NUMBER: 0.2})
    learning = toy(tmp_path, network, eager(), discount=0.5, temperature=0.5)
    batch = next(iter(learning.updates(0, dice())))
    played = learning._played(batch.about, dice(batch.seed))
    earned = rewards("margin", played.ends)[:, 0].double()
    standard = (earned - earned.mean()) / earned.std(correction=0)
    likes = network.likes.detach() / 0.5
    log_prob = {
        **dict(zip((OK, OFFER_NUMBER), likes[[OK, OFFER_NUMBER]].log_softmax(0), strict=True)),
        **dict(
            zip(
                (ACCEPT_NUMBER, REJECT_NUMBER),
                likes[[ACCEPT_NUMBER, REJECT_NUMBER]].log_softmax(0),
                strict=True,
            )
        ),
    }
    total, count = 0.0, 0
    for row in range(len(played)):
        words = [w for turn in played.turns[row, 0][played.said(0)[row]] for w in turn[1:] if w]
        count += len(words)
        for n, word in enumerate(map(int, words)):
            worth = float(standard[row]) * 0.5 ** (len(words) - 1 - n)
            # Ends, and the price of an offer, are no matter of chance here.
            total -= float(log_prob.get(word, torch.zeros(()))) * worth
    assert earned.std() > 0
    assert learning.loss(batch).item() == pytest.approx(total / count, rel=1e-3, abs=1e-4)


def test_turns_of_people_are_learnt_from_in_between(tmp_path: Path) -> None:
    network = ToySpeaker({OK: 1.0})
    learning = toy(tmp_path, network, easy(), updates=5, supervised_every=2)
    kinds = [isinstance(batch, PlayBatch) for batch in learning.updates(0, dice())]
    assert kinds == [True, True, False, True, True, False, True]
    assert learning.steps == len(kinds)
    never = toy(tmp_path, network, easy(), updates=2, supervised_every=0)
    assert len(list(never.updates(0, dice()))) == never.steps == 2


def test_words_that_were_said_get_a_gradient_and_the_partner_stays(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    learning.network.train()
    fixed = {name: w.clone() for name, w in learning._partner.state_dict().items()}
    batches = list(learning.updates(0, dice()))
    # Whatever all earn alike, a first reward of another size makes it differ from the mean.
    learning.network.get_buffer(REWARDS).copy_(torch.tensor([8.0, 5.0, 100.0]))
    learning.loss(batches[0]).backward()
    graded = {n for n, w in learning.network.named_parameters() if w.grad is not None}
    assert {"tables.said.own", "encoder.weight_ih_l0", "listing_words.own"} <= graded
    assert learning.network.training
    assert all(torch.equal(fixed[n], w) for n, w in learning._partner.state_dict().items())
    assert learning.loss(batches[2]).item() > 0


def test_the_same_dice_give_the_same_loss(tmp_path: Path) -> None:
    losses = []
    for _ in range(2):
        learning = learner(tmp_path, updates=2)
        losses.append([learning.loss(batch).item() for batch in learning.updates(1, dice())])
    assert losses[0] == losses[1]


def test_training_that_goes_on_from_saved_weights_is_the_same(tmp_path: Path) -> None:
    whole = learner(tmp_path)
    epoch(whole, 0)
    saved = {name: tensor.clone() for name, tensor in whole.network.state_dict().items()}
    resumed = learner(tmp_path)
    resumed.network.load_state_dict(saved)
    assert epoch(resumed, 1) == epoch(whole, 1)
    assert resumed.measure() == whole.measure()


def test_its_checkpoint_is_one_of_the_network_it_began_with(tmp_path: Path) -> None:
    data = write_bargains(tmp_path / "talks.json")
    people: TurnLearner = people_learner(tmp_path / "people")
    started(tmp_path / "start", people)
    recipe = read_recipe(
        {
            "model": "bargain-words-reinforce",
            "start": "start",
            "play": {"updates": 2, "dialogues": 4, "measured_on": 4},
            "training": {"epochs": 1, "optimizer": "sgd", "rate": 0.1},
        }
    )
    plan = TrainingPlan(
        recipe=recipe, train=(data,), folder=tmp_path / "rl", device=CPU, base=tmp_path
    )
    train(plan)
    found = open_checkpoint(tmp_path / "rl")
    assert found.model == "bargain-words-reinforce"
    assert as_started(found).model == "bargain-words"
    assert REWARDS in found.weights()
    assert speaker_of(found).earlier == 2
    assert BargainWordsAgent([found], CPU).game == "craigslist_bargain"


def test_it_begins_with_a_network_that_bargains_word_by_word(tmp_path: Path) -> None:
    data = write_bargains(tmp_path / "talks.json")
    none = LearnerMaterial(train=(data,), seed=3, device=CPU)
    with pytest.raises(InputError, match="trained with bargain-words"):
        BargainWordsReinforce().learner(BargainWordsReinforceSettings(play=settings()), none)
    other = Checkpoint(folder=tmp_path, model="deal-talk", recipe={})
    wrong = LearnerMaterial(train=(data,), seed=3, device=CPU, start=other)
    with pytest.raises(InputError, match="kind 'deal-talk', which does not fit here"):
        BargainWordsReinforce().learner(BargainWordsReinforceSettings(play=settings()), wrong)
    assert WORDS.prices
