"""REINFORCE: it learns what pays, keeps its rewards in the checkpoint, and its checkpoint plays."""

import dataclasses
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from palaver.core.clock import VirtualClock
from palaver.core.errors import InputError
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.deal.agent import DealAgent
from palaver.models.deal.contexts import made_contexts
from palaver.models.deal.kinds import network_of
from palaver.models.deal.reinforce import (
    DealReinforce,
    DealReinforceSettings,
    ReinforceLearner,
    ReinforceSettings,
)
from palaver.models.deal.words import YOU_NUMBER
from palaver.models.faces import Decoding
from palaver.models.inheritance import REWARDS, as_started
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.registry import MODELS
from palaver.models.reinforcement import PlayBatch, standardised

from .toys import ALL, WORDS, ToyTalk, talker, tiny_checkpoint

CPU = torch.device("cpu")
TALKS = (
    "YOU: all <eos> THEM: none <eos> YOU: <selection>",
    "YOU: maybe <eos> THEM: ok . <eos> YOU: all . <eos> THEM: <selection>",
    "THEM: none <eos> YOU: all <eos> THEM: ok <eos> YOU: <selection>",
)


def write_lines(folder: Path, count: int = 30) -> Path:
    """Made lines in which whoever is the own side gets everything."""
    path = folder / "lines.txt"
    lines = [
        f"<input> 1 4 2 3 3 0 </input> <dialogue> {TALKS[n % 3].replace('all', 'all ' * (n % 7))} "
        "</dialogue> <output> item0=1 item1=2 item2=3 item0=0 item1=0 item2=0 </output> "
        "<partner_input> 1 1 2 0 3 3 </partner_input>"
        for n in range(count)
    ]
    path.write_text("\n".join(" ".join(line.split()) for line in lines) + "\n", encoding="utf-8")
    return path


def write_contexts(folder: Path) -> Path:
    path = folder / "contexts.txt"
    path.write_text("1 4 2 3 3 0\n1 1 2 0 3 3\n2 2 1 6 3 0\n2 5 1 0 3 0\n", encoding="utf-8")
    return path


def settings(**given: Any) -> DealReinforceSettings:
    few = {"updates": 4, "dialogues": 8, "measured_on": 8, "supervised_every": 2}
    return DealReinforceSettings(play=ReinforceSettings(**{**few, **given}))


def material(folder: Path, start: Checkpoint | None, *more: Path) -> LearnerMaterial:
    return LearnerMaterial(
        train=(write_lines(folder), *more), seed=3, device=CPU, batch=8, start=start
    )


def learner(folder: Path, *more: Path, model: str = "deal-talk", **given: Any) -> ReinforceLearner:
    start = tiny_checkpoint(folder / "start", model, ends=6.0)
    return DealReinforce().learner(settings(**given), material(folder, start, *more))


def dice(seed: int = 2) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class SilentTalk:
    """Stands in for what learns from lines, around a toy."""

    watched = "perplexity"

    def __init__(self, network: nn.Module) -> None:
        self.network = network
        self.steps = 1

    def updates(self, epoch: int, dice: torch.Generator) -> Iterator[str]:
        yield "a batch of lines"

    def loss(self, batch: Any) -> Tensor:
        return torch.zeros((), requires_grad=True)

    def measure(self) -> dict[str, float]:
        return {"perplexity": 2.0}

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        return []

    def words(self) -> Words:
        return {"words": WORDS.words}

    def note(self) -> DataNote:
        return DataNote(about="nothing")


def toy(network: ToyTalk, partner: ToyTalk, folder: Path, **given: Any) -> ReinforceLearner:
    return ReinforceLearner(
        SilentTalk(network),
        partner,
        made_contexts(),
        settings=settings(**given).play,
        material=LearnerMaterial(train=(), seed=3, device=CPU),
        start=Checkpoint(folder=folder, model="deal-talk", recipe={}),
    )


def test_it_learns_to_say_what_pays(tmp_path: Path) -> None:
    learning = toy(
        talker(all=0, none=1, maybe=1), talker(none=9), tmp_path, updates=25, measured_on=200
    )
    before = learning.measure()
    optimizer = torch.optim.Adam(learning.network.parameters(), lr=0.2)
    for batch in learning.updates(0, dice()):
        optimizer.zero_grad()
        learning.loss(batch).backward()
        optimizer.step()
    after = learning.measure()
    # The partner asks for nothing, so that whoever asks for all gets 10 points.
    assert before["reward"] < 3
    assert after["reward"] > 8
    assert after["negative_reward"] == -after["reward"]
    assert after["agreed"] > 0.8
    assert learning.watched in after


