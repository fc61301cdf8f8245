"""REINFORCE for acts: it learns what pays, its loss is what it says, and its checkpoint plays on."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.acts.figures import held_numbers, measured_play
from palaver.models.acts.grammar import END_NUMBER, PAD_NUMBER
from palaver.models.acts.kinds import network_of
from palaver.models.acts.reinforce import ActReinforceLearner
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.inheritance import REWARDS, as_started
from palaver.models.learner import LearnerMaterial
from palaver.models.registry import MODELS
from palaver.models.reinforcement import PlayBatch
from palaver.models.settings import read_settings
from support.deal_lines import write_made_lines

from .made import CPU, dice, tiny_checkpoint, write_bargains

KINDS = ("bargain-acts", "deal-acts")


def material(folder: Path, kind: str, start: Checkpoint | None) -> LearnerMaterial:
    data = (
        write_bargains(folder / "bargains.json")
        if kind == "bargain-acts"
        else write_made_lines(folder / "deals.txt", 30)
    )
    return LearnerMaterial(train=(data,), seed=3, device=CPU, batch=8, start=start)


def learner(folder: Path, kind: str, **play: Any) -> ActReinforceLearner:
    made = MODELS.get(f"{kind}-reinforce")
    few = {"updates": 3, "dialogues": 12, "measured_on": 16, "temperature": 1.0, **play}
    settings = read_settings(made.settings_type, {"play": few})
    start = tiny_checkpoint(folder / "start", kind, seed=3, spread=0.2)
    found = made().learner(settings, material(folder, kind, start))
    assert isinstance(found, ActReinforceLearner)
    return found


@pytest.mark.parametrize(
    ("kind", "reward", "gain"), [("bargain-acts", "margin", 0.2), ("deal-acts", "points", 0.5)]
)
def test_its_own_reward_rises(tmp_path: Path, kind: str, reward: str, gain: float) -> None:
    learning = learner(tmp_path, kind, updates=6, dialogues=40, measured_on=64, reward=reward)
    before = learning.measure()
    optimizer = torch.optim.Adam(learning.network.parameters(), lr=0.05)
    fixed = {name: w.clone() for name, w in learning._partner.state_dict().items()}
    for batch in learning.updates(0, dice()):
        optimizer.zero_grad()
        learning.loss(batch).backward()
        optimizer.step()
    after = learning.measure()
    assert after["reward"] > before["reward"] + gain
    assert after[learning.watched] == -after["reward"]
    assert {"partner_reward", "agreed", "turns", "distinct", "perplexity"} <= after.keys()
    assert all(torch.equal(fixed[n], w) for n, w in learning._partner.state_dict().items())


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_is_the_mean_nll_of_own_words_times_their_reward(
    tmp_path: Path, kind: str
) -> None:
    learning = learner(tmp_path, kind, discount=0.9, dialogues=32)
    batch = next(iter(learning.updates(0, dice())))
    held = learning._held(batch.about, dice(batch.seed))
    rewards = torch.cat([each.table.rewards(learning._reward)[:, 0] for each in held]).double()
    assert rewards.std() > 0
    worth = (rewards - rewards.mean()) / rewards.std(correction=0)
    total, count, at = 0.0, 0, 0
    tables = learning._tables
    for each in held:
        views, allowed = each.view(0)
        with torch.no_grad():
            logits = learning._network(views)
        for row in range(len(each)):
            said = []
            for pair, turn in enumerate(views.own[row].tolist()):
                state = 0
                for n, word in enumerate(turn):
                    if word == PAD_NUMBER:
                        break
                    may = (tables.speaks[state] & allowed[row, pair]).nonzero().squeeze(1)
                    log_probs = logits[row, pair, n, may].log_softmax(0)
                    said.append(float(log_probs[may.tolist().index(word)]))
                    state = int(tables.goes[state, word])
            count += len(said)
            total += sum(
                -log_prob * float(worth[at + row]) * 0.9 ** (len(said) - 1 - n)
                for n, log_prob in enumerate(said)
            )
        at += len(each)
    assert learning.loss(batch).item() == pytest.approx(total / count, rel=1e-3, abs=1e-5)


def test_departing_from_what_it_was_at_first_has_its_price(tmp_path: Path) -> None:
    losses = []
    for moved in (0.0, 0.3):
        found = []
        for closeness in (0.0, 2.0):
            learning = learner(tmp_path, "bargain-acts", closeness=closeness)
            with torch.no_grad():
                next(iter(learning.network.parameters())).add_(moved)
                learning._network.bias[4:8] += moved
            loss = learning.loss(next(iter(learning.updates(0, dice()))))
            loss.backward()
            found.append(loss.item())
            assert all(
                weight.grad is None or weight.grad.isfinite().all()
                for weight in learning.network.parameters()
            )
        losses.append(found)
    (same, no_price), (without, with_price) = losses
    assert no_price == pytest.approx(same, abs=1e-6)
    assert with_price > without + 1e-3


def test_dialogues_of_people_come_in_between_and_the_same_dice_give_the_same(
    tmp_path: Path,
) -> None:
    losses = []
    for n in range(2):
        learning = learner(tmp_path / str(n), "bargain-acts", updates=2, supervised_every=1)
        batches = list(learning.updates(0, dice()))
        kinds = [isinstance(batch, PlayBatch) for batch in batches]
        assert kinds == [True, False, True, False]
        assert learning.steps == len(kinds)
        losses.append([learning.loss(batch).item() for batch in batches])
    assert losses[0] == losses[1]


def test_both_roles_are_played_and_different_phrases_are_counted(tmp_path: Path) -> None:
    learning = learner(tmp_path, "bargain-acts")
    held = learning._held(learning._scenarios.draw(60, dice()), dice())
    buys = torch.cat([each.table.knowledge(0)[:, 0] for each in held])
    assert 15 < int((buys == 0).sum()) < 45
    assert {each.begins for each in held} == {0, 1}
    numbers = held_numbers(held, "margin")
    phrases = set()
    for each in held:
        for row in each.view(0)[0].own.flatten(1).tolist():
            words = [word for word in row if word not in (PAD_NUMBER, END_NUMBER)]
            phrases |= {tuple(words[n : n + 3]) for n in range(len(words) - 2)}
    assert numbers.distinct.sum() == pytest.approx(len(phrases))
    found = measured_play(held, "margin")
    assert found["margin_buyer"] == pytest.approx(-found["margin_seller"])
    assert found["turns"] <= 20


def test_going_on_from_saved_weights_is_exact_and_a_checkpoint_plays_on(tmp_path: Path) -> None:
    def epoch(learning: ActReinforceLearner, number: int) -> list[float]:
        optimizer = torch.optim.SGD(learning.network.parameters(), lr=0.1)
        losses = []
        for batch in learning.updates(number, dice(number)):
            optimizer.zero_grad()
            loss = learning.loss(batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    whole = learner(tmp_path, "deal-acts", updates=1)
    epoch(whole, 0)
    resumed = learner(tmp_path, "deal-acts", updates=1)
    resumed.network.load_state_dict(whole.network.state_dict())
    assert epoch(resumed, 1) == epoch(whole, 1)
    recipe = {"model": "deal-acts-reinforce", "play": {}, **whole.recipe_sections()}
    write_checkpoint(
        tmp_path / "end",
        settings={"model": "deal-acts-reinforce", "recipe": recipe},
        words=whole.words(),
        weights=whole.network.state_dict(),
    )
    made = open_checkpoint(tmp_path / "end")
    assert REWARDS in made.weights()
    again = network_of(as_started(made))
    assert torch.equal(next(again.parameters()), next(whole.network.parameters()))


def test_it_is_tested_beside_what_it_began_as(tmp_path: Path) -> None:
    learning = learner(tmp_path, "bargain-acts")
    names = {
        figure.name for figure in learning.test([material(tmp_path, "bargain-acts", None).train[0]])
    }
    assert {"reward", "reward, as it began", "distinct, as it began", "perplexity"} <= names


def test_what_it_cannot_begin_with_is_told(tmp_path: Path) -> None:
    made = MODELS.get("bargain-acts-reinforce")
    settings = read_settings(made.settings_type, {})
    with pytest.raises(InputError, match="name its checkpoint under 'start'"):
        made().learner(settings, material(tmp_path, "bargain-acts", None))
    other = tiny_checkpoint(tmp_path / "deal", "deal-acts")
    with pytest.raises(InputError, match="deal-acts"):
        made().learner(settings, material(tmp_path, "bargain-acts", other))
    several = dataclasses.replace(other, members=(other,))
    with pytest.raises(InputError, match="is an ensemble"):
        made().learner(settings, material(tmp_path, "bargain-acts", several))
    deals = MODELS.get("deal-acts-reinforce")
    contexts = tmp_path / "contexts.txt"
    contexts.write_text("1 4 2 3 3 0\n1 1 2 0 3 3\n", encoding="utf-8")
    alone = dataclasses.replace(material(tmp_path, "deal-acts", other), train=(contexts,))
    with pytest.raises(InputError, match="got 0 of lines and 1 of contexts"):
        deals().learner(read_settings(deals.settings_type, {}), alone)