def test_lines_are_learnt_from_in_between(tmp_path: Path) -> None:
    learning = learner(tmp_path, updates=7, supervised_every=3)
    kinds = [isinstance(batch, PlayBatch) for batch in learning.updates(0, dice())]
    assert kinds == [True, True, True, False, True, True, True, False, True]
    assert learning.steps == len(kinds)
    without = learner(tmp_path, updates=3, supervised_every=0)
    assert [isinstance(b, PlayBatch) for b in without.updates(0, dice())] == [True] * 3
    assert without.steps == 3


@pytest.mark.parametrize("model", ["deal-talk", "deal-transformer"])
def test_the_words_that_were_said_get_a_gradient_and_the_partner_stays(
    tmp_path: Path, model: str
) -> None:
    learning = learner(tmp_path, model=model)
    learning.network.train()
    fixed = {name: w.clone() for name, w in learning._partner.state_dict().items()}
    batch = next(iter(learning.updates(0, dice())))
    # All get the same points, none: a first reward of another size makes them differ from the mean.
    learning.network.get_buffer(REWARDS).copy_(torch.tensor([8.0, 5.0, 100.0]))
    learning.loss(batch).backward()
    graded = {
        n for n, w in learning.network.named_parameters() if w.grad is not None and w.grad.any()
    }
    assert "embedding.weight" in graded
    assert not any(name.startswith(("chooser.", "choices")) for name in graded)
    assert learning.network.training
    assert all(torch.equal(fixed[n], w) for n, w in learning._partner.state_dict().items())


def test_the_loss_is_the_mean_nll_of_own_words_times_their_discounted_reward(
    tmp_path: Path,
) -> None:
    network = talker(all=0.3, none=0.2, maybe=0.1)
    learning = toy(network, talker(none=9), tmp_path, discount=0.5, temperature=0.5)
    batch = next(iter(learning.updates(0, dice())))
    played = learning._played(batch.about, dice(batch.seed))
    rewards = played.points[:, 0].double().numpy()
    standard = (rewards - rewards.mean()) / rewards.std()
    likes = (network.likes.detach()[[6, 7, 8]] / 0.5).log_softmax(0)
    total, count = 0.0, 0
    for row, words in enumerate(played.words.tolist()):
        said = [words[n + 1] for n, word in enumerate(words[:-1]) if word == YOU_NUMBER]
        # A message is a word and its end, which is no matter of chance; so is the mark of a deal.
        own = [
            (float(likes[word - ALL]) if end == 0 and word >= ALL else 0.0)
            for word in said
            for end in range(2 if word >= ALL else 1)
        ]
        count += len(own)
        total += sum(
            -log_prob * standard[row] * 0.5 ** (len(own) - 1 - n) for n, log_prob in enumerate(own)
        )
    assert 0 < rewards.mean() < 10
    assert learning.loss(batch).item() == pytest.approx(total / count, rel=1e-4)


def test_rewards_are_standardised_by_all_so_far_and_that_is_kept(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    chance = np.random.default_rng(1)
    parts = [chance.integers(0, 11, size=size).astype(float) for size in (3, 5, 8)]
    for n, part in enumerate(parts, start=1):
        found = standardised(learning.network, torch.tensor(part)).numpy()
        seen = np.concatenate(parts[:n])
        assert found == pytest.approx((part - seen.mean()) / seen.std())
    count, mean, squares = learning.network.state_dict()[REWARDS].tolist()
    assert count == 16
    assert mean == pytest.approx(np.concatenate(parts).mean())
    assert (squares / count) ** 0.5 == pytest.approx(np.concatenate(parts).std())
    fresh = learner(tmp_path)
    assert standardised(fresh.network, torch.full((4,), 5.0).double()).eq(0).all(), (
        "no spread, no reward"
    )


def test_the_same_dice_give_the_same_loss(tmp_path: Path) -> None:
    losses = []
    for _ in range(2):
        learning = learner(tmp_path, write_contexts(tmp_path))
        losses.append([learning.loss(batch).item() for batch in learning.updates(1, dice())])
    assert losses[0] == losses[1]
    assert len(set(losses[0])) > 1


def test_nothing_is_dropped_from_the_network_while_it_plays(tmp_path: Path) -> None:
    losses = []
    for trains in (True, False):
        learning = learner(tmp_path, model="deal-transformer", supervised_every=0)
        learning.network.train(trains)
        losses.append(learning.loss(next(iter(learning.updates(0, dice())))).item())
        assert learning.network.training == trains
    assert losses[0] == losses[1]


def test_training_that_goes_on_from_saved_weights_is_the_same(tmp_path: Path) -> None:
    def epoch(learning: ReinforceLearner, number: int) -> list[float]:
        optimizer = torch.optim.SGD(learning.network.parameters(), lr=0.1)
        losses = []
        for batch in learning.updates(number, dice(number)):
            optimizer.zero_grad()
            loss = learning.loss(batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    whole = learner(tmp_path)
    epoch(whole, 0)
    saved = {name: tensor.clone() for name, tensor in whole.network.state_dict().items()}
    resumed = learner(tmp_path)
    resumed.network.load_state_dict(saved)
    assert epoch(resumed, 1) == epoch(whole, 1)
    with torch.no_grad():
        assert resumed.measure() == whole.measure()


def test_contexts_come_from_a_file_where_there_is_one(tmp_path: Path) -> None:
    learning = learner(tmp_path, write_contexts(tmp_path), dialogues=50)
    drawn = next(iter(learning.updates(0, dice()))).about
    assert {str(pair) for pair in drawn[:, :, ::2].tolist()} == {
        "[[1, 2, 3], [1, 2, 3]]",
        "[[2, 1, 3], [2, 1, 3]]",
    }
    assert learning.note().counts["pairs of contexts for self-play"] == 2
    assert learning.note().counts["lines"] == 30
    assert learning.words() == {"words": WORDS.words}


def test_it_is_measured_and_tested_in_self_play_and_on_lines(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    with torch.no_grad():
        measured = learning.measure()
        assert measured == learning.measure()
        names = {f.name for f in learning.test([write_lines(tmp_path), write_contexts(tmp_path)])}
    assert {"negative_reward", "reward", "agreed", "perplexity"} <= measured.keys()
    assert {"perplexity", "agreed", "score_all_first", "score_all_second"} <= names


def test_its_checkpoint_plays_and_can_be_gone_on_from(tmp_path: Path) -> None:
    learning = learner(tmp_path)
    learning.loss(next(iter(learning.updates(0, dice()))))
    with torch.no_grad():
        for weight in learning.network.parameters():
            weight.add_(0.1)
    recipe = {"model": "deal-reinforce", "play": {}, **learning.recipe_sections()}
    write_checkpoint(
        tmp_path / "end",
        settings={"model": "deal-reinforce", "recipe": recipe},
        words=learning.words(),
        weights=learning.network.state_dict(),
    )
    made = open_checkpoint(tmp_path / "end")
    assert REWARDS in made.weights()
    again = network_of(as_started(made))
    for name, weight in again.state_dict().items():
        assert torch.equal(weight, learning.network.state_dict()[name])
    kb = [{"Name": name, "Count": 2, "Value": 1} for name in ("book", "hat", "ball")]
    scenario = Scenario(id="S", game="deal_or_no_deal", kbs=(kb, kb))
    place = Place("d", 0, scenario, VirtualClock(), random.Random(1))
    (move,) = DealAgent([made], CPU).reply(place, [], random.Random(1), Decoding())
    assert move.action == "message"
    further = DealReinforce().learner(settings(), material(tmp_path, made))
    assert further.recipe_sections() == learning.recipe_sections()
    assert further.network.get_buffer(REWARDS).eq(0).all()


def test_what_it_cannot_begin_with_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name its checkpoint under 'start'"):
        DealReinforce().learner(settings(), material(tmp_path, None))
    start = tiny_checkpoint(tmp_path / "start")
    several = dataclasses.replace(start, members=(start,))
    with pytest.raises(InputError, match="is an ensemble"):
        DealReinforce().learner(settings(), material(tmp_path, several))
    alone = dataclasses.replace(material(tmp_path, start), train=(write_contexts(tmp_path),))
    with pytest.raises(InputError, match="got contexts alone"):
        DealReinforce().learner(settings(), alone)
    other = dataclasses.replace(start, model="majority")
    with pytest.raises(InputError, match="majority"):
        DealReinforce().learner(settings(), material(tmp_path, other))
    contexts = write_contexts(tmp_path)
    with pytest.raises(InputError, match="One file of contexts is enough"):
        DealReinforce().learner(settings(), material(tmp_path, start, contexts, contexts))


def test_it_is_found_by_name() -> None:
    assert MODELS.get("deal-reinforce") is DealReinforce
